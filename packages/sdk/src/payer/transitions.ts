/**
 * The state machine of an intent: one pure function from an intent and an event to the next version. It
 * decides when a request may be sent, so that the rules can be checked in one file. The effects are in
 * `send.ts`, `search.ts` and `resolve.ts`.
 *
 * - A send is unresolved until its response proves that it made a payment or made none. `sends` lists the
 *   unresolved sends and the successful one.
 * - Only a person returns an intent with an unresolved send to `planned`, and nothing to `rejected`.
 * - A second send needs a `keyRetention`, and has the key and body of the first one.
 */
import { omitUndefined } from '../options.ts';
import type { PaymentTrace } from '../errors.ts';
import type { Intent, IntentAudit } from '../stores/intent.ts';

/** The settings that decide whether a request may be sent. Times are in milliseconds. */
export interface SendRules {
  /** The time for which the service replays keys; 0 if it does not. */
  readonly keyRetention: number;
  /** The timeout of a request. */
  readonly timeout: number;
  /** The assumed difference between the clocks of two machines. */
  readonly clockSkew: number;
}

/**
 * An event of an intent. `worker` names one claim of one payer: the events of an earlier claim change nothing,
 * except `responded`.
 *
 * - `claimed`: a worker is about to send the create. `pay` has the body of `payer.pay`, and a key for it.
 * - `not_sent`: the create did not leave, or the service itself responded with 429.
 * - `rejected`, `unanswered`, `responded`: the result of the create.
 * - `lapsed`: the lease of the last claim ended without a result.
 * - `reconciled`: a search of the account found the payment.
 * - `disowned`: the payment whose id an incomplete response contained is the one of another create, or another reference has it.
 * - `displaced`: the response to the create of another reference contains the payment that a search found for this one.
 * - `id_taken`: the payment id of a result belongs to another reference.
 * - `resolved`: a person decided.
 */
export type IntentEvent = {
  readonly [Type in keyof Events]: { readonly type: Type } & Readonly<Events[Type]>;
}[keyof Events];

interface Events {
  claimed: {
    worker: string;
    until: Date;
    pay?: Pick<Intent, 'digest' | 'lookalikes' | 'key'> | undefined;
    returnedFields?: PaymentTrace['returnedFields'];
  };
  not_sent: { worker: string };
  rejected: { worker: string; reason: string };
  unanswered: {
    worker: string;
    reason: string;
    paymentId?: string | undefined;
    otherPaymentId?: string | undefined;
  };
  /** `isExact`: the payment shows the sent amount. */
  responded: { worker: string; paymentId: string; isExact?: boolean };
  lapsed: object;
  reconciled: { paymentId: string };
  disowned: { paymentId: string; reason: string };
  displaced: { paymentId: string };
  id_taken: { worker: string; paymentId: string; holder: string };
  resolved: Omit<IntentAudit, 'at'> & { paymentId: string | undefined };
}

/**
 * The reason for which an event changes nothing.
 *
 * - `leased`: another worker may still send the create.
 * - `not_resendable`: a payment may exist, and the rules do not permit a second send.
 * - `final`: the intent has its result.
 * - `other_body`: the intent has another body than the call of `payer.pay`.
 * - `stale`: the event belongs to an earlier claim, version or payment id.
 * - `id_taken`: another reference has the payment id. Only a write shows this.
 */
export type Refusal = 'leased' | 'not_resendable' | 'final' | 'other_body' | 'stale' | 'id_taken';

/** The next version of an intent, or the reason for which there is none. */
export type Decision = { readonly next: Intent } | { readonly refused: Refusal };

/** Decides the next version of an intent. `now` is the time of the store. */
export function decide(
  intent: Intent,
  event: IntentEvent,
  { now, rules }: { readonly now: Date; readonly rules: SendRules },
): Decision {
  const handle = handlers[event.type] as (given: IntentEvent, context: DecideContext) => Decision;
  return handle(event, createContext(intent, now, rules));
}

type DecideContext = ReturnType<typeof createContext>;

function createContext(intent: Intent, now: Date, rules: SendRules) {
  return {
    intent,
    now,
    rules,
    advance: (changes: Partial<Intent>): Decision => {
      const version = intent.version + 1;
      return {
        next: omitUndefined<Intent>({ ...intent, changedAt: now.toISOString(), ...changes, version }),
      };
    },
    /** Returns the conflicts with one more, or the same array if there is no such payment, or it is in the array. */
    addConflict: (paymentId: string | undefined, problem: string): Intent['conflicts'] => {
      const { conflicts = [] } = intent;
      if (paymentId === undefined || conflicts.some((one) => one.paymentId === paymentId))
        return intent.conflicts;
      return [...conflicts, { paymentId, problem, at: now.toISOString() }];
    },
    /** Whether a payment may exist that the intent does not have. */
    isUnresolved: intent.state === 'sending' || intent.state === 'unknown',
    /** Whether a worker may still send the create. */
    isLeased: intent.state === 'sending' && !hasLapsed(intent, now, rules.clockSkew),
  };
}

type Handlers = {
  readonly [Type in keyof Events]: (event: Events[Type], context: DecideContext) => Decision;
};

const handlers: Handlers = {
  claimed: ({ worker, until, pay, returnedFields }, context) => {
    const { intent, now, isUnresolved, advance } = context;
    const refused = refuseSend(pay?.digest, context);
    if (refused !== undefined) return { refused };
    // Its worker was suspended. It sends nothing, and its lease would hide that of the last request.
    if (until <= now) return { refused: 'stale' };
    const holder = { worker, until: until.toISOString() };
    const known = { ...intent.returnedFields, ...returnedFields };
    const claim = { state: 'sending', holder, reason: undefined, returnedFields: known } as const;
    if (isUnresolved) return advance({ ...claim, sends: [...intent.sends, now.toISOString()] });
    const fresh = { ...claim, sends: [now.toISOString()] };
    const isSame = pay === undefined || pay.digest === intent.digest;
    // A service that replays rejections would repeat the last one for the same key.
    if (isSame && intent.state === 'planned') return advance(fresh);
    return advance({ ...fresh, ...pay, body: isSame ? intent.body : undefined });
  },
  not_sent: ({ worker }, { intent, advance }) => {
    if (!isCurrent(intent, worker)) return { refused: 'stale' };
    const sends = intent.sends.slice(0, -1);
    if (sends.length === 0) return advance({ state: 'planned', sends, holder: undefined });
    return advance({ state: 'unknown', sends, reason: 'An earlier request has no result.' });
  },
  rejected: ({ worker, reason }, { intent, advance }) => {
    if (!isCurrent(intent, worker)) return { refused: 'stale' };
    if (intent.sends.length === 1) return advance({ state: 'rejected', reason, holder: undefined });
    return advance({ state: 'unknown', reason: `${reason}, but an earlier request has no result.` });
  },
  unanswered: ({ worker, reason, paymentId, otherPaymentId }, { intent, addConflict, advance }) => {
    // Its reference was released while the request was running.
    const isReleased = intent.state === 'planned' && intent.holder?.worker === worker;
    if (!isReleased && !isCurrent(intent, worker)) return { refused: 'stale' };
    const known = intent.unprovenPaymentId ?? paymentId;
    const other = paymentId === known ? undefined : paymentId;
    const conflicts = addConflict(other, `An earlier response contained ${known}.`);
    const ids = { unprovenPaymentId: known, otherPaymentId: otherPaymentId ?? intent.otherPaymentId };
    return advance({ state: 'unknown', reason, ...ids, conflicts });
  },
  responded: ({ paymentId }, context) => acceptResponse(paymentId, context),
  lapsed: (_, { intent, isLeased, advance }) => {
    if (intent.state !== 'sending') return { refused: 'stale' };
    if (isLeased) return { refused: 'leased' };
    return advance({ state: 'unknown', reason: 'The worker ended without a result.' });
  },
  reconciled: ({ paymentId }, { intent, isUnresolved, isLeased, advance }) => {
    if (!isUnresolved) return { refused: 'final' };
    if (isLeased) return { refused: 'leased' };
    if ((intent.unprovenPaymentId ?? paymentId) !== paymentId) return { refused: 'stale' };
    return advance({ ...created(paymentId), boundBy: 'reconciled' });
  },
  disowned: ({ paymentId, reason }, { intent, isUnresolved, advance }) => {
    if (!isUnresolved || intent.unprovenPaymentId !== paymentId) return { refused: 'stale' };
    return advance({ unprovenPaymentId: undefined, otherPaymentId: paymentId, reason });
  },
  displaced: ({ paymentId }, { intent, advance }) => {
    if (intent.boundBy !== 'reconciled' || intent.paymentId !== paymentId) return { refused: 'stale' };
    const reason = `${paymentId} is the payment of another reference.`;
    return advance({ state: 'unknown', reason, paymentId: undefined, boundBy: undefined });
  },
  id_taken: ({ worker, paymentId, holder }, { intent, isUnresolved, isLeased, addConflict, advance }) => {
    const problem = `The response contained this id, but the reference ${holder} has it.`;
    const conflicts = addConflict(paymentId, problem);
    const reason = `${paymentId} is held by another reference.`;
    // Another worker may be sending this intent again.
    const isOver = isUnresolved && (isCurrent(intent, worker) || !isLeased);
    if (isOver) return advance({ state: 'unknown', reason, conflicts, otherPaymentId: paymentId });
    return conflicts === intent.conflicts ? { refused: 'stale' } : advance({ conflicts });
  },
  resolved: resolveByPerson,
};

/** Returns whether a result belongs to the last claim of an intent. */
function isCurrent({ state, holder }: Intent, worker: string): boolean {
  return state === 'sending' && holder?.worker === worker;
}

function created(paymentId: string): Partial<Intent> {
  return { state: 'created', paymentId, unprovenPaymentId: undefined, reason: undefined, holder: undefined };
}

/**
 * Returns the reason for which the create of an intent must not be sent, or undefined if it may be sent.
 *
 * @param paid The digest of the body of `payer.pay`; undefined in a run, which sends stored bodies.
 */
function refuseSend(
  paid: string | undefined,
  { intent, now, rules, isUnresolved, isLeased }: DecideContext,
): Refusal | undefined {
  const { state, digest, body, conflicts, otherPaymentId } = intent;
  const isOther = paid !== undefined && paid !== digest;
  if (state === 'rejected' && paid !== undefined) return undefined;
  // A body that was not sent can be replaced, unless it was planned.
  if (isOther && (state !== 'planned' || body !== undefined)) return 'other_body';
  if (state !== 'planned' && !isUnresolved) return 'final';
  if (isLeased) return 'leased';
  if (paid === undefined && body === undefined) return 'not_resendable';
  if (state === 'planned') return undefined;
  // A payment was found that does not fit: a person has to check it first. A service that returned the payment of
  // another create can also replay a wrong one.
  if (conflicts !== undefined || otherPaymentId !== undefined) return 'not_resendable';
  // A clock that was set back since the first request hides its age.
  const earliest = Date.parse(intent.sends[0] ?? '') - rules.clockSkew;
  const isKept = now.getTime() >= earliest && now.getTime() < findResendLimit(intent, rules);
  return isKept ? undefined : 'not_resendable';
}

/**
 * Returns the time in milliseconds until which an intent with an unresolved send may be sent again, by the
 * clock of the store. After that, the service may have forgotten the key when the request arrives.
 */
export function findResendLimit(
  { sends: [first] }: Intent,
  { keyRetention, timeout, clockSkew }: SendRules,
): number {
  if (keyRetention === 0 || first === undefined) return -Infinity;
  return Date.parse(first) + keyRetention - timeout - clockSkew;
}

/** Returns whether no worker may send the last claim of an intent any more, for clocks with this difference. */
function hasLapsed({ holder }: Intent, now: Date, clockSkew: number): boolean {
  return holder === undefined || now.getTime() >= Date.parse(holder.until) + clockSkew;
}

/** Binds the payment of our own response, the strongest proof: it replaces every other binding. */
function acceptResponse(paymentId: string, context: DecideContext): Decision {
  const { intent, isUnresolved, addConflict, advance } = context;
  const { state, paymentId: known, unprovenPaymentId: unproven, boundBy, sends } = intent;
  const bound = { ...created(paymentId), boundBy: 'response' } as const;
  const bindBeside = (id: string, problem: string): Decision =>
    advance({ ...bound, conflicts: addConflict(id, problem) });
  if (!isUnresolved && state !== 'created')
    return bindBeside(paymentId, `The payment was created although the reference was ${state}.`);
  if (isUnresolved && unproven !== undefined && unproven !== paymentId)
    return bindBeside(unproven, 'An earlier response contained this id.');
  if (isUnresolved || known === undefined) return advance(bound);
  if (known === paymentId) return boundBy === 'response' ? { refused: 'final' } : advance(bound);
  if (boundBy === 'response') {
    const conflicts = addConflict(paymentId, `The reference already has ${known}: it may be paid twice.`);
    return conflicts === intent.conflicts ? { refused: 'final' } : advance({ conflicts });
  }
  // After one send, the payment that reconciling found cannot be a second payment of this reference.
  if (boundBy === 'reconciled' && sends.length === 1) return advance(bound);
  const problem = `It was recorded for the reference, but the response to the create contained ${paymentId}.`;
  return bindBeside(known, problem);
}

function resolveByPerson(
  { version, by, because, decision, paymentId }: Events['resolved'],
  { intent, now, rules, isUnresolved, isLeased, addConflict, advance }: DecideContext,
): Decision {
  const { state, unprovenPaymentId: known } = intent;
  if (intent.version !== version) return { refused: 'stale' };
  if (state === 'created' || state === 'abandoned') return { refused: 'final' };
  const isPaid = paymentId !== undefined;
  if (!isUnresolved && decision !== 'never_made') return { refused: 'final' };
  // A request that was sent at the end of the lease can arrive until its timeout.
  const isLate = hasLapsed(intent, now, rules.timeout + rules.clockSkew);
  if (isPaid ? isLeased : isUnresolved && !isLate) return { refused: 'leased' };
  const problem = 'A response contained this id, but a person decided otherwise.';
  const conflicts = addConflict(known === paymentId ? undefined : known, problem);
  const audit = { by, because, at: now.toISOString(), version, decision };
  if (isPaid) return advance({ ...created(paymentId), boundBy: 'person', audit, conflicts });
  const open = { unprovenPaymentId: undefined, reason: because, audit, conflicts };
  // The holder stays, so that a late result of its request is recognized.
  if (decision === 'released') return advance({ ...open, state: 'planned' });
  return advance({ ...open, state: 'abandoned', holder: undefined });
}
