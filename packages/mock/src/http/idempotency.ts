import type { Books, IdempotencyRecord } from '../world/books.ts';
import type { Body } from './body.ts';
import type { Answer, Call } from './call.ts';
import { Refused } from './respond.ts';

const LIFETIME = 24 * 3_600_000;

/** Reads the `Idempotency-Key` of a call, if it has one; throws `Refused` when it is malformed (contract.md 3). */
export function readIdempotencyKey(call: Call): string | undefined {
  const key = call.header('idempotency-key');
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const message = 'The Idempotency-Key must be 1 to 255 visible ASCII characters.';
  throw new Refused({ type: 'invalid_request_error', message });
}

/** Writes a parsed body with sorted fields: equal bodies give equal text. */
export function toFingerprint({ value }: Body): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Returns the answer that a key already has; throws `Refused` while its call is running or when its body was another. */
export function recallAnswer(
  record: IdempotencyRecord | undefined,
  fingerprint: string,
  now: number,
): Answer | undefined {
  if (record === undefined || record.expires_at <= now) return undefined;
  if (record.fingerprint !== fingerprint) {
    const message = 'This Idempotency-Key was used with another request body.';
    throw new Refused({ type: 'idempotency_error', message });
  }
  if (record.answer === null) {
    const message = 'A request with this Idempotency-Key is still running.';
    throw new Refused({ type: 'idempotency_error', message }, { status: 409 });
  }
  return { status: 201, headers: { 'Idempotent-Replayed': 'true' }, body: record.answer };
}

/** Binds a key to the payment that its call has just made; the answer follows when the call ends. */
export function openRecord(
  books: Books,
  key: string,
  { fingerprint, now }: { fingerprint: string; now: number },
): IdempotencyRecord {
  const record: IdempotencyRecord = { fingerprint, expires_at: now + LIFETIME, answer: null };
  books.idempotency.set(key, record);
  return record;
}
