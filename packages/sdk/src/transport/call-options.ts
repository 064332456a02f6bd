import { ConfigurationError } from '../errors/local-errors.ts';
import { refuse } from '../errors/refuse.ts';
import { type HeaderFields, parseHeaders } from '../headers.ts';
import { copyOwn } from '../json.ts';
import { parseCount, parseTimeout, pickKnown } from '../parse.ts';

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

const optionNames = {
  signal: true,
  timeout: true,
  totalTimeout: true,
  maxRetries: true,
  headers: true,
  idempotencyKey: true,
  reference: true,
} as const satisfies Record<keyof CallOptions, true>;

/** Checks the options of a call. @throws ConfigurationError (`not_sent`) */
export function parseCallOptions(value: unknown): CallOptions {
  if (value === undefined) return copyOwn({});
  const { signal, timeout, totalTimeout, maxRetries, headers, idempotencyKey, reference } = pickKnown(
    value,
    Object.keys(optionNames),
  );
  return {
    signal: parseSignal(signal),
    timeout: timeout === undefined ? undefined : parseTimeout('timeout', timeout),
    totalTimeout: totalTimeout === undefined ? undefined : parseTimeout('totalTimeout', totalTimeout),
    maxRetries: maxRetries === undefined ? undefined : parseCount('maxRetries', maxRetries),
    headers: parseHeaders(headers),
    idempotencyKey: parseToken('idempotencyKey', idempotencyKey),
    reference: parseToken('reference', reference),
  };
}

/** Checks an abort signal, of whatever realm. @throws ConfigurationError (`not_sent`) */
export function parseSignal(value: unknown): AbortSignal | undefined {
  const signal = value as AbortSignal | undefined;
  if (signal === undefined) return undefined;
  if (typeof signal?.aborted === 'boolean' && typeof signal.addEventListener === 'function') return signal;
  throw new ConfigurationError('signal must be an AbortSignal; pass `controller.signal`.');
}

function parseToken(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw refuse(`${name} must be 1 to 255 visible ASCII characters.`);
}
