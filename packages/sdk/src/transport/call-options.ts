import { type Field, abortSignal, duration, parseObject, wholeNumber } from '@service/internal';
import { createUsageError } from '../errors/validation-error.ts';
import { type HeaderFields, parseHeaders } from '../options/headers.ts';

/** The options of one call. */
export interface CallOptions {
  /**
   * Aborts the call immediately, also while it waits for a retry. An abort does not undo a request that was
   * sent.
   *
   * @default none
   * @example controller.signal
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Maximum time per request in milliseconds, response body included.
   *
   * @default the `timeout` of the client
   * @example 5_000
   */
  readonly timeout?: number | undefined;
  /**
   * Maximum time of the call in milliseconds, all requests and waits included.
   *
   * @default the `totalTimeout` of the client
   * @example 20_000
   */
  readonly totalTimeout?: number | undefined;
  /**
   * Maximum number of retries, from 0 to 15. Only requests that are safe to repeat are retried.
   *
   * @default the `maxRetries` of the client
   * @example 0
   */
  readonly maxRetries?: number | undefined;
  /**
   * Extra headers. They override the `headers` of the client.
   *
   * @default none
   * @example { traceparent }
   */
  readonly headers?: HeaderFields | undefined;
  /**
   * The `Idempotency-Key` of the request: 1 to 255 visible ASCII characters.
   *
   * @default none; for `payments.create` see `idempotencyKeys` of the client
   * @example 'order-42'
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * Your reference of a payment, for example an order number. The duplicate guard of the client prevents a
   * second payment with the same reference. Requires the client option `duplicateGuard`.
   *
   * @default none
   * @example 'order-42'
   */
  readonly reference?: string | undefined;
}

const token: Field<string> = {
  expected: '1 to 255 visible ASCII characters',
  parse: (value) => (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value) ? value : undefined),
};

const fields = {
  signal: abortSignal,
  timeout: duration,
  totalTimeout: duration,
  maxRetries: wholeNumber(15),
  headers: { expected: '', parse: parseHeaders },
  idempotencyKey: token,
  reference: token,
} as const satisfies Record<keyof CallOptions, Field>;

const schema = { name: 'The options of a call', fields, createError: createUsageError };
const noOptions = /* @__PURE__ */ parseObject({}, schema);

/**
 * Parses the options of a call.
 *
 * @throws {ConfigurationError} when an option is unknown or invalid.
 */
export function parseCallOptions(value: unknown): CallOptions {
  return value === undefined ? noOptions : parseObject(value, schema);
}
