import type { Mode } from '@service/contract';
import { copyOwn, isRecord } from '@service/internal';
import { docs } from '../generated/docs.ts';
import { cleanText } from './redact.ts';

/**
 * The outcome of a failed request.
 *
 * - `'not_sent'`: the request was never sent.
 * - `'rejected'`: the service rejected the request and did nothing.
 * - `'unknown'`: the service may have carried out the request.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown';

/** The error of one field of a request. */
export interface FieldError {
  /**
   * The path of the field, such as `to_currency` or `beneficiary.account`; empty if the service names no
   * field.
   */
  readonly field: string;
  /** The message of the service or the client. Names and account numbers of the beneficiary are masked. */
  readonly message: string;
}

/** The fields of an error. Unknown fields are undefined. See {@link ServiceError}. */
export interface ErrorFacts {
  /** The `error.type` of the response, also one that is not documented; undefined without a response. */
  readonly type?: string | undefined;
  /**
   * `'idempotency_conflict'` if the service knows the `idempotencyKey` of the call from an earlier request: **a
   * payment may exist** under it. `'list_cannot_continue'` if more transactions exist than the pages of the
   * service lead to. Undefined for all other errors.
   */
  readonly code?: 'idempotency_conflict' | 'list_cannot_continue' | undefined;
  /** The HTTP status of the response; undefined without a response. */
  readonly status?: number | undefined;
  /** The mode in the response, `'test'` or `'live'`; undefined if there is none. */
  readonly mode?: Mode | undefined;
  /** The `X-Request-Id` of the response, for inquiries to the service. */
  readonly requestId?: string | undefined;
  /**
   * The outcome of the request, for reads and writes: `'not_sent'`, `'rejected'` or `'unknown'`. Undefined if
   * the error does not belong to a single request.
   */
  readonly outcome?: Outcome | undefined;
  /** Number of requests that the call passed to `fetch`; 0 if the client rejected the call itself. */
  readonly attempts?: number | undefined;
  /** The wait before a retry, in seconds, from `Retry-After`; undefined if the response has none. */
  readonly retryAfter?: number | undefined;
  /**
   * The errors of single request fields that the service reported, limited in number and length, or the field of
   * a payment in which the client found a damaged text. Undefined if there is none.
   */
  readonly fields?: readonly FieldError[] | undefined;
  /** The error that caused this one. */
  readonly cause?: unknown;
  /**
   * The response body, parsed if it is JSON, without API keys. Not enumerable and not in the JSON of the
   * error, because it can contain personal data.
   */
  readonly raw?: unknown;
}

const brand = Symbol.for('@service/sdk/error');

/**
 * The base class of all errors of this package, and the class of an error response that matches no subclass.
 *
 * Check errors with {@link isServiceError} and the guards of the subclasses: unlike `instanceof`, they also
 * work for errors of another realm or another copy of this package.
 *
 * @example
 * try {
 *   await client.quotes.create(body);
 * } catch (error) {
 *   if (isServiceError(error)) console.error(error.name, error.outcome, error.requestId);
 * }
 */
export class ServiceError extends Error implements ErrorFacts {
  static {
    hide(this.prototype, brand, true);
  }

  declare readonly type: string | undefined;
  declare readonly code: 'idempotency_conflict' | 'list_cannot_continue' | undefined;
  declare readonly status: number | undefined;
  declare readonly mode: Mode | undefined;
  declare readonly requestId: string | undefined;
  declare readonly outcome: Outcome | undefined;
  declare readonly attempts: number;
  declare readonly retryAfter: number | undefined;
  declare readonly fields: readonly FieldError[] | undefined;
  /** The address of the documentation of this error. */
  declare readonly docs: string;
  declare readonly raw: unknown;

  constructor(message: string, { cause, raw, ...facts }: ErrorFacts = {}) {
    // A message can contain text of the service. `raw` is not cleaned.
    super(cleanText(message, 2_000), cause === undefined ? undefined : { cause });
    const { type } = facts;
    Object.assign(this, { attempts: 0 }, facts, type !== undefined && { type: cleanText(type, 100) });
    this.docs = `${docs.errors}#${this.name.toLowerCase()}`;
    // A response can echo personal data of the request, so printing the error does not print it.
    hide(this, 'raw', raw);
  }

  /** The name of the error class. Safe to compare, also in minified code. */
  override get name(): string {
    return 'ServiceError';
  }

  /** Returns the fields for a log line: all except `raw`, `cause` and the stack. */
  toJSON(): Record<string, unknown> {
    const { name, message } = this;
    return Object.assign({ name, message } as Record<string, unknown>, this);
  }
}

/** Adds a property that is not enumerable, so that printing or copying the object omits it. */
export function hide(object: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(object, name, { value });
}

/** Returns true for an error of this package, also one of another realm or another copy of the package. */
export function isServiceError(error: unknown): error is ServiceError {
  return typeof error === 'object' && error !== null && brand in error;
}

/**
 * Returns true for the control flow of a framework, an error with a text `digest` by which Next ends the
 * rendering of a page. It must reach the framework unchanged.
 */
export function isControlFlow(error: unknown): boolean {
  return isRecord(error) && typeof copyOwn(error).digest === 'string';
}

/**
 * Replaces the stack of an error of this package by that of the code that awaits the call. Otherwise the
 * stack shows the timer or socket that ended the call. The stack is captured after `entry` has failed: to
 * capture it before each call costs more than the rest of the client. Without an awaiting caller, or without
 * async stack traces in the runtime, the error is unchanged.
 */
export function addCallerStack(error: unknown, entry: (...input: never) => unknown): unknown {
  const captured: { stack?: string } = {};
  Error.captureStackTrace?.(captured, entry);
  const frames = captured.stack?.match(/^ {4}at (?!.*\bnode:internal\b).*$/gm);
  if (isServiceError(error) && frames)
    error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}
