import type { ErrorType, Mode } from '@service/contract';
import { copyOwn, type Fields, isRecord, parseObject, type Parsed } from '@service/internal';
import { docs } from './generated/docs.ts';
import type { Payment, PaymentInput, SentFields } from './models.ts';
import { cleanText, redactCause, redactText } from './redact.ts';

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

const BRAND: unique symbol = Symbol.for('@service/sdk/error');

/**
 * The base class of all errors of this package, and the class of an error response that matches no subclass.
 *
 * `instanceof` this class or a subclass also finds the errors of another realm or another copy of this package.
 *
 * @example
 * try {
 *   await client.quotes.create(body);
 * } catch (error) {
 *   if (error instanceof ServiceError) console.error(error.name, error.outcome, error.requestId);
 * }
 */
export class ServiceError extends Error {
  static {
    hide(this.prototype, BRAND, true);
  }

  /** Returns true for an error of this class, also for one of another realm or another copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (super[Symbol.hasInstance](value)) return true;
    // A class of the caller has the name of its base class.
    const name = Object.hasOwn(this.prototype, 'name') ? this.prototype.name : undefined;
    return isRecord(value) && BRAND in value && (name === 'ServiceError' || name === value.name);
  }

  /** The `error.type` of the response, also one that is not documented; undefined without a response. */
  declare readonly type: string | undefined;
  /**
   * `'idempotency_conflict'` if the service knows the `idempotencyKey` of the call from an earlier request: **a
   * payment may exist** under it. `'other_payment'` if the response to a create shows a payment that cannot be the one
   * sent. `'list_cannot_continue'` if more transactions exist than the pages of the service lead to. Undefined for
   * all other errors.
   */
  declare readonly code: 'idempotency_conflict' | 'other_payment' | 'list_cannot_continue' | undefined;
  /** The HTTP status of the response; undefined without a response. */
  declare readonly status: number | undefined;
  /** The mode in the response, `'test'` or `'live'`; undefined if there is none. */
  declare readonly mode: Mode | undefined;
  /** The `X-Request-Id` of the response, for inquiries to the service. */
  declare readonly requestId: string | undefined;
  /**
   * The outcome of the request, for reads and writes: `'not_sent'`, `'rejected'` or `'unknown'`. Undefined if
   * the error does not belong to a single request.
   */
  declare readonly outcome: Outcome | undefined;
  /** Number of requests that the call passed to `fetch`; 0 if the client rejected the call itself. */
  declare readonly attempts: number;
  /** Minimum wait before a retry in milliseconds, from `Retry-After`; undefined if the response has none. */
  declare readonly retryDelay: number | undefined;
  /**
   * The errors of single request fields that the service reported, limited in number and length, or the field of
   * a payment in which the client found a damaged text. Undefined if there is none.
   */
  declare readonly fields: readonly FieldError[] | undefined;
  /**
   * The response body, parsed if it is JSON, without API keys. Not enumerable and not in the JSON of the
   * error, because it can contain personal data.
   */
  declare readonly raw: unknown;
  /** The address of the documentation of this error. */
  declare readonly docs: string;

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
  declare readonly name: string;

  /** Returns the fields for a log line: all except `raw`, `cause` and the stack. */
  toJSON(): Record<string, unknown> {
    const { name, message } = this;
    return Object.assign({ name, message } as Record<string, unknown>, this);
  }
}

/** The fields of an error. Unknown fields are undefined. See {@link ServiceError}. */
export interface ErrorFacts
  extends
    Partial<Omit<ServiceError, keyof Error | 'docs' | 'toJSON'>>,
    Partial<Pick<ConnectionError, 'address'>>,
    Partial<Pick<IdempotencyError, 'reference' | 'sentAt' | 'paymentId'>> {
  /** The error that caused this one. */
  readonly cause?: unknown;
}

/** A missing, malformed, unknown or revoked API key: 401 `authentication_error`. */
export class AuthenticationError extends ServiceError {
  declare readonly name: 'AuthenticationError';
}

/**
 * An API key without permission for the operation, for example of a suspended account: 403
 * `permission_error`.
 */
export class PermissionError extends ServiceError {
  declare readonly name: 'PermissionError';
}

/** A payment or path that does not exist for the account and mode of the API key: 404 `not_found`. */
export class NotFoundError extends ServiceError {
  declare readonly name: 'NotFoundError';
}

/**
 * An invalid request. `outcome` is `'not_sent'` if the client found the problem, and `'rejected'` if the
 * service did (400, 405, 413, 415 or 422). `fields` are the invalid fields that the service reported.
 */
export class ValidationError extends ServiceError {
  declare readonly name: 'ValidationError';
}

/** A wallet balance that is too low for the payment: 422 `insufficient_funds`. */
export class InsufficientFundsError extends ServiceError {
  declare readonly name: 'InsufficientFundsError';
}

/**
 * A reference or idempotency key that was used before. **A payment may exist** under it.
 *
 * `outcome` is `'not_sent'` if the payer rejected the `reference`, `'rejected'` if the service
 * knows your `idempotencyKey` with another request body, and `'unknown'` if the earlier request may be this
 * one. `code` is `'idempotency_conflict'` if the service knows your key.
 */
export class IdempotencyError extends ServiceError {
  /** The reference that the payer rejected. */
  declare readonly reference: string | undefined;
  /** The time at which the earlier create of the reference was first sent, as ISO 8601 in UTC. */
  declare readonly sentAt: string | undefined;
  /** The id of the earlier payment; undefined if unknown. */
  declare readonly paymentId: string | undefined;

  declare readonly name: 'IdempotencyError';
}

/**
 * Too many requests: 429 `rate_limit_error`. `retryDelay` is the wait in milliseconds that the service requests.
 */
export class RateLimitError extends ServiceError {
  declare readonly name: 'RateLimitError';
}

/** A failure of the service: `server_error`, `service_unavailable`, or a 5xx without a known type. */
export class ServerError extends ServiceError {
  declare readonly name: 'ServerError';
}

/**
 * A response that does not match the documented ones: a redirect, an HTML page, a 2xx without `data`, a
 * different payment than the requested one, an unreadable page of transactions, or a body of more than 8 MiB.
 */
export class UnreadableResponseError extends ServiceError {
  declare readonly name: 'UnreadableResponseError';
}

/** A response whose mode differs from that of the API key, for example a live response to a test key. */
export class ModeMismatchError extends ServiceError {
  declare readonly name: 'ModeMismatchError';
}

/**
 * An invalid option, an API key that must not be used in this environment, or a function of the caller that
 * threw: `apiKey`, a hook or an intent store. `cause` is the error of that function.
 *
 * Usually nothing was sent (`outcome` is `'not_sent'`). If the `onResponse` hook threw, `outcome` is
 * `'unknown'`.
 */
export class ConfigurationError extends ServiceError {
  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, { outcome: 'not_sent', ...facts });
  }

  declare readonly name: 'ConfigurationError';
}

/**
 * A request without a complete response: a DNS or TLS failure, a refused or reset connection, a truncated
 * body. `cause` is the error of `fetch`.
 *
 * `outcome` is `'not_sent'` if the connection was never made, otherwise `'unknown'`.
 */
export class ConnectionError extends ServiceError {
  /** The scheme, host and port of the request, such as `https://api.example.com`. */
  declare readonly address: string | undefined;

  declare readonly name: 'ConnectionError';
}

/**
 * A request whose complete response did not arrive within `timeout` or `totalTimeout`.
 *
 * `outcome` is `'not_sent'` if the time passed before the request was sent, otherwise `'unknown'`.
 */
export class TimeoutError extends ServiceError {
  declare readonly name: 'TimeoutError';
}

/**
 * A call that its `signal` aborted. `cause` is the unchanged reason of the signal.
 *
 * `outcome` is `'unknown'` if a request was being sent: the service may have carried it out. Between two attempts
 * it is the outcome of the last attempt.
 */
export class AbortError extends ServiceError {
  declare readonly name: 'AbortError';
}

/**
 * A payment that did not reach the requested status before the timeout of `waitFor`. It may still reach it.
 *
 * @example
 * if (error instanceof WaitTimeoutError) console.log(error.last?.status);
 */
export class WaitTimeoutError extends ServiceError {
  /**
   * The payment as last retrieved; undefined if no response arrived. Not enumerable, because it contains the
   * name and account of the beneficiary.
   */
  declare readonly last: Payment | undefined;

  constructor(
    message: string,
    { last, ...facts }: ErrorFacts & Partial<Pick<WaitTimeoutError, 'last'>> = {},
  ) {
    super(message, facts);
    hide(this, 'last', last);
  }

  declare readonly name: 'WaitTimeoutError';
}

/** The progress of a request whose outcome is unknown. */
export type RequestPhase = 'waiting' | 'reading' | 'responded';

/**
 * A create with an unknown outcome: **the payment may exist**. `cause` is the error of the request.
 *
 * Do not create the payment again before you have looked for it: with `payments.reconcile(error)`, by
 * `paymentId`, or in the transactions by `purpose`, amount and `sentAt`.
 *
 * @example
 * try {
 *   await client.payments.create(body);
 * } catch (error) {
 *   if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
 *   const { result } = await client.payments.reconcile(error);
 * }
 */
export class PaymentOutcomeUnknownError extends ServiceError {
  /**
   * The progress of the create at the time its outcome became unknown.
   *
   * - `'waiting'`: no response was received.
   * - `'reading'`: the response body was incomplete.
   * - `'responded'`: the response does not show whether the payment was created.
   * - `'recorded'`: the reference has the payment, but it could not be retrieved.
   * - `'searched'`: the result of an earlier create of the reference is not known, and a search did not find its payment.
   */
  declare readonly phase: 'waiting' | 'reading' | 'responded' | 'recorded' | 'searched';
  /** The time at which the first request was passed to `fetch`, as ISO 8601 in UTC by the local clock. */
  declare readonly sentAt: string;
  /** The time at which the last request failed, by the same clock. */
  declare readonly failedAt: string;
  /** The reference of the create, if a payer sent it. */
  declare readonly reference: string | undefined;
  /** The idempotency key that was sent; undefined if none was. */
  declare readonly idempotencyKey: string | undefined;
  /** The payment id in the response, even an incomplete one; undefined if there is none. */
  declare readonly paymentId: string | undefined;
  /**
   * The id of the payment of another create in the response, if `code` is `'other_payment'`. It is not the payment of
   * this create, and can be the one of any other.
   */
  declare readonly otherPaymentId: string | undefined;
  /** The fields of the request by which that payment differs; none if the client returned it for an earlier create. */
  declare readonly differingFields: readonly (keyof PaymentInput)[] | undefined;
  /** The random name of the create, by which its client recognizes it. */
  declare readonly createId: string | undefined;
  /** The ids of payments that the client returned for other creates in the same currencies and amount. */
  declare readonly exclude: readonly string[] | undefined;
  /** The times at which equal creates of the client were sent that were undecided then, as ISO 8601 in UTC. */
  declare readonly openCreates: readonly string[] | undefined;
  /**
   * How the service returned the fields of earlier creates of the client: `exact` if each response showed the field as
   * sent, `changed` if one did not. A field that no create has had is absent.
   */
  declare readonly returnedFields:
    { readonly [Name in keyof PaymentInput]?: 'exact' | 'changed' | undefined } | undefined;
  /** The body of the request as text, without the fields of the beneficiary. */
  declare readonly sent: SentFields;

  /** Returns the whole body of the request as text. A function, so that no log, copy or inspection shows the beneficiary. */
  declare readonly getBody: () => SentFields;

  constructor({ sent, ...facts }: ErrorFacts & PaymentTrace) {
    super(formatMessage(facts), { ...facts, outcome: 'unknown' });
    const { from_currency, to_currency, amount, purpose } = sent;
    Object.assign(this, { sent: { from_currency, to_currency, amount, purpose } });
    hide(this, 'getBody', () => sent);
  }

  declare readonly name: 'PaymentOutcomeUnknownError';
}

/** The fields of a create that identify its payment. `payments.reconcile` takes them. */
export interface PaymentTrace
  extends
    Pick<PaymentOutcomeUnknownError, 'phase' | 'sentAt' | 'failedAt'>,
    Partial<
      Omit<PaymentOutcomeUnknownError, keyof ServiceError | 'phase' | 'sentAt' | 'failedAt' | 'getBody'>
    > {
  /**
   * The body of the request. The JSON of the error has no beneficiary. Add its fields before reconciling: without
   * `beneficiary_name`, no payment is found by its purpose.
   */
  readonly sent: SentFields;
}

/** How a service returned the fields of creates. See {@link PaymentOutcomeUnknownError}. */
export type ReturnedFields = NonNullable<PaymentTrace['returnedFields']>;

const problems: Readonly<Record<PaymentTrace['phase'], string>> = {
  waiting: 'no response was received',
  reading: 'its response is incomplete',
  responded: 'its response does not show the result',
  recorded: 'its payment could not be retrieved',
  searched: 'no payment of the account is certainly its payment',
};

/** Lists fields in parentheses, after a space; empty for none. */
export function listFields(names: readonly string[]): string {
  return names.length > 0 ? ` (${names.join(', ')})` : '';
}

function formatMessage(facts: Omit<PaymentTrace, 'sent'>): string {
  const { phase, paymentId, otherPaymentId, differingFields = [] } = facts;
  let check = 'look for it in the transactions';
  if (paymentId !== undefined && paymentId !== otherPaymentId)
    check = `retrieve ${paymentId} with a ${paymentId.split('_')[1]} key`;
  else if (phase === 'searched')
    check =
      'call pay again later, which searches for it; payments.reconcile(error) explains what was found. Nothing was sent again';
  const other = `its response shows the payment of another create${listFields(differingFields)}`;
  const problem = otherPaymentId === undefined ? problems[phase] : other;
  return `The create was sent, but ${problem}: the payment may exist. Do not create it again before checking; ${check}.`;
}

// Named here, because minifiers rename classes.
for (const [name, { prototype }] of Object.entries({
  ServiceError,
  AuthenticationError,
  PermissionError,
  NotFoundError,
  ValidationError,
  InsufficientFundsError,
  IdempotencyError,
  RateLimitError,
  ServerError,
  UnreadableResponseError,
  ModeMismatchError,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
  AbortError,
  WaitTimeoutError,
  PaymentOutcomeUnknownError,
}))
  hide(prototype, 'name', name);

/** A class of the errors of responses. */
export type ResponseErrorClass = new (message: string, facts: ErrorFacts) => ServiceError;

/** The class of each `error.type` of the contract. */
export const errorsByType: Readonly<Record<ErrorType, ResponseErrorClass>> = {
  authentication_error: AuthenticationError,
  idempotency_error: IdempotencyError,
  insufficient_funds: InsufficientFundsError,
  invalid_request_error: ValidationError,
  method_not_allowed: ValidationError,
  not_found: NotFoundError,
  payload_too_large: ValidationError,
  permission_error: PermissionError,
  rate_limit_error: RateLimitError,
  server_error: ServerError,
  service_unavailable: ServerError,
  unsupported_media_type: ValidationError,
  validation_error: ValidationError,
};

/** The class of each status with which the service rejects a request. */
export const errorsByStatus: Readonly<Record<number, ResponseErrorClass>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  405: ValidationError,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
};

/** Creates the error of an invalid request that was not sent. */
export function createValidationError(message: string): ValidationError {
  return new ValidationError(redactText(message), { outcome: 'not_sent' });
}

/** Creates the error of invalid options. */
export function createUsageError(message: string, fields?: ErrorFacts['fields']): ConfigurationError {
  return new ConfigurationError(redactText(message), { fields });
}

/**
 * Parses options.
 *
 * @throws {ConfigurationError} when an option is unknown, or its value does not match.
 */
export function parseUsage<All extends Fields>(name: string, value: unknown, fields: All): Parsed<All> {
  return parseObject(value, { name, fields, createError: createUsageError });
}

/** Creates the error of a call, or of a wait, that its signal aborted. */
export function createAbortError(
  signal: AbortSignal | undefined,
  facts: ErrorFacts,
  subject = 'The call',
): AbortError {
  return new AbortError(`${subject} was aborted by its signal.`, { ...facts, cause: signal?.reason });
}

/** Adds a property that is not enumerable, so that printing or copying the object omits it. */
export function hide(object: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(object, name, { value });
}

/**
 * Returns true for the control flow of a framework, an error with a text `digest` by which Next ends the
 * rendering of a page. It must reach the framework unchanged.
 */
export function isControlFlow(error: unknown): boolean {
  return isRecord(error) && typeof copyOwn(error).digest === 'string';
}

/**
 * Calls a function of the user.
 *
 * @throws {ConfigurationError} when the function throws. `cause` is its error.
 */
export async function callUser<T>(name: string, step: () => T | Promise<T>, facts?: ErrorFacts): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (isControlFlow(cause)) throw cause;
    throw new ConfigurationError(`${name} failed.`, { ...facts, cause: redactCause(cause) });
  }
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
  if (error instanceof ServiceError && frames)
    error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}
