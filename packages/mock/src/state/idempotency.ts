import type { Instant } from '../domain/json.ts';

/** An idempotency key and the payment of its first request. */
export interface IdempotencyRecord {
  /** The `Idempotency-Key` header of the request. */
  readonly key: string;
  /** The hash of the request body. A repeated request must have the same one. */
  readonly fingerprint: string;
  /** Sandbox time of the first request, in milliseconds since 1970. */
  readonly reserved_at: Instant;
  /** End of replays, 24 hours later, in milliseconds since 1970. */
  readonly expires_at: Instant;
  /** The payment of the first request. */
  readonly payment_id: string;
}

/** The time for which a key is remembered, in milliseconds (docs/contract.md#idempotency-keys). */
const KEY_LIFETIME = 24 * 3_600_000;

/** Creates the record of a key that was used first now. */
export function createRecord(
  { key, fingerprint, payment_id }: Pick<IdempotencyRecord, 'key' | 'fingerprint' | 'payment_id'>,
  now: Instant,
): IdempotencyRecord {
  return { key, fingerprint, reserved_at: now, expires_at: now + KEY_LIFETIME, payment_id };
}

/** Remembers a key, and forgets the expired ones, which come first. */
export function rememberKey(keys: Map<string, IdempotencyRecord>, record: IdempotencyRecord): void {
  for (const [key, { expires_at }] of keys) {
    if (expires_at > record.reserved_at) break;
    keys.delete(key);
  }
  keys.set(record.key, record);
}
