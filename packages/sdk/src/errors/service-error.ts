import type { Mode } from '@service/contract';

/**
 * Names what became of a failed request: `not_sent` it never left, `rejected` the service refused it and did nothing,
 * `unknown` it may have been carried out (contract.md 10).
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown';

/** Holds what is known about a failure; whatever is not known stays undefined. */
export type ErrorFacts = {
  readonly type?: string | undefined;
  readonly status?: number | undefined;
  readonly mode?: Mode | undefined;
  readonly requestId?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly attempts?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
  readonly raw?: unknown;
};

const brand = Symbol.for('@service/sdk/error');

/** Reports any failure of this package; its subclasses say which. An answer that no subclass fits is one of these. */
export class ServiceError extends Error {
  static {
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  /** Holds `error.type` of the answer, known to this package or not (spec §7). */
  readonly type: string | undefined;
  /** Holds the HTTP status of the answer. */
  readonly status: number | undefined;
  /** Holds the mode that the answer named. */
  readonly mode: Mode | undefined;
  /** Holds the `X-Request-Id` of the answer. */
  readonly requestId: string | undefined;
  /** Says what became of the request, for reads as well as writes; undefined where no single request failed. */
  readonly outcome: Outcome | undefined;
  /** Counts the requests that were handed to `fetch`: 0 when the call was refused locally. */
  readonly attempts: number;
  /** Says how many seconds to wait before asking again, from `Retry-After`; undefined where the answer does not say. */
  readonly retryAfter: number | undefined;
  /** Holds the body of the answer, parsed where it is JSON, with keys struck out; left out of logs and JSON. */
  readonly raw: unknown;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.type = facts.type;
    this.status = facts.status;
    this.mode = facts.mode;
    this.requestId = facts.requestId;
    this.outcome = facts.outcome;
    this.attempts = facts.attempts ?? 0;
    this.retryAfter = facts.retryAfter;
    // An answer can echo what a person sent, so printing an error does not print it.
    Object.defineProperty(this, 'raw', { value: facts.raw, enumerable: false });
  }

  /** Names the kind of error; safe to compare, also in minified code. */
  override get name(): string {
    return 'ServiceError';
  }

  /** Returns what a log line needs: everything but `raw`, `cause` and the stack. */
  toJSON(): Record<string, unknown> {
    const { name, message } = this;
    return { name, message, ...Object.fromEntries(Object.entries(this)) };
  }
}

/** Tells whether a value is an error of this package, also one from another realm or another copy of it. */
export function isServiceError(error: unknown): error is ServiceError {
  return typeof error === 'object' && error !== null && brand in error;
}
