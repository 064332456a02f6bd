import { abortSignal, checkAll, count, type Rule, span } from '../options/check.ts';
import { misuse } from '../errors/refuse.ts';
import { type HeaderFields, parseHeaders } from '../options/headers.ts';

/** Lists what one call can be told. */
export type CallOptions = {
  /** Ends the call at once, in whatever it is doing. Default: none. Example: `AbortSignal.timeout(2_000)`. */
  readonly signal?: AbortSignal | undefined;
  /** Limits each request in milliseconds, its body included. Default: the client's. Example: `5_000`. */
  readonly timeout?: number | undefined;
  /** Limits the call in milliseconds, over all requests and waits. Default: the client's. Example: `20_000`. */
  readonly totalTimeout?: number | undefined;
  /** Says how often a request may be sent again, where that is safe. Default: the client's. Example: `0`. */
  readonly maxRetries?: number | undefined;
  /** Adds headers, over the client's. Default: none. Example: `{ traceparent }`. */
  readonly headers?: HeaderFields | undefined;
  /** Sends `Idempotency-Key`: 1 to 255 visible ASCII characters (contract.md 3). Default: none. Example: `'order-42'`. */
  readonly idempotencyKey?: string | undefined;
  /** Names what a create is for, to the duplicate guard of the client. Default: none. Example: `'order-42'`. */
  readonly reference?: string | undefined;
};

const token: Rule<string> = [
  '1 to 255 visible ASCII characters',
  (value) => (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value) ? value : undefined),
];

const rules = {
  signal: abortSignal,
  timeout: span,
  totalTimeout: span,
  maxRetries: count(15),
  headers: ['', parseHeaders],
  idempotencyKey: token,
  reference: token,
} as const satisfies Record<keyof CallOptions, Rule>;

const table = { what: 'The options of a call', rules, refuse: misuse };
const none = /* @__PURE__ */ checkAll({}, table);

/** Checks the options of a call. @throws ConfigurationError (`not_sent`) */
export function parseCallOptions(value: unknown): CallOptions {
  return value === undefined ? none : checkAll(value, table);
}
