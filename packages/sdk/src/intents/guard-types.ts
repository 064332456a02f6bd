import type { Within } from '../options/alone.ts';
import type { Warning } from '../options/warnings.ts';
import type { BeneficiaryIdentity } from '../values/beneficiary.ts';
import type { BindResult } from './bind.ts';
import type { BeneficiaryComparison } from './fingerprint.ts';
import type { Intent } from './intent.ts';

/** A response that carries the payment that a create made. */
export interface CreateResponse {
  readonly data: { readonly id: string };
}

/** The permission to send one create. */
export interface SendLease {
  /** The idempotency key of the reference. */
  readonly key: string;
  /** Whether the lease has ended: then a person may have released the reference, and nothing may be sent any more. */
  readonly isExpired: () => boolean;
}

/** One create, as the guard sees it. */
export interface GuardedCreate<T extends CreateResponse> {
  /** The canonical request body. */
  readonly body: string;
  readonly beneficiary: BeneficiaryIdentity;
  /** The idempotency key that the caller chose. `@default` a new one per reference */
  readonly idempotencyKey?: string | undefined;
  /** Maximum duration of the create, with all of its requests and waits, in milliseconds. */
  readonly maxDuration: number;
  readonly create: (lease: SendLease) => Promise<T>;
  /** Reads the payment of a reference that is already paid. */
  readonly retrieve: (paymentId: string, intent: Intent) => Promise<T>;
  readonly warn: (warning: Warning) => void;
  /** Bounds each operation of the store; once the create `isOver`, regardless of its signal. `@default` no bound */
  readonly within?: Within | undefined;
}

/** What the guard knows of a reference. */
export interface RecalledIntent {
  /** The id of its payment, or the id that a broken response showed. */
  readonly paymentId: string | undefined;
  /** Compares the beneficiary of the create with another one, both normalized. */
  readonly compareBeneficiary: (identity: BeneficiaryIdentity) => Promise<BeneficiaryComparison>;
}

/** Bounds the operations of the store. */
export interface GuardOptions {
  readonly within?: Within | undefined;
}

/** Prevents a second payment under one reference. */
export interface DuplicateGuard {
  /**
   * Creates a payment, or retrieves it if the reference already has one.
   *
   * @throws {IdempotencyError} (`not_sent`) when a payment of the reference may exist, another worker is creating it, or the body
   * is another one.
   * @throws {ConfigurationError} (`not_sent`) when the store fails before anything was sent.
   */
  readonly protect: <T extends CreateResponse>(reference: string, guarded: GuardedCreate<T>) => Promise<T>;
  /**
   * Binds a payment that was found to its reference. `id_taken`: another reference holds the id, or the reference has another id.
   * `no_record`: the store does not know the reference, so nothing keeps it from being paid again.
   *
   * @throws {ConfigurationError} when the store fails.
   */
  readonly resolve: (reference: string, paymentId: string, options?: GuardOptions) => Promise<BindResult>;
  /** Returns the references that hold these payment ids, by payment id. @throws {ConfigurationError} when the store fails. */
  readonly holders: (
    paymentIds: readonly string[],
    options?: GuardOptions,
  ) => Promise<ReadonlyMap<string, string>>;
  /** Returns what is known of a reference. @throws {ConfigurationError} when the store fails. */
  readonly recall: (reference: string, options?: GuardOptions) => Promise<RecalledIntent | undefined>;
  /**
   * Returns another reference with the same body whose payment may exist and has no known id: a payment that is found may be its own.
   *
   * @throws {ConfigurationError} when the store fails.
   */
  readonly findTwin: (reference: string, options?: GuardOptions) => Promise<string | undefined>;
  /**
   * Allows a reference whose payment may exist to be sent again. Only for a person who made sure that no payment exists and that
   * none will appear. A reference that has a payment keeps it.
   *
   * @throws {IdempotencyError} until the lease of the last create has ended, when the record changes meanwhile, and if it was
   * abandoned.
   * @throws {ConfigurationError} when the store fails.
   */
  readonly release: (reference: string) => Promise<void>;
}
