import { isRecord, parseJson, toRecord } from '@service/internal';
import { decideCreate, type Rejection } from '../domain/decision.ts';
import { applyFault } from '../domain/fault.ts';
import type { Instant } from '../domain/json.ts';
import { behaviors } from '../domain/outcome.ts';
import { type Order, paymentFacts } from '../domain/payment.ts';
import type { Profile } from '../domain/profile.ts';
import { fundsFacts } from '../domain/quote.ts';
import {
  type AccountState,
  availableOf,
  type IdempotencyRecord,
  nextPaymentId,
} from '../state/account-state.ts';
import { drawNumber } from '../domain/ids.ts';
import { storeAccount } from '../state/opening.ts';
import { beginChange, commit } from '../state/state.ts';
import { errorResponse, HttpError, serviceFailure } from './errors.ts';
import type { OperationContext, OperationResult } from './operation.ts';
import type { MockRequest, MockResponse } from './request.ts';
import { respondWithPayment, writeHeaders } from './response.ts';
import { validatePayment } from './validate.ts';

/** Creates a payment, or replays the response of an earlier request with the same idempotency key. */
export function createPayment(context: OperationContext): OperationResult {
  const { state, caller, request, body } = context;
  const { accountState } = caller;
  const key = readIdempotencyKey(request, accountState.profile);
  const used = key === undefined ? undefined : { key, fingerprint: toFingerprint(body.value) };
  const earlier = used && findEarlier(accountState, used, state.clock.now());
  if (earlier !== undefined) return { response: replayResponse(earlier, accountState) };
  return makePayment(context, validatePayment(body, accountState.profile), used);
}

/** Decides on a payment, renders it and commits it. */
function makePayment(
  { state, caller, flushed }: OperationContext,
  order: Order,
  used: UsedKey | undefined,
): OperationResult {
  const { accountState } = caller;
  const { mode, profile } = accountState;
  const now = beginChange(state, accountState);
  const decision = decideCreate(order, {
    id: nextPaymentId(accountState, now),
    mode,
    now,
    draw: (purpose) => drawNumber(state.seed, purpose),
    available: availableOf(accountState, order.from_currency),
    terms: profile,
    nextRow: accountState.transactions.length,
  });
  if ('error' in decision) throw toHttpError(decision, profile);
  const { payment } = decision.change;
  storeAccount(state, caller.account);
  const response = respondWithPayment('createPayment', accountState, payment);
  const { requestFault, isEventFirst } = behaviors[payment.plan.outcome];
  const dispatched = commit(state, accountState, {
    ...decision,
    record: used && {
      ...used,
      reserved_at: now,
      expires_at: now + KEY_LIFETIME,
      response: response.body ?? '',
    },
    ...(isEventFirst ? { ahead: true } : { after: flushed }),
  });
  return {
    // A magic value fails like the service, without a message about a fault.
    response: requestFault
      ? applyFault(requestFault, response, () => errorResponse(serviceFailure, accountState))
      : response,
    payment_id: payment.id,
    ...(isEventFirst && { until: holdKey(accountState, used?.key, dispatched) }),
  };
}

function toHttpError({ error, quote, available }: Rejection, profile: Profile): HttpError {
  const facts = fundsFacts(quote, available, profile);
  const isOutage = error.refusal === 'unavailable';
  return new HttpError(error, { facts, ...(isOutage && { headers: { 'Retry-After': '1' } }) });
}

/** Marks the key as running until a promise resolves. */
async function holdKey(
  { running }: AccountState,
  key: string | undefined,
  promise: Promise<void>,
): Promise<void> {
  if (key !== undefined) running.add(key);
  await promise;
  if (key !== undefined) running.delete(key);
}

/** The idempotency key and the body of a request. */
type UsedKey = Pick<IdempotencyRecord, 'key' | 'fingerprint'>;

const KEY_LIFETIME = 24 * 3_600_000;

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

/** Serializes a parsed body with sorted fields, so that equal bodies give equal text. */
function toFingerprint(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/**
 * Returns the record of a key, or undefined for a new key.
 *
 * @throws {HttpError} while the first request is running, for a different body, and if the profile does not replay
 */
function findEarlier(
  { idempotency, running, profile }: AccountState,
  { key, fingerprint }: UsedKey,
  now: Instant,
): IdempotencyRecord | undefined {
  const record = idempotency.get(key);
  if (record === undefined || record.expires_at <= now) return undefined;
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

function replayResponse({ response }: IdempotencyRecord, { payments, profile }: AccountState): MockResponse {
  const { headers: templates, successStatus: statuses } = profile;
  const { id } = toRecord(toRecord(parseJson(response)).data);
  const payment = payments.get(String(id));
  const facts = payment === undefined ? {} : paymentFacts(payment, profile);
  const headers = {
    'Idempotent-Replayed': 'true',
    ...writeHeaders(templates.createPayment, facts, profile),
    ...writeHeaders(templates.replayPayment, facts, profile),
  };
  const { createPayment: created, replayPayment: replayed } = statuses;
  return { status: replayed === 'created' ? created : replayed, headers, body: response };
}
