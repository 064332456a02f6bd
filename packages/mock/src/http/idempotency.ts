import type { KeyReservation } from '../domain/change.ts';
import type { Profile } from '../domain/profile.ts';
import type { Instant } from '../domain/timestamp.ts';
import type { AccountState } from '../state/account-state.ts';
import type { Body } from './body.ts';
import type { MockResponse, MockRequest } from './request.ts';
import { deprecationHeaders } from './deprecation.ts';
import { HttpError } from './response.ts';

const LIFETIME = 24 * 3_600_000;

/**
 * Returns the `Idempotency-Key` of a request, or undefined. Throws `HttpError` if it is malformed
 * (docs/contract.md#idempotency-keys).
 */
export function readIdempotencyKey(request: MockRequest, { idempotency }: Profile): string | undefined {
  if (idempotency === 'ignored') return undefined;
  const key = request.header('idempotency-key');
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const message = 'The Idempotency-Key must be 1 to 255 visible ASCII characters.';
  throw new HttpError({ type: 'invalid_request_error', message });
}

/** Serializes a parsed body with sorted fields, so that equal bodies give equal text. */
function toFingerprint({ value }: Body): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Creates the reservation of a key for a request body. */
export function reserveKey(key: string, body: Body, now: Instant): KeyReservation {
  return { key, fingerprint: toFingerprint(body), reserved_at: now, expires_at: now + LIFETIME };
}

/**
 * Returns the saved response of a key, or undefined for a new key.
 *
 * @throws {HttpError} while the first request is running, and for a different body
 */
export function replay(
  accountState: AccountState,
  { key, fingerprint }: KeyReservation,
  now: Instant,
): MockResponse | undefined {
  const record = accountState.idempotency.get(key);
  if (record === undefined || record.expires_at <= now) return undefined;
  if (record.fingerprint !== fingerprint) {
    const message = 'This Idempotency-Key was used with another request body.';
    throw new HttpError({ type: 'idempotency_error', message });
  }
  if (accountState.running.has(key)) {
    const message = 'A request with this Idempotency-Key is still running.';
    throw new HttpError({ type: 'idempotency_error', message }, { status: 409 });
  }
  if (accountState.profile.idempotency === 'conflict') {
    const message = 'A payment was made with this Idempotency-Key.';
    throw new HttpError({ type: 'idempotency_error', message }, { status: 409 });
  }
  const headers = { ...deprecationHeaders(accountState.profile), 'Idempotent-Replayed': 'true' };
  return { status: accountState.profile.createStatus, headers, body: record.response };
}

/** Saves the response of the first request of a key. */
export function saveResponse(
  accountState: AccountState,
  { key }: KeyReservation,
  { body }: MockResponse,
): void {
  const record = accountState.idempotency.get(key);
  if (record !== undefined) record.response = body ?? '';
}
