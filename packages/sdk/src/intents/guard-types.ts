import type { Warning } from '../options/log.ts';
import type { Mode } from '../values/models.ts';
import type { BeneficiaryIdentity } from '../values/comparison.ts';
import type { BindResult } from './bind.ts';
import type { BeneficiaryComparison } from './fingerprint.ts';
import type { Intent } from './intent.ts';

/** Runs a step within a time limit. With `isOver`, the signal of the caller no longer stops the step. */
export type WithTimeout = <S>(step: () => Promise<S>, isOver?: boolean) => Promise<S>;

/** The response to a create, with the id of the payment. */
export interface CreateResponse {
  readonly data: { readonly id: string };
}

/** A lease that permits sending one create. */
export interface SendLease {
  /** The idempotency key of the reference. */
  readonly key: string;
  /** Returns whether the lease has ended. Send nothing after that: the reference may have been released. */
  readonly isExpired: () => boolean;
  /** Checks the mode of the API key before each request. */
  readonly checkMode?: ((mode: Mode) => void) | undefined;
}

/** One create of a reference. */
export interface GuardedCreate<T extends CreateResponse> {
  /** The request body in canonical form: equal creates have equal text. */
  readonly body: string;
  readonly beneficiary: BeneficiaryIdentity;
  /**
   * The idempotency key that the caller chose.
   *
   * @default a new key per reference
   */
  readonly idempotencyKey?: string | undefined;
  /** Maximum duration of the create, including all requests and retries, in milliseconds. */
  readonly maxDuration: number;
  readonly create: (lease: SendLease) => Promise<T>;
  /** Retrieves the payment of a reference that already has one. */
  readonly retrieve: (paymentId: string, intent: Intent) => Promise<T>;
  readonly warn: (warning: Warning) => void;
  /**
   * Limits the time of each store operation. The signal of the call does not end an operation with `isOver`.
   *
   * @default no limit
   */
  readonly within?: WithTimeout | undefined;
}

/** The recorded facts of a reference. */
export interface RecalledIntent {
  /** The id of the payment, or an id found in an unreadable response to the create. */
  readonly paymentId: string | undefined;
  /** Compares the recorded beneficiary with another one. Both are normalized. */
  readonly compareBeneficiary: (identity: BeneficiaryIdentity) => Promise<BeneficiaryComparison>;
}

/** Options of the operations of a duplicate guard. */
interface GuardOptions {
  readonly within?: WithTimeout | undefined;
}

/** A guard that prevents a second payment for one reference. Pass it to the clients of all workers. */
export interface DuplicateGuard {
  /**
   * Records a payment that was found as the payment of its reference. `id_taken`: another reference has the
   * id, or this reference has another id. `no_record`: the store does not have the reference, so its next
   * create is sent.
   *
   * @throws {ConfigurationError} when the store fails.
   */
  readonly resolve: (reference: string, paymentId: string) => Promise<BindResult>;
  /**
   * Allows a reference whose payment may exist to be sent again. Call it only after a person has made sure
   * that no payment exists and that none will appear. A reference that has a payment keeps it.
   *
   * @throws {IdempotencyError} when the lease of the last create has not ended, when the record changes
   * during the release, or when it was abandoned.
   * @throws {ConfigurationError} when the store fails.
   */
  readonly release: (reference: string) => Promise<void>;
}

/** The operations of a duplicate guard that a client uses. */
export interface GuardOperations extends Pick<DuplicateGuard, 'release'> {
  /**
   * Creates a payment, or retrieves it if the reference already has one.
   *
   * @throws {IdempotencyError} (`not_sent`) when a payment of the reference may exist, when another worker is
   * creating it, or when the reference was used with another body.
   * @throws {ConfigurationError} (`not_sent`) when the store fails before the request is sent.
   */
  readonly protect: <T extends CreateResponse>(reference: string, guarded: GuardedCreate<T>) => Promise<T>;
  /** Like `resolve` of the guard, with a limited duration. */
  readonly resolve: (reference: string, paymentId: string, options?: GuardOptions) => Promise<BindResult>;
  /**
   * Returns the references that have these payment ids, by payment id.
   *
   * @throws {ConfigurationError} when the store fails.
   */
  readonly holders: (
    paymentIds: readonly string[],
    options?: GuardOptions,
  ) => Promise<ReadonlyMap<string, string>>;
  /**
   * Returns the record of a reference, or undefined if the store has none.
   *
   * @throws {ConfigurationError} when the store fails.
   */
  readonly recall: (reference: string, options?: GuardOptions) => Promise<RecalledIntent | undefined>;
  /**
   * Returns another reference with the same body whose payment may exist and has no recorded id. A payment
   * that matches the body can belong to either reference.
   *
   * @throws {ConfigurationError} when the store fails.
   */
  readonly findTwin: (reference: string, options?: GuardOptions) => Promise<string | undefined>;
}
