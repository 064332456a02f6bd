import type { Mode } from '../models.ts';
import { IdempotencyError, type PaymentTrace } from '../errors.ts';

/**
 * The state of an intent. `planned` and `rejected`: no payment exists, and the create may be sent. `sending`
 * and `unknown`: a payment may exist. `created`: `paymentId` is the payment. `abandoned`: a person closed the
 * reference, and it is never sent again.
 */
export type IntentState = 'planned' | 'sending' | 'unknown' | 'created' | 'rejected' | 'abandoned';

/** The `reason` of an intent whose `otherPaymentId` shows other fields than its body, or is the payment of an earlier create. */
export const OTHER_PAYMENT = 'other_payment';

/** A payment id that does not fit the record of its reference. A person has to check it. */
export interface IntentConflict {
  /** The id that does not fit (`pay_…`). */
  readonly paymentId: string;
  /** The time at which the conflict was recorded, as ISO 8601 in UTC. */
  readonly at: string;
  /** The conflict, as a sentence without personal data. */
  readonly problem: string;
}

/** The decision of a person about an intent: who, when and why. */
export interface IntentAudit {
  /** The name of the person, as given to `resolve`. */
  readonly by: string;
  /** The reason, as given to `resolve`. */
  readonly because: string;
  /** The time of the decision, as ISO 8601 in UTC. */
  readonly at: string;
  /** The version of the intent that the person checked. */
  readonly version: number;
  /**
   * `never_made`: no payment exists. `released`: none exists, and the reference may be sent again. `payment`:
   * `paymentId` is the payment.
   */
  readonly decision: 'never_made' | 'released' | 'payment';
}

/**
 * The durable record of one create, written before its request is sent. Plain JSON. Only `body` contains
 * names and account numbers.
 */
export interface Intent {
  /** The caller's identifier of the create, unique in its store. */
  readonly reference: string;
  /**
   * The number of writes, from 1. A write applies only to the expected version, so a late or repeated one has
   * no effect.
   */
  readonly version: number;
  /** Whether a payment may exist, and whether the create may be sent. */
  readonly state: IntentState;
  /** The digest of the request body. Another body under the same reference is rejected. */
  readonly digest: string;
  /** The idempotency key of the create, generated before the first request. */
  readonly key: string;
  /** The times at which requests were sent, oldest first, as ISO 8601 in UTC. */
  readonly sends: readonly string[];
  /** The request body as `plan` stores it: JSON. Absent in intents of `pay`. */
  readonly body?: string | undefined;
  /** Digests of which an intent of `pay` has one in common with each intent whose payment can look like its own. */
  readonly lookalikes?: readonly string[] | undefined;
  /** The id of the payment of a created intent, unique among the references of a store. */
  readonly paymentId?: string | undefined;
  /**
   * The id in an incomplete response to the create, which can be that of any payment. It stays free for any reference until a
   * search has compared its payment.
   */
  readonly unprovenPaymentId?: string | undefined;
  /** The id of a payment that a response to the create contained, and that another create made or another reference has. */
  readonly otherPaymentId?: string | undefined;
  /** How the service had returned the fields of creates when this one was last sent. */
  readonly returnedFields?: PaymentTrace['returnedFields'];
  /** The proof that `paymentId` is the payment of a created intent. */
  readonly boundBy?: 'response' | 'reconciled' | 'person' | undefined;
  /** Payments that do not fit this record. Never removed. */
  readonly conflicts?: readonly IntentConflict[] | undefined;
  /** The decision of a person, if one closed the intent with `resolve`. */
  readonly audit?: IntentAudit | undefined;
  /** The time of the last write, as ISO 8601 in UTC. */
  readonly changedAt?: string | undefined;
  /** The reason for the state, as one word or sentence without personal data. */
  readonly reason?: string | undefined;
  /** The worker that last sent the create. Present in the states `sending` and `unknown`, and after a release. */
  readonly holder?:
    | {
        /** The random name of the worker. */
        readonly worker: string;
        /** The end of its lease, as ISO 8601 in UTC. */
        readonly until: string;
      }
    | undefined;
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
  /** States of which the intent must have one. */
  readonly states?: readonly IntentState[] | undefined;
  /** Ids of which the intent must have one as its `paymentId`. */
  readonly paymentIds?: readonly string[] | undefined;
  /** Whether the intents must have `conflicts`. */
  readonly hasConflicts?: true | undefined;
}

/** The account that a store belongs to. A payer with another one is rejected. */
export interface StoreAccount {
  /** The mode of the API key. */
  readonly mode: Mode;
  /** The base URL of the client. */
  readonly baseUrl: string;
  /** The label that the user gave the account. */
  readonly label: string;
}

/**
 * A store of intents with compare-and-set. All processes that use the same references share one store. It
 * stores all fields of an intent, including unknown ones, for as long as its create can be repeated.
 */
export interface IntentStore {
  /**
   * The secret key of the stored digests of bodies: at least 32 characters, the same in all processes of a
   * store. Without it, the digest of a body is a plain SHA-256.
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
  list(filter: IntentFilter): Promise<readonly Intent[]>;
  /**
   * Durably records the account at the first call, and returns the recorded one at every call. Of two
   * concurrent first calls, one wins.
   */
  bindAccount(account: StoreAccount): Promise<StoreAccount>;
  /**
   * Returns the time of the store. All workers of a store compare leases with it.
   *
   * @default the clock of this machine
   */
  now?(): Promise<Date>;
}

/** Creates the intent of a reference that the store does not have. */
export function createIntent(reference: string, digest: string, key: string): Intent {
  return { reference, version: 0, state: 'planned', digest, key, sends: [] };
}

/** Creates the error of a reference that must not be sent. `problem` follows the reference in its message. */
export function createReferenceError(reference: string, problem: string, earlier?: Intent): IdempotencyError {
  return new IdempotencyError(`The reference ${reference} ${problem}. Nothing was sent.`, {
    outcome: 'not_sent',
    reference,
    sentAt: earlier?.sends[0],
    paymentId: earlier?.paymentId ?? earlier?.unprovenPaymentId,
  });
}

/**
 * Returns the recorded intent of a reference.
 *
 * @throws {IdempotencyError} when it has another body than the planned one.
 */
export function checkPlanned(planned: Intent, found: Intent | undefined): Intent {
  if (found?.digest === planned.digest) return found;
  const problem =
    'was planned with another request body. Plan that body, or use a new reference for a different payment';
  throw createReferenceError(planned.reference, problem, found);
}
