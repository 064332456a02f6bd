import type { Mode } from '@service/contract';
import { captureCaller, pointAtCaller } from '../errors/caller.ts';
import { ConfigurationError } from '../errors/local-errors.ts';
import { refuse } from '../errors/refuse.ts';
import { type HeaderFields, parseHeaders } from '../headers.ts';
import type { JsonObject } from '../json.ts';
import type { Source } from '../money.ts';
import { type Fetch, parseTimeout, pickKnown } from '../options.ts';
import type { Warning } from '../warnings.ts';
import { type Answer, readData, toUnreadable } from './answer.ts';
import { type Progress, startProgress } from './progress.ts';
import { send, type Transport } from './send.ts';

/** Lists what one call can be told. */
export type CallOptions = {
  /** Ends the call at once, in whatever it is doing. Default: none. Example: `AbortSignal.timeout(2_000)`. */
  readonly signal?: AbortSignal | undefined;
  /** Limits the request in milliseconds, its body included. Default: the client's. Example: `5_000`. */
  readonly timeout?: number | undefined;
  /** Adds headers, over the client's. Default: none. Example: `{ 'X-Trace': 'abc' }`. */
  readonly headers?: HeaderFields | undefined;
  /** Sends `Idempotency-Key`: 1 to 255 visible ASCII characters (contract.md 3). Default: none. Example: `'order-42'`. */
  readonly idempotencyKey?: string | undefined;
};

/** Holds the data of a call with what came along. */
export type Answered<T, M extends Mode = Mode> = {
  /** Holds what the call promises without `withResponse()`. */
  readonly data: T;
  /** Holds the answer without its `statusText`; its body has not been read. */
  readonly response: Response;
  /** Holds the `X-Request-Id` of the answer; undefined when absent. */
  readonly requestId: string | undefined;
  /** Holds the mode that answered; undefined when the answer does not say. */
  readonly mode: M | undefined;
  /** Counts the requests that the call took. */
  readonly attempts: number;
  /** Lists what to know of an answer although it went well, such as money that no number can hold. */
  readonly warnings: readonly Warning[];
};

/**
 * Promises the data of a call. The request leaves when the call is made, once, however often the promise is awaited. A
 * call that fails and is awaited in neither form is an unhandled rejection, so that no failed payment goes unnoticed.
 */
export type Call<T, M extends Mode = Mode> = Promise<T> & {
  /** Returns a promise of the data together with the response; it sends nothing more. */
  readonly withResponse: () => Promise<Answered<T, M>>;
};

/** Holds what a call adds to the request that `openapi-fetch` builds. */
export type CallInit = { readonly headers: Record<string, string>; readonly fetch: Fetch };

/** Lets an operation ask the service, and look at how far that came. */
export type Conversation<M extends Mode> = {
  readonly progress: Progress;
  readonly idempotencyKey: string | undefined;
  /**
   * Sends the request that `build` makes; `read` turns the `data` of the answer, a list or an object, into what the
   * operation promises, or returns undefined when it is not what the operation documents.
   */
  readonly ask: <T>(
    build: (init: CallInit) => Promise<unknown>,
    read: (data: JsonObject, reading: Reading) => T | undefined,
  ) => Promise<Answered<T, M>>;
};

/** Holds what else reading an answer takes: the mode of the key that asked, the text, and the `Link` header. */
export type Reading = {
  readonly asked: Mode;
  readonly body: unknown;
  readonly link: string | null;
  readonly source: Source;
};

/** Starts a call; `work` asks the service, and whatever it throws rejects the call. */
export function startCall<T, M extends Mode>(
  transport: Transport,
  options: CallOptions | undefined,
  work: (conversation: Conversation<M>) => Promise<Answered<T, M>>,
): Call<T, M> {
  const caller = captureCaller(startCall);
  const start = async (): Promise<Answered<T, M>> =>
    work(startConversation(transport, parseCallOptions(options)));
  const result = start().catch((error: unknown) => {
    throw pointAtCaller(error, caller);
  });
  const data = result.then((answered) => answered.data);
  const withResponse = (): Promise<Answered<T, M>> => {
    // Whoever asks for the response looks there, and not at the data, for what went wrong.
    data.catch(ignore);
    return result.then((answered) => answered);
  };
  return Object.assign(data, { withResponse });
}

function startConversation<M extends Mode>(transport: Transport, options: CallOptions): Conversation<M> {
  const { signal, idempotencyKey, timeout = transport.settings.timeout } = options;
  const progress = startProgress();
  const warnings: Warning[] = [];
  const warn = (warning: Warning): void => {
    warnings.push(warning);
    transport.settings.warn(warning);
  };
  const headers = { ...options.headers, ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }) };
  const sendOnce = (request: Request): Promise<Answer> =>
    send(request, { progress, signal, timeout }, transport);
  return {
    progress,
    idempotencyKey,
    ask: async (build, read) => {
      const answer = await exchange((fetch) => build({ headers, fetch }), sendOnce);
      const data = read(readData(answer, transport.clock.date()), toReading(answer, warn));
      if (data === undefined) throw toUnreadable(answer, 'its `data` is not what this operation documents');
      const { requestId, mode, attempts } = progress;
      return { data, response: answer.response, requestId, mode: mode as M | undefined, attempts, warnings };
    },
  };
}

function toReading({ asked, body, text, response }: Answer, warn: (warning: Warning) => void): Reading {
  const source: Source = { text, body, warn: (code, message) => warn({ code, message }) };
  return { asked, body, link: response.headers.get('link'), source };
}

/**
 * Has `openapi-fetch` build the request, and takes the answer past it: it would throw a bare SyntaxError for a body that
 * is not JSON, and knows neither data nor error for an empty one.
 */
function exchange(
  build: (fetch: Fetch) => Promise<unknown>,
  sendOnce: (request: Request) => Promise<Answer>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    build(async (request) => {
      resolve(await sendOnce(request));
      return new Response(null, { status: 204 });
    }).catch(reject);
  });
}

const optionNames = {
  signal: true,
  timeout: true,
  headers: true,
  idempotencyKey: true,
} as const satisfies Record<keyof CallOptions, true>;

function parseCallOptions(value: unknown): CallOptions {
  const { signal, timeout, headers, idempotencyKey } = pickKnown(value, Object.keys(optionNames));
  return {
    signal: parseSignal(signal),
    timeout: timeout === undefined ? undefined : parseTimeout('timeout', timeout),
    headers: parseHeaders(headers),
    idempotencyKey: parseIdempotencyKey(idempotencyKey),
  };
}

/** Checks an abort signal, of whatever realm. @throws ConfigurationError (`not_sent`) */
export function parseSignal(value: unknown): AbortSignal | undefined {
  const signal = value as AbortSignal | undefined;
  if (signal === undefined) return undefined;
  if (typeof signal?.aborted === 'boolean' && typeof signal.addEventListener === 'function') return signal;
  throw new ConfigurationError('signal must be an AbortSignal; pass `controller.signal`.');
}

function parseIdempotencyKey(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw refuse('idempotencyKey must be 1 to 255 visible ASCII characters.');
}

function ignore(): void {}
