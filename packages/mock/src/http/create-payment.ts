import { isRecord } from '@service/internal';
import { behaviors, decideCreate } from '../domain/decision.ts';
import { hash } from '../domain/ids.ts';
import { toJson } from '../domain/json.ts';
import { type Payment, paymentData } from '../domain/payment.ts';
import type { Profile } from '../domain/profile.ts';
import type { AccountState } from '../state/account-state.ts';
import { createRecord, type IdempotencyRecord } from '../state/idempotency.ts';
import type { Clock } from '../state/clock.ts';
import { beginCreate, commit } from '../state/state.ts';
import { HttpError } from './errors.ts';
import type { OperationContext, OperationResult } from './operation.ts';
import type { MockRequest } from './request.ts';
import { constantHeaders, okResponse } from './response.ts';
import { validatePayment } from './validate.ts';

/** Creates a payment, or replays the response of an earlier request with the same idempotency key. */
export function createPayment(operation: OperationContext): OperationResult {
  const { state, caller, context, request, body, sent } = operation;
  const { accountState } = caller;
  const { profile, running } = accountState;

  // Parse
  const key = readIdempotencyKey(request, profile);
  const fingerprint = key === undefined ? '' : hashBody(body.value);
  const earlier = key === undefined ? undefined : findEarlier(accountState, key, fingerprint, state.clock);
  if (earlier !== undefined) return replayPayment(earlier, operation);

  // Check
  const order = validatePayment(body, profile);

  // Decide
  const before = beginCreate(state, accountState, order.from_currency);
  const change = decideCreate(order, before);
  if ('error' in change) {
    const isOutage = change.error.refusal === 'unavailable';
    throw new HttpError(change.error, isOutage ? { headers: { 'Retry-After': '1' } } : {});
  }
  const { payment } = change;
  const { requestFault: fault, isEventFirst } = behaviors[payment.outcome];
  const data = paymentData(payment, profile);
  const response = okResponse(context, 'createPayment', data, profile.successStatus.createPayment);

  // Commit
  const record =
    key === undefined ? undefined : createRecord({ key, fingerprint, payment_id: payment.id }, before.now);
  const when = isEventFirst ? { record, ahead: true } : { record, after: sent };
  const dispatched = commit(state, accountState, change, when);
  if (!isEventFirst || dispatched === undefined)
    return { response, payment, isCreated: true, fault, until: undefined };

  // Respond after the event
  if (key !== undefined) running.add(key);
  const until = dispatched.finally(() => running.delete(key ?? ''));
  return { response, payment, isCreated: true, fault, until };
}

/**
 * Returns the `Idempotency-Key` of a request, or undefined (docs/contract.md#idempotency-keys).
 *
 * @throws {HttpError} for a malformed key
 */
function readIdempotencyKey(request: MockRequest, { idempotency }: Profile): string | undefined {
  if (idempotency === 'ignored') return undefined;
  const key = request.header('idempotency-key');
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const message = 'The Idempotency-Key must be 1 to 255 visible ASCII characters.';
  throw new HttpError({ type: 'invalid_request_error', message, refusal: 'malformed_key' });
}

/** Hashes a parsed body to 64 bits, as text. The order of its fields has no effect. */
function hashBody(value: unknown): string {
  const [a, b] = hash(JSON.stringify(sortFields(value)));
  return `${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}`;
}

function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sortFields(value[name])]));
}

/**
 * Returns the record of a key, or undefined for a new key.
 *
 * @throws {HttpError} while the first request is running, for a different body, and if the profile does not replay
 */
function findEarlier(
  { idempotency, running, profile }: AccountState,
  key: string,
  fingerprint: string,
  clock: Clock,
): IdempotencyRecord | undefined {
  const record = idempotency.get(key);
  if (record === undefined || record.expires_at <= clock.now()) return undefined;
  if (record.fingerprint !== fingerprint && profile.idempotency !== 'replayedAny')
    throw idempotencyError('This Idempotency-Key was used with another request body.', 422);
  if (running.has(key)) throw idempotencyError('A request with this Idempotency-Key is still running.', 409);
  if (profile.idempotency === 'conflict')
    throw idempotencyError('A payment was made with this Idempotency-Key.', 409);
  return record;
}

function idempotencyError(message: string, status: number): HttpError {
  const refusal = status === 422 ? 'key_of_other_body' : 'key_reused';
  return new HttpError({ type: 'idempotency_error', message, refusal }, { status });
}

/** Returns the first response again: the payment as it was at its create, in the forms of its terms. */
function replayPayment(
  { payment_id }: IdempotencyRecord,
  { caller, context }: OperationContext,
): OperationResult {
  const payment = caller.accountState.payments.get(payment_id) as Payment;
  const { terms, history } = payment;
  const { createPayment: created, replayPayment: replayed } = context.profile.successStatus;
  const status = replayed === 'created' ? created : replayed;
  const atCreate = { ...payment, status: 'pending', history: { pending: history.pending } } as const;
  const data = paymentData(atCreate, terms);
  const body = toJson({ success: true, mode: context.mode, data }, terms.numbers);
  const headers = {
    'Idempotent-Replayed': 'true',
    ...constantHeaders(context.profile, 'createPayment'),
    ...constantHeaders(context.profile, 'replayPayment'),
  };
  return { response: { status, headers, body }, payment };
}
