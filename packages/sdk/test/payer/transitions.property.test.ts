import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import type { Intent } from '../../src/entries/payer.ts';
import { decide, type IntentEvent, type SendRules } from '../../src/payer/transitions.ts';

const id = fc.constantFrom('pay_test_1', 'pay_test_2');
const worker = fc.constantFrom('w1', 'w2', 'w3');
const event: fc.Arbitrary<IntentEvent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('claimed'),
      worker,
      until: fc.constant(new Date(0)),
      // A call of `pay` has a body, and a key for it; a run has none.
      pay: fc.option(fc.record({ digest: fc.constantFrom('d', 'e'), key: fc.constant('') }), {
        nil: undefined,
      }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('not_sent'), worker }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('rejected'), worker, reason: fc.constant('r') }) },
  fc.record({
    type: fc.constant('unanswered'),
    worker,
    reason: fc.constant('r'),
    paymentId: fc.option(id, { nil: undefined }),
    otherPaymentId: fc.option(id, { nil: undefined }),
  }),
  fc.record({ type: fc.constant('responded'), worker, paymentId: id }),
  fc.record({ type: fc.constant('lapsed') }),
  fc.record({ type: fc.constant('reconciled'), paymentId: id }),
  fc.record({ type: fc.constant('displaced'), paymentId: id }),
  fc.record({ type: fc.constant('disowned'), paymentId: id, reason: fc.constant('r') }),
  fc.record({ type: fc.constant('id_taken'), worker, paymentId: id, holder: fc.constant('b') }),
  fc.record({
    type: fc.constant('resolved'),
    version: fc.nat({ max: 12 }),
    by: fc.constant('Ada'),
    because: fc.constant('b'),
    decision: fc.oneof(fc.constantFrom('never_made', 'released'), fc.record({ paymentId: id })),
  }),
);
const rules: fc.Arbitrary<SendRules> = fc.record({
  keyRetention: fc.constantFrom(0, 0, 500, 5_000),
  timeout: fc.constant(30),
  clockSkew: fc.constant(60),
});
const steps = fc.array(fc.tuple(fc.nat({ max: 400 }), event), { maxLength: 40 });

const planned: Intent = {
  reference: 'a',
  version: 1,
  state: 'planned',
  digest: 'd',
  key: 'k',
  sends: [],
  body: 'b',
};

interface Transition {
  readonly before: Intent;
  readonly next: Intent;
  readonly event: IntentEvent;
  /** The number of sends without a result, before the event. */
  readonly open: number;
  readonly given: SendRules;
}

/** Returns the rules of payments that a transition breaks. */
function findProblems({ before, next, event: current, open, given }: Transition): readonly string[] {
  const listIds = ({ paymentId, unprovenPaymentId, conflicts = [] }: Intent): readonly string[] => [
    ...[paymentId, unprovenPaymentId].filter((one) => one !== undefined),
    ...conflicts.map((one) => one.paymentId),
  ];
  const { type } = current;
  const paid = current.type === 'claimed' ? current.pay : undefined;
  const isFree = before.state === 'planned' || before.state === 'rejected';
  const isOther = next.key !== before.key || next.digest !== before.digest;
  const broken: Readonly<Record<string, boolean>> = {
    'skips a version': next.version !== before.version + 1,
    'changes key or digest while a payment may exist': isOther && !(paid && isFree),
    'replaces a planned body': isOther && before.state === 'planned' && before.body !== undefined,
    'keeps the key after a rejection': type === 'claimed' && before.state === 'rejected' && !isOther,
    'sends another body than that of the call': paid !== undefined && paid.digest !== next.digest,
    'sends a final intent': type === 'claimed' && !(isFree || /sending|unknown/.test(before.state)),
    'sends a rejected intent in a run': type === 'claimed' && before.state === 'rejected' && !paid,
    'sends twice without replayed keys': type === 'claimed' && open > 0 && given.keyRetention === 0,
    'sends without the body': type === 'claimed' && !paid && next.body === undefined,
    'sends without a lease': next.state === 'sending' && next.holder === undefined,
    'has a payment unless it is created': (next.state === 'created') !== (next.paymentId !== undefined),
    'has an unproven payment beside its own':
      next.state === 'created' && next.unprovenPaymentId !== undefined,
    'drops the payment of a response': before.boundBy === 'response' && next.paymentId !== before.paymentId,
    'drops a conflict': (next.conflicts ?? []).length < (before.conflicts ?? []).length,
    'forgets a payment that a response contained':
      before.state === 'unknown' &&
      listIds(before).some((one) => ![...listIds(next), next.otherPaymentId].includes(one)),
    'sends again after the response contained another payment':
      type === 'claimed' && !isFree && before.otherPaymentId !== undefined,
  };
  const names = Object.keys(broken).filter((name) => broken[name]);
  return names.map((name) => `${before.state} → ${next.state} by ${type} ${name}`);
}

/** Applies events and returns the rules that they break. */
function follow(list: readonly (readonly [number, IntentEvent])[], given: SendRules): readonly string[] {
  const problems: string[] = [];
  let intent = planned;
  let now = Date.UTC(2026, 0, 31);
  /** The claims without a result. */
  const open = new Set<string>();
  /** The claims that a person has released. */
  const released = new Set<string>();
  for (const [index, [wait, raw]] of list.entries()) {
    now += wait;
    const current = nameWorker(raw, { index, open: [...open, ...released], until: new Date(now + 100) });
    const decision = decide(intent, current, { now: new Date(now), rules: given });
    if ('refused' in decision) continue;
    const { next } = decision;
    problems.push(...findProblems({ before: intent, next, event: current, open: open.size, given }));
    if (current.type === 'claimed') open.add(current.worker);
    if (current.type === 'not_sent' || (current.type === 'rejected' && open.size === 1))
      open.delete(current.worker);
    if (current.type === 'unanswered') open.add(current.worker);
    if (current.type === 'resolved' && current.decision === 'released') {
      for (const name of open) released.add(name);
      open.clear();
    }
    const isFree = next.state === 'planned' || next.state === 'rejected';
    if (open.size > 0 && isFree)
      problems.push(`${next.state} by ${current.type} although a send has no result`);
    if (current.type === 'responded') {
      const ids = [next.paymentId, ...(next.conflicts ?? []).map(({ paymentId }) => paymentId)];
      if (!ids.includes(current.paymentId)) problems.push(`${current.paymentId} is lost`);
    }
    intent = next;
  }
  return problems;
}

interface WorkerContext {
  readonly index: number;
  readonly open: readonly string[];
  readonly until: Date;
}

/** Assigns a new name to a claim, and the name of an open claim to a result. */
function nameWorker(raw: IntentEvent, { index, open, until }: WorkerContext): IntentEvent {
  if (!('worker' in raw)) return raw;
  if (raw.type === 'claimed') {
    const pay = raw.pay && { ...raw.pay, key: `k.${index}` };
    return { ...raw, worker: `${raw.worker}.${index}`, until, pay };
  }
  return { ...raw, worker: open[Number(raw.worker.at(-1)) % Math.max(1, open.length)] ?? '' };
}

describe('the state machine of an intent', () => {
  it('never becomes planned, rejected or sendable again while a send has no result', () => {
    fc.assert(
      fc.property(steps, rules, (list, given) => {
        expect(follow(list, given)).toEqual([]);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
