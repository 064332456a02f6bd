import { describe, expect, it } from 'vitest';
import type { Intent } from '../../src/entries/payer.ts';
import { decide, type IntentEvent, type SendRules } from '../../src/payer/transitions.ts';

const SECOND = 1_000;
const start = Date.UTC(2026, 0, 31, 12);
const at = (seconds: number): Date => new Date(start + seconds * SECOND);

const replayed: SendRules = {
  keyRetention: 3_600 * SECOND,
  timeout: 30 * SECOND,
  clockSkew: 60 * SECOND,
};

const planned: Intent = {
  reference: 'a',
  version: 1,
  state: 'planned',
  digest: 'd',
  key: 'k',
  sends: [],
  body: 'b',
};

const claim = (worker = 'w1', seconds = 0): IntentEvent => ({
  type: 'claimed',
  worker,
  until: at(seconds + 60),
});

/** Applies events one after the other: each with its time in seconds. */
function followFrom(
  { first = planned, rules = replayed }: { readonly first?: Intent; readonly rules?: SendRules },
  ...events: readonly (readonly [number, IntentEvent])[]
): Intent {
  return events.reduce((intent, [seconds, event]) => {
    const decision = decide(intent, event, { now: at(seconds), rules });
    if ('refused' in decision) throw new Error(`${event.type} at ${seconds} s: ${decision.refused}`);
    return decision.next;
  }, first);
}

const follow = (...events: readonly (readonly [number, IntentEvent])[]): Intent => followFrom({}, ...events);

const refusalOf = (intent: Intent, event: IntentEvent, seconds = 0, rules = replayed): string | undefined => {
  const decision = decide(intent, event, { now: at(seconds), rules });
  return 'refused' in decision ? decision.refused : undefined;
};

const unanswered = (worker = 'w1', paymentId?: string): IntentEvent => ({
  type: 'unanswered',
  worker,
  reason: 'TimeoutError',
  paymentId,
});
const notSent = (worker = 'w1'): IntentEvent => ({ type: 'not_sent', worker });
const rejected = (worker = 'w1'): IntentEvent => ({
  type: 'rejected',
  worker,
  reason: 'InsufficientFundsError',
});
const responded = (paymentId: string, worker = 'w1'): IntentEvent => ({
  type: 'responded',
  worker,
  paymentId,
});
const reconciled = (paymentId: string): IntentEvent => ({ type: 'reconciled', paymentId });
const byPerson = (version: number, paymentId?: string): IntentEvent => ({
  type: 'resolved',
  version,
  by: 'Ada',
  because: 'the service confirmed it',
  decision: paymentId === undefined ? 'never_made' : 'payment',
  paymentId,
});

const sending = follow([0, claim()]);
const unknown = follow([0, claim()], [10, unanswered()]);

describe('an intent', () => {
  it('is held by one worker until its lease and the clock skew have ended', () => {
    expect(refusalOf(sending, claim('w2', 119), 119)).toBe('leased');
    expect(refusalOf(sending, claim('w2', 120), 120)).toBeUndefined();
    expect(refusalOf(sending, { type: 'lapsed' }, 119)).toBe('leased');
    expect(refusalOf(sending, reconciled('pay_test_1'), 119)).toBe('leased');
  });

  it('stays unknown if a second create was not sent, or rejected', () => {
    for (const result of [notSent('w2'), rejected('w2')]) {
      const intent = follow([0, claim()], [10, unanswered()], [20, claim('w2', 20)], [21, result]);
      expect(intent.state).toBe('unknown');
      expect(intent.sends[0]).toBe(at(0).toISOString());
    }
  });

  it('is not resent while the clock shows a time before the first create: it hides the age of the key', () => {
    expect(refusalOf(unknown, claim('w2', -60), -60)).toBeUndefined();
    expect(refusalOf(unknown, claim('w2', -61), -61)).toBe('not_resendable');
  });

  it('is resent only while the service surely keeps the key of the first create', () => {
    // 3600 s of retention, less 30 s of timeout and 60 s of clock skew.
    expect(refusalOf(unknown, claim('w2', 3_509), 3_509)).toBeUndefined();
    expect(refusalOf(unknown, claim('w2', 3_510), 3_510)).toBe('not_resendable');
    const resent = follow(
      [0, claim()],
      [10, unanswered()],
      [3_000, claim('w2', 3_000)],
      [3_010, unanswered('w2')],
    );
    expect(refusalOf(resent, claim('w3', 3_510), 3_510)).toBe('not_resendable');
  });

  it('is not claimed by a worker whose lease has ended meanwhile', () => {
    // Otherwise a person could abandon the reference while the request of the last worker can still arrive.
    expect(refusalOf(planned, claim('w1'), 59)).toBeUndefined();
    for (const intent of [planned, unknown]) expect(refusalOf(intent, claim('w2'), 60)).toBe('stale');
  });

  it('ignores the result of an earlier claim, except a payment', () => {
    const taken = follow([0, claim()], [200, claim('w2', 200)]);
    for (const event of [notSent(), rejected(), unanswered()])
      expect(refusalOf(taken, event, 201)).toBe('stale');
    expect(followFrom({ first: taken }, [201, responded('pay_test_1')])).toMatchObject({
      state: 'created',
      paymentId: 'pay_test_1',
      boundBy: 'response',
    });
  });
});

describe('the payment of an intent', () => {
  it('is only the one in an unreadable response until its payment was compared', () => {
    const intent = follow([0, claim()], [10, unanswered('w1', 'pay_test_1')]);
    expect(intent).toMatchObject({ state: 'unknown', unprovenPaymentId: 'pay_test_1' });
    expect(refusalOf(intent, reconciled('pay_test_2'), 200)).toBe('stale');
    expect(refusalOf(intent, reconciled('pay_test_1'), 200)).toBeUndefined();
    expect(refusalOf(planned, reconciled('pay_test_1'))).toBe('final');
  });

  it('is unproven until it proves to be the one of another create, and no other id is', () => {
    const intent = follow([0, claim()], [10, unanswered('w1', 'pay_test_1')]);
    const disowned = (paymentId: string): IntentEvent => ({ type: 'disowned', paymentId, reason: 'r' });
    expect(refusalOf(intent, disowned('pay_test_2'))).toBe('stale');
    const next = followFrom({ first: intent }, [11, disowned('pay_test_1')]);
    expect(next).toMatchObject({ state: 'unknown', otherPaymentId: 'pay_test_1', reason: 'r' });
    expect(next.unprovenPaymentId).toBeUndefined();
    expect(refusalOf(next, disowned('pay_test_1'))).toBe('stale');
  });

  it('is replaced by the one in the response to its own create', () => {
    const found = follow([0, claim()], [200, reconciled('pay_test_1')]);
    const intent = followFrom({ first: found }, [201, responded('pay_test_2')]);
    expect(intent).toMatchObject({ paymentId: 'pay_test_2', boundBy: 'response' });
    expect(intent.conflicts).toBeUndefined();
  });

  it('is a conflict if two creates made one each', () => {
    const twice = follow(
      [0, claim()],
      [200, claim('w2', 200)],
      [201, responded('pay_test_2', 'w2')],
      [202, responded('pay_test_1')],
    );
    expect(twice).toMatchObject({
      state: 'created',
      paymentId: 'pay_test_2',
      conflicts: [{ paymentId: 'pay_test_1' }],
    });
    expect(refusalOf(twice, responded('pay_test_1'), 203)).toBe('final');
  });

  it('is a conflict once if a result of an earlier claim has the one of another reference', () => {
    const event: IntentEvent = { type: 'id_taken', worker: 'w1', paymentId: 'pay_test_1', holder: 'b' };
    const taken = follow([0, claim()], [200, claim('w2', 200)], [201, event]);
    expect(taken).toMatchObject({ state: 'sending', conflicts: [{ paymentId: 'pay_test_1' }] });
    expect(refusalOf(taken, event, 202)).toBe('stale');
  });

  it('is a conflict if the reference was abandoned', () => {
    const abandoned = follow([0, claim()], [500, byPerson(2)]);
    expect(followFrom({ first: abandoned }, [501, responded('pay_test_1')])).toMatchObject({
      state: 'created',
      paymentId: 'pay_test_1',
      conflicts: [{ paymentId: 'pay_test_1' }],
      audit: { decision: 'never_made' },
    });
  });
});

describe('the decision of a person', () => {
  it('is refused as never made until lease, timeout and clock skew have passed', () => {
    // The lease ends after 60 s.
    for (const intent of [sending, unknown]) {
      const event = byPerson(intent.version);
      expect(refusalOf(intent, event, 149)).toBe('leased');
      expect(followFrom({ first: intent }, [150, event])).toMatchObject({
        state: 'abandoned',
        audit: {
          by: 'Ada',
          because: 'the service confirmed it',
          at: at(150).toISOString(),
          version: intent.version,
        },
      });
    }
  });

  it('never changes a decided reference, with or without a payment', () => {
    for (const decided of [follow([0, claim()], [1, responded('pay_test_1')]), follow([0, byPerson(1)])]) {
      expect(refusalOf(decided, byPerson(decided.version), 500)).toBe('final');
      expect(refusalOf(decided, byPerson(decided.version, 'pay_test_2'), 500)).toBe('final');
    }
  });

  it('names the version that was checked', () => {
    expect(refusalOf(unknown, byPerson(2), 500)).toBe('stale');
    expect(refusalOf(unknown, byPerson(3, 'pay_test_1'), 11)).toBeUndefined();
    expect(refusalOf(sending, byPerson(2, 'pay_test_1'), 11)).toBe('leased');
  });

  it('can cancel a planned intent at once', () => {
    expect(follow([0, byPerson(1)]).state).toBe('abandoned');
    expect(refusalOf(planned, byPerson(1, 'pay_test_1'))).toBe('final');
  });

  it('keeps a payment id of an unreadable response as a conflict', () => {
    const intent = follow([0, claim()], [10, unanswered('w1', 'pay_test_1')], [500, byPerson(3)]);
    expect(intent).toMatchObject({ state: 'abandoned', conflicts: [{ paymentId: 'pay_test_1' }] });
  });
});
