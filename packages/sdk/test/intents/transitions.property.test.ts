import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import type { Intent } from '../../src/index.ts';
import { decide, type IntentEvent, type SendRules } from '../../src/intents/transitions.ts';

const id = fc.constantFrom('pay_test_1', 'pay_test_2');
const worker = fc.constantFrom('w1', 'w2', 'w3');
const event: fc.Arbitrary<IntentEvent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('claimed'), worker, until: fc.constant(new Date(0)) }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('not_sent'), worker }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('rejected'), worker, reason: fc.constant('r') }) },
  fc.record({
    type: fc.constant('unanswered'),
    worker,
    reason: fc.constant('r'),
    paymentId: fc.option(id, { nil: undefined }),
  }),
  fc.record({ type: fc.constant('responded'), worker, paymentId: id }),
  fc.record({ type: fc.constant('lapsed') }),
  fc.record({ type: fc.constant('reconciled'), paymentId: id }),
  fc.record({ type: fc.constant('displaced'), paymentId: id }),
  fc.record({ type: fc.constant('id_taken'), worker, paymentId: id, holder: fc.constant('b') }),
  fc.record({
    type: fc.constant('resolved'),
    version: fc.nat({ max: 12 }),
    by: fc.constant('Ada'),
    because: fc.constant('b'),
    paymentId: fc.option(id, { nil: undefined }),
  }),
  fc.record({ type: fc.constant('body_expired') }),
);
const rules: fc.Arbitrary<SendRules> = fc.record({
  serviceIdempotency: fc.constantFrom('replayed', 'replayed', 'conflict', 'ignored'),
  keyRetention: fc.constantFrom(0, 500, 5_000),
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

/** Fails if a transition breaks a rule of payments. `open` counts the sends without a result. */
function checkTransition(
  before: Intent,
  next: Intent,
  { type }: IntentEvent,
  given: SendRules,
  open: number,
): void {
  const context = `${before.state} → ${next.state} by ${type}`;
  expect(next.version, context).toBe(before.version + 1);
  expect([next.reference, next.key, next.digest], context).toEqual(['a', 'k', 'd']);
  if (next.state === 'sending' && next.holder?.worker !== undefined && type === 'claimed') {
    const isSecond = open > 0;
    if (isSecond) expect(given.serviceIdempotency, context).toBe('replayed');
    expect(['planned', 'sending', 'unknown'], context).toContain(before.state);
    expect(next.body, context).toBe('b');
  }
  if (next.state === 'sending') expect(next.holder, context).toBeDefined();
  if (next.state === 'created') expect(next.paymentId, context).toBeDefined();
  // A payment that was seen in a response is never dropped.
  if (type === 'responded' && before.boundBy === 'response')
    expect(next.paymentId, context).toBe(before.paymentId);
  expect((next.conflicts ?? []).length, context).toBeGreaterThanOrEqual((before.conflicts ?? []).length);
}

describe('the state machine of an intent', () => {
  it('never becomes planned, rejected or sendable again while a send has no result', () => {
    fc.assert(
      fc.property(steps, rules, (list, given) => {
        let intent = planned;
        let now = Date.UTC(2026, 0, 31);
        /** The claims whose result is not known. */
        const open = new Set<string>();
        for (const [index, [wait, raw]] of list.entries()) {
          now += wait;
          const claimed =
            raw.type === 'claimed'
              ? { ...raw, worker: `${raw.worker}.${index}`, until: new Date(now + 100) }
              : raw;
          // The results belong to the last claim or to an earlier one.
          const names = [...open];
          const current =
            'worker' in claimed && claimed.type !== 'claimed' && names.length > 0
              ? { ...claimed, worker: names[Number(claimed.worker.at(-1)) % names.length] ?? '' }
              : claimed;
          const decision = decide(intent, current, { now: new Date(now), rules: given });
          if ('refused' in decision) continue;
          checkTransition(intent, decision.next, current, given, open.size);
          if (current.type === 'claimed') open.add(current.worker);
          if (current.type === 'not_sent' || (current.type === 'rejected' && open.size === 1))
            open.delete(current.worker);
          if (open.size > 0 && current.type !== 'responded')
            expect(['planned', 'rejected']).not.toContain(decision.next.state);
          if (current.type === 'responded') {
            const { paymentId, conflicts = [] } = decision.next;
            expect([paymentId, ...conflicts.map((one) => one.paymentId)]).toContain(current.paymentId);
          }
          intent = decision.next;
        }
      }),
      { numRuns: runs(1_000) },
    );
  });
});
