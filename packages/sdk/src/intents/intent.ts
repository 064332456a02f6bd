import { IdempotencyError } from '../errors/error-classes.ts';
import type { Clock } from '../transport/clock.ts';

/**
 * The state of an intent. `planned` and `rejected`: no payment exists, and the create may be sent. `sending`
 * and `unknown`: a payment may exist. `created`: `paymentId` is the payment. `abandoned`: a person closed the
 * reference, and it is never sent again.
 */
export type IntentState = 'planned' | 'sending' | 'unknown' | 'created' | 'rejected' | 'abandoned';

/**
 * The durable record of one create, written before its request is sent. Plain JSON without names or account
 * numbers.
 */
export interface Intent {
  /** The caller's identifier of the create, unique in its store. */
  readonly reference: string;
  /**
   * The number of writes, from 1. A write applies only to the expected version, so a late or repeated one has
   * no effect.
   */
  readonly version: number;
  readonly state: IntentState;
  /** The digest of the request body. Another body under the same reference is rejected. */
  readonly digest: string;
  /** The idempotency key of the create, generated before the first request. */
  readonly key: string;
  /** The times at which requests were sent, oldest first, as ISO 8601 in UTC. */
  readonly sends: readonly string[];
  /** The HMACs of the normalized beneficiary. Absent without a `fingerprintKey`. */
  readonly beneficiary?: { readonly name: string; readonly account?: string | undefined } | undefined;
  /** The id of the payment, unique among the references of a store. */
  readonly paymentId?: string | undefined;
  /** The reason for the state, as one word or sentence without personal data. */
  readonly reason?: string | undefined;
  /**
   * The worker that last sent the create: a random name, and the end of its lease in ISO 8601. Present in the
   * states `sending` and `unknown`.
   */
  readonly holder?: { readonly worker: string; readonly until: string } | undefined;
}

/** The condition and the id of a write. */
export interface IntentWrite {
  /** The stored version that the write replaces; 0 if the store must not have the reference. */
  readonly fromVersion: number;
  /** The unique id of the write. An applied write that is repeated with its own id returns `done`. */
  readonly writeId: string;
}

/**
 * The result of a write. `done`: it was applied. `lost`: the stored version was another one. `id_taken`:
 * another reference has the payment id.
 */
export type SwapResult = 'done' | 'lost' | 'id_taken';

/** Conditions that select intents. An intent must meet all of them. */
export interface IntentFilter {
  readonly states?: readonly IntentState[] | undefined;
  readonly paymentIds?: readonly string[] | undefined;
  /** The reference after which the list starts, in the order of code units. */
  readonly after?: string | undefined;
}

/**
 * A store of intents with compare-and-set. All processes that use the same references share one store. It
 * stores all fields of an intent, including unknown ones, for as long as its create can be repeated.
 */
export interface IntentStore {
  /**
   * The secret key of the stored HMACs of bodies and beneficiaries: at least 32 characters, the same in all
   * processes of a store. Without it, the digest of a body is a plain SHA-256 and beneficiaries are not
   * stored.
   */
  readonly fingerprintKey?: string | undefined;
  /** Reads the latest version of an intent. Read from the primary: creates fail on a replica that lags. */
  read(reference: string): Promise<Intent | undefined>;
  /**
   * Writes `next` atomically and durably if the stored version is `fromVersion`. Returns `lost` for any other
   * version, and `id_taken` if another reference has `next.paymentId`. After a rejected promise, the write
   * may have been applied.
   */
  swap(next: Intent, write: IntentWrite): Promise<SwapResult>;
  /** Returns the selected intents in ascending order of their references, by code unit. */
  list(filter: IntentFilter): AsyncIterable<Intent>;
}

/** Returns whether no payment of an intent exists, so that its create may be sent. */
export function isSendable({ state }: Intent): boolean {
  return state === 'planned' || state === 'rejected';
}

/** Returns whether an intent has its payment. */
export function isPaid(intent: Intent): intent is Intent & { readonly paymentId: string } {
  return intent.state === 'created' && intent.paymentId !== undefined;
}

/**
 * Returns whether the lease of a worker is valid by the clock of this machine.
 *
 * @param tolerance - in milliseconds
 */
export function isLeaseValid(holder: Intent['holder'], clock: Clock, tolerance = 0): boolean {
  return holder !== undefined && clock.date().getTime() < Date.parse(holder.until) + tolerance;
}

/**
 * Creates the error of a reference that must not be sent. `problem` follows "The reference" in its message.
 */
export function createReferenceError(problem: string, earlier?: Intent): IdempotencyError {
  return new IdempotencyError(`The reference ${problem}. Nothing was sent.`, {
    outcome: 'not_sent',
    reference: earlier?.reference,
    sentAt: earlier?.sends[0],
    paymentId: earlier?.paymentId,
  });
}
