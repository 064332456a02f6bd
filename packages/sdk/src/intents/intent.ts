/**
 * The state of an intent. `planned` and `rejected`: no payment exists, and the create may be sent. `sending` and `unknown`: a
 * payment may exist. `created`: `paymentId` is the payment. `abandoned`: closed by a person, never sent again.
 */
export type IntentState = 'planned' | 'sending' | 'unknown' | 'created' | 'rejected' | 'abandoned';

/** The durable record of one create, written before its request leaves. Plain JSON, without names and account numbers. */
export interface Intent {
  /** The caller's name for the create, unique in its store. */
  readonly reference: string;
  /** The number of writes, from 1. Every write compares it, so that a late or repeated write changes nothing. */
  readonly version: number;
  readonly state: IntentState;
  /** The digest of the request body. Another body under the same reference is refused. */
  readonly digest: string;
  /** The idempotency key of the create, drawn before the first request leaves. */
  readonly key: string;
  /** The times at which requests were sent, oldest first, as ISO 8601 in UTC. */
  readonly sends: readonly string[];
  /** HMACs of the normalized beneficiary. Absent where the store has no `fingerprintKey`. */
  readonly beneficiary?: { readonly name: string; readonly account?: string | undefined } | undefined;
  /** The id of the payment. No two references of a store hold the same one. */
  readonly paymentId?: string | undefined;
  /** Why the intent is in its state, as one word or sentence without personal data. */
  readonly reason?: string | undefined;
  /** The last worker that sent the create, in `sending` and `unknown`: a random name, and the end of its lease in ISO 8601. */
  readonly holder?: { readonly worker: string; readonly until: string } | undefined;
}

/** The condition of a write. */
export interface IntentWrite {
  /** The version that the store must hold for the write to apply; 0 if it must hold no record. */
  readonly fromVersion: number;
  /** The identity of the write: a write that already applied answers `done` again, and only to its own id. */
  readonly writeId: string;
}

/** The result of a write: applied, refused because another write came first, or refused because of the payment id. */
export type SwapResult = 'done' | 'lost' | 'id_taken';

/** Selects intents. Every given condition must hold. */
export interface IntentFilter {
  readonly states?: readonly IntentState[] | undefined;
  readonly paymentIds?: readonly string[] | undefined;
  /** Selects references after this one, by code unit. */
  readonly after?: string | undefined;
}

/**
 * A store of intents with compare-and-set. Every process that pays under the same references shares one store. It keeps all
 * fields of an intent, also unknown ones, and keeps an intent for as long as its create could be repeated.
 */
export interface IntentStore {
  /**
   * The secret under which digests and beneficiaries are stored as HMAC: at least 32 characters, the same in all processes of one
   * store. Without it, records hold no beneficiary, and the digest of a body is a plain SHA-256.
   */
  readonly fingerprintKey?: string | undefined;
  /** Reads the newest version of an intent. Read from the primary: a replica that lags makes creates fail. */
  read(reference: string): Promise<Intent | undefined>;
  /**
   * Writes `next`, atomically and durably, if the store holds `fromVersion`. Answers `id_taken` if another reference holds
   * `next.paymentId`, and `lost` for any other version. A rejection means that the write may have applied.
   */
  swap(next: Intent, write: IntentWrite): Promise<SwapResult>;
  /** Lists intents in ascending order of their references, by code unit. */
  list(filter: IntentFilter): AsyncIterable<Intent>;
}
