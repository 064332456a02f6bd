/**
 * The state machine of an intent: one pure function from an intent and an event to the next version. It
 * decides when a request may be sent, so that the rules can be checked in one file. The effects are in
 * `send-intent.ts`, `reconcile-pass.ts` and `resolve-intent.ts`.
 *
 * - A send is unresolved until its response proves that it made a payment or made none. `sends` lists the
 *   unresolved sends and the successful one.
 * - An intent with an unresolved send never becomes `planned` or `rejected`.
 * - A second send needs `serviceIdempotency: 'replayed'`, and has the key and body of the first one.
 */
import type { Intent, IntentAudit, IntentConflict } from './intent.ts';

/** The settings that decide whether a request may be sent. Times are in milliseconds. */
export interface SendRules {
  readonly serviceIdempotency: 'unknown' | 'replayed' | 'conflict' | 'ignored';
  /** The time for which the service keeps keys. */
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
 * - `claimed`: a worker is about to send the create.
 * - `not_sent`: the create did not leave, or the service itself responded with 429.
 * - `rejected`, `unanswered`, `responded`: the result of the create.
 * - `lapsed`: the lease of the last claim ended without a result.
 * - `reconciled`: a search of the account found the payment.
 * - `displaced`: the response to the create of another reference contains the payment of this one.
 * - `id_taken`: the payment id of a result belongs to another reference.
 * - `resolved`: a person decided.
 * - `body_expired`: the body is no longer needed.
 */
export type IntentEvent =
  | { readonly type: 'claimed'; readonly worker: string; readonly until: Date }
  | { readonly type: 'not_sent'; readonly worker: string }
  | { readonly type: 'rejected'; readonly worker: string; readonly reason: string }
  | {
      readonly type: 'unanswered';
      readonly worker: string;
      readonly reason: string;
      readonly paymentId?: string | undefined;
    }
  | { readonly type: 'responded'; readonly worker: string; readonly paymentId: string }
  | { readonly type: 'lapsed' }
  | { readonly type: 'reconciled'; readonly paymentId: string }
  | { readonly type: 'displaced'; readonly paymentId: string }
  | {
      readonly type: 'id_taken';
      readonly worker: string;
      readonly paymentId: string;
      readonly holder: string;
    }
  | {
      readonly type: 'resolved';
      readonly version: number;
      readonly by: string;
      readonly because: string;
      readonly paymentId: string | undefined;
    }
  | { readonly type: 'body_expired' };

/**
 * The reason for which an event changes nothing.
 *
 * - `leased`: another worker may still send the create.
 * - `not_resendable`: a payment may exist, and the rules do not permit a second send.
 * - `final`: the intent has its result.
 * - `stale`: the event belongs to an earlier claim, version or payment id.
 * - `id_taken`: another reference has the payment id. Only a write shows this.
 */
export type Refusal = 'leased' | 'not_resendable' | 'final' | 'stale' | 'id_taken';

/** The next version of an intent, or the reason for which there is none. */
export type Decision = { readonly next: Intent } | { readonly refused: Refusal };

/** Decides the next version of an intent. `now` is the time of the store. */
export function decide(
  intent: Intent,
  event: IntentEvent,
  { now, rules }: { readonly now: Date; readonly rules: SendRules },
): Decision {
  const advance = (changes: Partial<Intent>): Decision => ({
    next: omitUndefined({
      ...intent,
      ...changes,
      version: intent.version + 1,
      changedAt: now.toISOString(),
    }),
  });
  const refuse = (refused: Refusal): Decision => ({ refused });
  const isCurrent = (worker: string): boolean =>
    intent.state === 'sending' && intent.holder?.worker === worker;
  const isUnresolved = intent.state === 'unknown' || intent.state === 'sending';
  const isLeased = intent.state === 'sending' && !hasLapsed(intent, now, rules.clockSkew);

  switch (event.type) {
    case 'claimed': {
      const refused = refuseSend(intent, now, rules);
      if (refused !== undefined) return refuse(refused);
      const holder = { worker: event.worker, until: event.until.toISOString() };
      return advance({
        state: 'sending',
        holder,
        sends: [...intent.sends, now.toISOString()],
        reason: undefined,
      });
    }
    case 'not_sent': {
      if (!isCurrent(event.worker)) return refuse('stale');
      const sends = intent.sends.slice(0, -1);
      return sends.length === 0
        ? advance({ state: 'planned', sends, holder: undefined })
        : advance({ state: 'unknown', sends, reason: 'An earlier request has no result.' });
    }
    case 'rejected': {
      if (!isCurrent(event.worker)) return refuse('stale');
      const { reason } = event;
      return intent.sends.length === 1
        ? advance({ state: 'rejected', reason, holder: undefined })
        : advance({ state: 'unknown', reason: `${reason}, but an earlier request has no result.` });
    }
    case 'unanswered': {
      if (!isCurrent(event.worker)) return refuse('stale');
      const { reason, paymentId = intent.paymentId } = event;
      if (paymentId === undefined || (intent.paymentId ?? paymentId) === paymentId)
        return advance({ state: 'unknown', reason, paymentId });
      const problem = `An earlier response contained ${intent.paymentId}.`;
      const conflicts = addConflict(intent, { paymentId, at: now.toISOString(), problem });
      return advance({ state: 'unknown', reason, conflicts });
    }
    case 'responded':
      return acceptResponse(intent, event.paymentId, { now, advance });
    case 'lapsed':
      if (isLeased) return refuse('leased');
      return intent.state === 'sending'
        ? advance({ state: 'unknown', reason: 'The worker ended without a result.' })
        : refuse('stale');
    case 'reconciled':
      if (!isUnresolved) return refuse('final');
      if (isLeased) return refuse('leased');
      if (intent.paymentId !== undefined && intent.paymentId !== event.paymentId) return refuse('stale');
      return advance({ ...created(event.paymentId), boundBy: 'reconciled' });
    case 'displaced': {
      const isWeak = intent.boundBy === 'reconciled' && intent.paymentId === event.paymentId;
      if (intent.state !== 'created' || !isWeak) return refuse('stale');
      const reason = `${event.paymentId} is the payment of another reference.`;
      return advance({ state: 'unknown', reason, paymentId: undefined, boundBy: undefined });
    }
    case 'id_taken': {
      const problem = `The response contained this id, but the reference ${event.holder} has it.`;
      const conflicts = addConflict(intent, { paymentId: event.paymentId, at: now.toISOString(), problem });
      const reason = `${event.paymentId} is held by another reference.`;
      // Another worker may be sending this intent again.
      if (isUnresolved && (isCurrent(event.worker) || !isLeased))
        return advance({ state: 'unknown', reason, conflicts });
      return conflicts === intent.conflicts ? refuse('stale') : advance({ conflicts });
    }
    case 'resolved':
      return resolveByPerson(intent, event, { now, rules, advance });
    case 'body_expired':
      return isUnresolved || intent.state === 'planned' || intent.body === undefined
        ? refuse('stale')
        : advance({ body: undefined, changedAt: intent.changedAt });
  }
}

interface DecideContext {
  readonly now: Date;
  readonly advance: (changes: Partial<Intent>) => Decision;
}

function created(paymentId: string): Partial<Intent> {
  return { state: 'created', paymentId, reason: undefined, holder: undefined };
}

/** Returns the reason for which the create of an intent must not be sent, or undefined if it may be sent. */
function refuseSend(intent: Intent, now: Date, rules: SendRules): Refusal | undefined {
  if (intent.state === 'planned') return intent.sends.length === 0 ? undefined : 'not_resendable';
  if (intent.state !== 'sending' && intent.state !== 'unknown') return 'final';
  if (intent.state === 'sending' && !hasLapsed(intent, now, rules.clockSkew)) return 'leased';
  if (intent.conflicts !== undefined) return 'not_resendable';
  return now.getTime() < findResendLimit(intent, rules) ? undefined : 'not_resendable';
}

/**
 * Returns the time in milliseconds until which an intent with an unresolved send may be sent again, by the
 * clock of the store. After that, the service may have forgotten the key when the request arrives.
 */
export function findResendLimit(
  { sends: [first] }: Intent,
  { serviceIdempotency, keyRetention, timeout, clockSkew }: SendRules,
): number {
  if (serviceIdempotency !== 'replayed' || first === undefined) return -Infinity;
  return Date.parse(first) + keyRetention - timeout - clockSkew;
}

/** Returns whether no worker may send the last claim of an intent any more, for clocks with this difference. */
function hasLapsed({ holder }: Intent, now: Date, clockSkew: number): boolean {
  return holder === undefined || now.getTime() >= Date.parse(holder.until) + clockSkew;
}

/** The response to our own create is the strongest proof: it replaces every other binding. */
function acceptResponse(intent: Intent, paymentId: string, { now, advance }: DecideContext): Decision {
  const bound = { ...created(paymentId), boundBy: 'response' } as const;
  const at = now.toISOString();
  if (intent.state === 'sending' || intent.state === 'unknown') {
    const other = intent.paymentId;
    if (other === undefined || other === paymentId) return advance(bound);
    const problem = 'An earlier response contained this id.';
    return advance({ ...bound, conflicts: addConflict(intent, { paymentId: other, at, problem }) });
  }
  if (intent.state !== 'created') {
    const problem = `The payment was created although the reference was ${intent.state}.`;
    return advance({ ...bound, conflicts: addConflict(intent, { paymentId, at, problem }) });
  }
  if (intent.paymentId === paymentId)
    return intent.boundBy === 'response' ? { refused: 'final' } : advance(bound);
  if (intent.boundBy === 'response') {
    const problem = `The reference already has ${intent.paymentId}: it may be paid twice.`;
    const conflicts = addConflict(intent, { paymentId, at, problem });
    return conflicts === intent.conflicts ? { refused: 'final' } : advance({ conflicts });
  }
  // After one send, the payment that reconciling found cannot be a second payment of this reference.
  const isExplained = intent.boundBy === 'reconciled' && intent.sends.length === 1;
  if (isExplained || intent.paymentId === undefined) return advance(bound);
  const problem = `It was recorded for the reference, but the response to the create contained ${paymentId}.`;
  return advance({ ...bound, conflicts: addConflict(intent, { paymentId: intent.paymentId, at, problem }) });
}

function resolveByPerson(
  intent: Intent,
  { version, by, because, paymentId }: Extract<IntentEvent, { type: 'resolved' }>,
  { now, rules, advance }: DecideContext & { readonly rules: SendRules },
): Decision {
  if (intent.version !== version) return { refused: 'stale' };
  if (intent.state === 'created' || intent.state === 'abandoned') return { refused: 'final' };
  const audit = (decision: IntentAudit['decision']): IntentAudit => ({
    by,
    because,
    at: now.toISOString(),
    version,
    decision,
  });
  // A request that was passed to `fetch` at the end of the lease can arrive until its timeout.
  const margin = paymentId === undefined ? rules.timeout + rules.clockSkew : rules.clockSkew;
  const isUnresolved = intent.state === 'sending' || intent.state === 'unknown';
  const mustWait = paymentId === undefined ? isUnresolved : intent.state === 'sending';
  if (mustWait && !hasLapsed(intent, now, margin)) return { refused: 'leased' };
  if (paymentId !== undefined) {
    if (!isUnresolved) return { refused: 'final' };
    return advance({ ...created(paymentId), boundBy: 'person', audit: audit('payment') });
  }
  const problem = 'A response contained this id, but the create was resolved as never made.';
  const conflict = intent.paymentId !== undefined && {
    paymentId: intent.paymentId,
    at: now.toISOString(),
    problem,
  };
  return advance({
    state: 'abandoned',
    paymentId: undefined,
    holder: undefined,
    reason: because,
    audit: audit('never_made'),
    ...(conflict && { conflicts: addConflict(intent, conflict) }),
  });
}

/** Returns the conflicts with one more, or the same array if the payment is in it. */
function addConflict(
  { conflicts = [] }: Pick<Intent, 'conflicts'>,
  conflict: IntentConflict,
): readonly IntentConflict[] {
  return conflicts.some(({ paymentId }) => paymentId === conflict.paymentId)
    ? conflicts
    : [...conflicts, conflict];
}

function omitUndefined(intent: Intent): Intent {
  return Object.fromEntries(
    Object.entries(intent).filter(([, value]) => value !== undefined),
  ) as unknown as Intent;
}
