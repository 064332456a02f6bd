import type { Payment, PaymentInput } from '../models.ts';
import type { Intent, IntentConflict, IntentState, IntentStore } from '../stores/intent.ts';

/** The store of a payer, and its limits. */
export interface PayerOptions {
  /**
   * The store of the intents. All workers share it. A memory store is for tests: after a restart, each reference is
   * paid again.
   *
   * @example sqliteStore('payments.db')
   */
  readonly store: IntentStore;
  /**
   * The label of the account. A store that was created with another label, mode or base URL is rejected.
   *
   * @default 'default'
   * @example 'acme-eur'
   */
  readonly account?: string | undefined;
  /**
   * Maximum number of creates of a run at the same time, from 1 to 100.
   *
   * @default 4
   * @example 8
   */
  readonly concurrency?: number | undefined;
  /**
   * The time in milliseconds for which a worker may send one create. Longer than `timeout` of the client.
   *
   * @default the `timeout` of the client and 30 seconds
   * @example 60_000
   */
  readonly lease?: number | undefined;
  /**
   * The assumed difference between the clocks of the workers, in milliseconds.
   *
   * @default 60_000
   * @example 5_000
   */
  readonly clockSkew?: number | undefined;
  /**
   * Maximum time of the search for payments with an unknown outcome, in milliseconds per `run` or `pay`. The next
   * run continues it.
   *
   * @default 60_000
   * @example 300_000
   */
  readonly reconcileTime?: number | undefined;
}

/** The result of one intent in a run. */
export interface IntentUpdate {
  /** The reference that was passed to `plan`. */
  readonly reference: string;
  /** `created`, `rejected` or `abandoned` is final. The next run continues any other state. */
  readonly state: IntentState;
  /**
   * The intent after the change. If the store failed, the last known version; `state` is then the actual
   * result.
   */
  readonly intent: Intent;
  /** The created or found payment. */
  readonly payment?: Payment | undefined;
  /** A payment that does not fit the record. A person has to check it. */
  readonly conflict?: IntentConflict | undefined;
  /** The error of the create, or of the store. */
  readonly error?: unknown;
}

/** The decision of a person about an intent whose outcome is unknown. */
export type IntentDecision = {
  /** The version of the intent that the person checked. */
  readonly version: number;
  /** The name of the person. */
  readonly by: string;
  /** The reason, without personal data. */
  readonly because: string;
} & (
  | {
      /** The id of the payment that the create made (`pay_…`). It is retrieved, and compared with the body of `plan`. */
      readonly paymentId: string;
    }
  | {
      /** No payment exists and none will appear. The reference is never used again. */
      readonly neverMade: true;
    }
  | {
      /** No payment exists and none will appear. The next `pay` or `run` may send the reference again. */
      readonly release: true;
    }
);

/** Creates the payments of intents, each at most once, over all workers of a store. */
export interface Payer {
  /**
   * Creates the payment of a reference, or returns it if the reference already has one. A concurrent call of this
   * payer waits for the first one. The store keeps digests of the body, not the body.
   *
   * After a rejection, the reference may be paid again, also with a corrected body. After an unknown outcome it is
   * sent again only with `keyRetention` of the client; otherwise its payment is searched.
   *
   * @throws {PaymentOutcomeUnknownError} when the payment may exist: call `pay` again, or ask a person.
   * @throws {IdempotencyError} (`not_sent`) when the reference has another body, was abandoned, or is being
   * paid by another process.
   * @throws {ConfigurationError} (`not_sent`) when a text was damaged on its way, or the store belongs to another
   * account or fails before the request.
   * @throws {ServiceError} when the call fails. This call made no payment; an earlier one of the reference can have.
   * @example
   * const { id } = await payer.pay('order-42', body);
   */
  readonly pay: (
    reference: string,
    body: PaymentInput,
    options?: {
      /** Aborts the call. An abort does not undo a request that was sent. */
      readonly signal?: AbortSignal | undefined;
    },
  ) => Promise<Payment>;
  /**
   * Durably records the intent to create a payment. Planning the same reference with the same body again
   * returns the recorded intent.
   *
   * @throws {ValidationError} (`not_sent`) when the body is invalid.
   * @throws {IdempotencyError} (`not_sent`) when the reference has another body.
   * @throws {ConfigurationError} when a text was damaged on its way, or the store belongs to another account or fails.
   */
  readonly plan: (reference: string, body: PaymentInput) => Promise<Intent>;
  /**
   * Returns the intent that `plan` would record, for a store that records it in a transaction of the caller.
   *
   * @throws {ValidationError} (`not_sent`) when the body is invalid.
   * @throws {ConfigurationError} when the store belongs to another account.
   */
  readonly prepare: (reference: string, body: PaymentInput) => Promise<Intent>;
  /**
   * Sends planned intents, and resends or reconciles those with an unknown outcome. Yields each intent that
   * changed, and each intent with a conflict. May be called again at any time, by any worker.
   *
   * @throws {ConfigurationError} when the store belongs to another account, before anything is sent, or when
   * the store fails.
   */
  readonly run: (options?: {
    /** Ends the run after the creates that are already sent. */
    readonly signal?: AbortSignal | undefined;
  }) => AsyncIterable<IntentUpdate>;
  /**
   * Records the decision of a person. `neverMade` and `release` are rejected until the last request can no longer
   * arrive.
   *
   * @throws {IdempotencyError} when the intent has changed since that version, is final, or may still be sent.
   * @throws {ValidationError} when the payment does not match the intent.
   * @throws {ConfigurationError} when a text was damaged on its way, or the store belongs to another account or fails.
   */
  readonly resolve: (reference: string, decision: IntentDecision) => Promise<Intent>;
}
