import type { Mode, OperationId, paths } from '@service/contract';
import { type Field, abortSignal, duration, parseObject, wholeNumber } from '@service/internal';
import { createUsageError } from '../errors/error-classes.ts';
import { type HeaderFields, parseHeaders, reserved } from '../options/headers.ts';
import { type Operation, type RequestFacts, runHook } from '../options/hooks.ts';
import { type ApiKey, resolveKey } from '../options/key.ts';
import type { Settings } from '../options/settings.ts';
import type { Attempt } from './send.ts';

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

type MethodOf<Path extends keyof paths> = {
  [Method in keyof paths[Path] & string]: paths[Path][Method] extends { responses: unknown }
    ? Uppercase<Method>
    : never;
}[keyof paths[Path] & string];

/** The path of an operation of the API document, with a method that it has. */
type Route = {
  [Path in keyof paths]: { readonly method: MethodOf<Path>; readonly path: Path };
}[keyof paths];

/** The request of an operation: its route, the id in its path, the query, and the body as JSON. */
export type OperationRequest = Route & {
  readonly operation: OperationId;
  readonly id?: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: string;
  /** Checks the request for the mode of the API key. */
  readonly check?: ((mode: Mode) => void) | undefined;
  /** Whether the request must not be carried out twice. */
  readonly isSentOnce?: boolean;
  /** Returns whether the request must not be sent any more, although its timeout has not passed. */
  readonly isExpired?: (() => boolean) | undefined;
  /** The key of a call without the option `idempotencyKey`. */
  readonly idempotencyKey?: string | undefined;
  /** The time until which a 404 means that reads do not show the payment yet. */
  readonly unseenUntil?: number | undefined;
};

/** An unsigned request that can be sent several times. Header names are in lower case. */
export interface Draft {
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderFields;
  readonly body: string | undefined;
  readonly check: ((mode: Mode) => void) | undefined;
  readonly isSentOnce: boolean;
  readonly isExpired: (() => boolean) | undefined;
  readonly unseenUntil: number | undefined;
}

// Own properties, so that a polluted prototype cannot add a body or a retry rule.
const defaults = {
  id: '',
  query: undefined,
  body: undefined,
  check: undefined,
  isSentOnce: false,
  isExpired: undefined,
  idempotencyKey: undefined,
  unseenUntil: undefined,
};

/** Prepares the request of a call. */
export function prepareRequest(request: OperationRequest, options: CallOptions, settings: Settings): Draft {
  const { path, id, query, idempotencyKey, ...rest } = { ...defaults, ...request };
  const search = new URLSearchParams(query as Record<string, string> | undefined).toString();
  const key = options.idempotencyKey ?? idempotencyKey;
  return {
    ...rest,
    url: `${settings.baseUrl}${path.replace('{payment_id}', id)}${search && `?${search}`}`,
    headers: {
      ...settings.headers,
      ...options.headers,
      ...(rest.body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
  };
}

/** A request that can be sent once: its URL is in `facts`; the options of `fetch`, and the key that signed it. */
export interface SignedRequest {
  readonly facts: RequestFacts;
  readonly init: RequestInit;
  readonly key: ApiKey;
}

/**
 * Signs a request: resolves the API key, checks the request for its mode, runs the `onRequest` hook and adds the key.
 *
 * @throws {ConfigurationError} when there is no valid key for the request, or the hook throws.
 * @throws {ValidationError} when the payment of the request has another mode.
 */
export async function signRequest(attempt: Attempt): Promise<SignedRequest> {
  const { draft, settings, state, checkDeadline } = attempt;
  const { apiKey, auth } = settings;
  const key = typeof apiKey === 'function' ? await resolveKey(apiKey, settings) : apiKey;
  checkDeadline();
  const { operation, method, url } = draft;
  draft.check?.(key.mode);
  const facts = { operation, method, url, attempt: state.attempts + 1 };
  const extended = settings.hooks.onRequest
    ? await runRequestHook(draft.headers, facts, settings)
    : draft.headers;
  const headers = {
    ...extended,
    accept: 'application/json',
    ...(auth === 'bearer' ? { authorization: `Bearer ${key.secret}` } : { 'x-api-key': key.secret }),
  };
  return { facts, init: toInit(headers, attempt), key };
}

/**
 * Runs the `onRequest` hook and returns the headers with its changes. The hook does not see the API key, and
 * cannot change reserved headers: with another idempotency key, a retry would create a second payment.
 */
async function runRequestHook(
  fixed: HeaderFields,
  facts: RequestFacts,
  { hooks }: Settings,
): Promise<HeaderFields> {
  const headers = new Headers(fixed);
  await runHook(hooks, 'onRequest', { ...facts, headers });
  return { ...pickFields([...headers], false), ...pickFields(Object.entries(fixed), true) };
}

function pickFields(entries: [string, string][], isReserved: boolean): HeaderFields {
  return Object.fromEntries(entries.filter(([name]) => reserved.test(name) === isReserved));
}

/** Creates the `RequestInit` of a signed draft. Redirects are never followed. */
function toInit(headers: HeaderFields, attempt: Attempt): RequestInit {
  const { draft, signal, settings } = attempt;
  const { method, body, isSentOnce } = draft;
  const { hasStreams, hasNoStore } = settings;
  const init: RequestInit = { method, headers, signal, redirect: 'manual' };
  // The `fetch` of a framework, such as Next, caches reads.
  if (hasNoStore) init.cache = 'no-store';
  if (body === undefined) return init;
  return isSentOnce && hasStreams ? { ...init, ...toStream(body, headers, attempt) } : { ...init, body };
}

/**
 * Streams a body so that the runtime cannot replay the request: Node replays on 421, Deno on a broken
 * keep-alive connection, and both only if they hold the bytes of the body. A stream that was not read proves
 * that no body was sent.
 */
function toStream(
  body: string,
  headers: HeaderFields,
  { progress }: Attempt,
): RequestInit & { readonly duplex: 'half' } {
  const bytes = new TextEncoder().encode(body);
  progress.isBodyRead = false;
  const read = (): void => {
    // The outcome `not_sent` is final.
    if (progress.phase === 'preparing') throw new Error('The call has ended.');
    progress.isBodyRead = true;
  };
  // Not `new Response(bytes).body`: Deno still holds the bytes of that stream.
  const stream = new ReadableStream(
    {
      pull: (controller) => {
        read();
        controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return {
    duplex: 'half',
    // Without a length, Node sends the body in chunks, which some servers reject. Deno always sends chunks.
    headers: { ...headers, 'content-length': String(bytes.byteLength) },
    // node-fetch as the global `fetch` sends the text of an object that it does not know.
    body: Object.assign(stream, {
      toString: () => {
        read();
        return body;
      },
    }),
  };
}
