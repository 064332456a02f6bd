import { isRecord } from '@service/internal';
import { behaviors, decideCreate } from '../domain/decision.ts';
import { hash } from '../domain/ids.ts';
import { writeSuccess } from '../domain/json.ts';
import { type Payment, paymentData } from '../domain/payment.ts';
import type { Profile } from '../domain/profile.ts';
import {
  type AccountState,
  beginCreate,
  commit,
  type IdempotencyRecord,
  KEY_LIFETIME,
} from '../state/state.ts';
import type { Clock } from '../state/clock.ts';
import { HttpError } from './errors.ts';
import type { OperationContext, OperationResult } from './operation.ts';
import type { MockRequest } from './request.ts';
import { validatePayment } from './validate.ts';

/** Creates a payment, or replays the response of an earlier request with the same idempotency key. */
export function createPayment(operation: OperationContext): OperationResult {
  const { state, caller, context, request, body, sent } = operation;
  const { accountState } = caller;
  const { profile, running } = accountState;

  // Parse
  const key = readIdempotencyKey(request, profile);
  const earlier = key === undefined ? undefined : findEarlier(accountState, key, state.clock);
  const fingerprint = key === undefined ? '' : hashBody(body.value);
  if (earlier !== undefined) return replayPayment(earlier, fingerprint, operation);

  // Check
  const order = validatePayment(body, profile);

  // Decide
  const before = beginCreate(state, accountState, order.from_currency);
  const change = decideCreate(order, before);
  if ('error' in change) throw new HttpError(change.error);
  const { payment } = change;
  const { requestFault: fault, isEventFirst } = behaviors[payment.outcome];

  // Commit
  const times = { reserved_at: before.now, expires_at: before.now + KEY_LIFETIME };
  const record = key === undefined ? undefined : { key, fingerprint, payment_id: payment.id, ...times };
  const when = isEventFirst ? { record, ahead: true } : { record, after: sent };
  const dispatched = commit(state, accountState, change, when);
  const isWaiting = isEventFirst && dispatched !== undefined;
  if (isWaiting && key !== undefined) running.add(key);
  const until = isWaiting ? dispatched.finally(() => running.delete(key ?? '')) : undefined;

  // Respond, after the event of some outcomes
  const status = profile.successStatus.createPayment;
  const headers = profile.headers.createPayment ?? {};
  const written = writeSuccess(context.mode, paymentData(payment, profile), profile.numbers);
  return { response: { status, headers, body: written }, payment, isCreated: true, fault, until };
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

/** Returns the record of a key, or undefined for a new key. */
function findEarlier(
  { idempotency }: AccountState,
  key: string,
  clock: Clock,
): IdempotencyRecord | undefined {
  const record = idempotency.get(key);
  return record !== undefined && record.expires_at > clock.now() ? record : undefined;
}

function idempotencyError(message: string, status: number): HttpError {
  const refusal = status === 422 ? 'key_of_other_body' : 'key_reused';
  return new HttpError({ type: 'idempotency_error', message, refusal, status });
}

/**
 * Returns the first response again: the payment as it was at its create, in the forms of its terms.
 *
 * @throws {HttpError} while the first request is running, for a different body, and if the profile does not replay
 */
function replayPayment(
  { key, payment_id, fingerprint: first }: IdempotencyRecord,
  fingerprint: string,
  { caller, context }: OperationContext,
): OperationResult {
  const { running, payments } = caller.accountState;
  const { idempotency } = context.profile;
  if (first !== fingerprint && idempotency !== 'replayedAny')
    throw idempotencyError('This Idempotency-Key was used with another request body.', 422);
  if (running.has(key)) throw idempotencyError('A request with this Idempotency-Key is still running.', 409);
  if (idempotency === 'conflict')
    throw idempotencyError('A payment was made with this Idempotency-Key.', 409);
  const payment = payments.get(payment_id) as Payment;
  const { terms, history } = payment;
  const { createPayment: created, replayPayment: replayed } = context.profile.successStatus;
  const status = replayed === 'created' ? created : replayed;
  const atCreate = { ...payment, status: 'pending', history: { pending: history.pending } } as const;
  const body = writeSuccess(context.mode, paymentData(atCreate, terms), terms.numbers);
  const { createPayment: ofCreate, replayPayment: ofReplay } = context.profile.headers;
  const headers = { 'Idempotent-Replayed': 'true', ...ofCreate, ...ofReplay };
  return { response: { status, headers, body }, payment };
}
