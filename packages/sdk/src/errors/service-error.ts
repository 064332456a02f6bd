import type { Mode } from '@service/contract';
import { cleanText } from './clean-text.ts';
import type { FieldError } from './field-errors.ts';

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
  readonly fields?: readonly FieldError[] | undefined;
  readonly cause?: unknown;
  readonly raw?: unknown;
};

const brand = Symbol.for('@service/sdk/error');

/** Reports any failure of this package; its subclasses say which. An answer that no subclass fits is one of these. */
export class ServiceError extends Error {
  static {
    hide(this.prototype, brand, true);
  }

  /** Holds `error.type` of the answer, known to this package or not (spec §7). */
  declare readonly type: string | undefined;
  /** Holds the HTTP status of the answer. */
  declare readonly status: number | undefined;
  /** Holds the mode that the answer named. */
  declare readonly mode: Mode | undefined;
  /** Holds the `X-Request-Id` of the answer. */
  declare readonly requestId: string | undefined;
  /** Says what became of the request, for reads as well as writes; undefined where no single request failed. */
  declare readonly outcome: Outcome | undefined;
  /** Counts the requests that were handed to `fetch`: 0 when the call was refused locally. */
  declare readonly attempts: number;
  /** Says how many seconds to wait before asking again, from `Retry-After`; undefined where the answer does not say. */
  declare readonly retryAfter: number | undefined;
  /** What the service said about single fields of the request, cut in number and length; undefined if it said nothing. */
  declare readonly fields: readonly FieldError[] | undefined;
  /** Holds the body of the answer, parsed where it is JSON, with keys struck out; left out of logs and JSON. */
  declare readonly raw: unknown;

  constructor(message: string, { cause, raw, ...facts }: ErrorFacts = {}) {
    // Text of the service can be part of every message; `raw` keeps it as it came.
    super(cleanText(message, 2_000), cause === undefined ? undefined : { cause });
    const { type } = facts;
    Object.assign(this, { attempts: 0 }, facts, type !== undefined && { type: cleanText(type, 100) });
    // An answer can echo what a person sent, so printing an error does not print it.
    hide(this, 'raw', raw);
  }

  /** Names the kind of error; safe to compare, also in minified code. */
  override get name(): string {
    return 'ServiceError';
  }

  /** Returns what a log line needs: everything but `raw`, `cause` and the stack. */
  toJSON(): Record<string, unknown> {
    const { name, message } = this;
    return Object.assign({ name, message } as Record<string, unknown>, this);
  }
}

/** Gives an object a field that printing and copying it leave out. */
export function hide(object: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(object, name, { value });
}

/** Tells whether a value is an error of this package, also one from another realm or another copy of it. */
export function isServiceError(error: unknown): error is ServiceError {
  return typeof error === 'object' && error !== null && brand in error;
}
