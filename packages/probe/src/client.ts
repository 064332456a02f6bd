import { findRootCause, readBytes, redactKeys } from '@service/internal';
import { toBody } from './exchange.ts';
import { NoResponse, OutOfTime } from './finding.ts';
import { type Call, PLAIN, toCall } from './call.ts';
import { describeResponse, type RawResponse } from './response.ts';
import type { Run } from './run.ts';

/** The options of a request: `body` is sent as JSON, `raw` unchanged. */
export interface RawRequest {
  /** The question that the request is for; `plain` for a valid request that asks nothing in particular. */
  readonly label?: string;
  readonly method?: string;
  readonly body?: object;
  readonly raw?: string;
  /** Headers to add or replace; null removes a default header. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** A client that adds each exchange to a list. */
export interface Client {
  /** The API key of the run. */
  readonly ownKey: string;
  /** Sends a request: a POST if it has a body, else a GET. A 429 is sent again after its `Retry-After`. */
  readonly send: (path: string, request?: RawRequest) => Promise<Call>;
}

/** The connection settings of a client. */
export interface RawClientOptions extends Pick<Run, 'plan' | 'now' | 'sleep'> {
  readonly baseUrl: string;
  readonly key: string;
  readonly fetch: typeof globalThis.fetch;
  /** The time after which nothing is sent. */
  readonly end: number;
  /** The list of the exchanges with a response. */
  readonly calls: Call[];
}

/** The largest body of a response. */
const MAX_BODY_BYTES = 1_048_576;

/** Maximum time per request, in milliseconds. */
const TIMEOUT = 30_000;
const MAX_RETRIES = 5;
const MAX_WAIT_SECONDS = 60;

/**
 * Creates a client without the tolerance of the SDK, so that a run sees the responses as sent. It follows no redirect. A
 * 5xx, a 401 for the probe's key and a success without JSON throw `NoResponse`, because they do not depend on the request.
 */
export function createClient(options: RawClientOptions): Client {
  return {
    ownKey: options.key,
    send: async (path, request = {}) => {
      let gap = 0;
      for (let retries = 0; ; retries += 1) {
        if (options.now() + gap > options.end) throw new OutOfTime('the run has no time for this');
        if (gap > 0) await options.sleep(gap);
        const call = await sendOnce(options, path, request).catch((error: unknown) => {
          // A connection can break; a second payment would be another one.
          if (path === '/payments' || !(error instanceof NoResponse)) throw error;
          return sendOnce(options, path, request);
        });
        const { response } = call;
        if (response.status !== 429) {
          assertUsable(response, request);
          return call;
        }
        const seconds = readRetryAfter(response.headers) ?? 2 ** retries;
        if (seconds > MAX_WAIT_SECONDS || retries === MAX_RETRIES)
          throw new NoResponse(
            `the rate limit requires a wait of ${seconds} s after ${retries + 1} requests`,
          );
        gap = Math.max(1, seconds) * 1_000;
        options.plan.onProgress([`${Math.ceil(seconds)} s for the rate limit`]);
      }
    },
  };
}

function assertUsable(response: RawResponse, { headers = {}, label = PLAIN, method }: RawRequest): void {
  const { status } = response;
  const isProbeKey = !('authorization' in headers || 'x-api-key' in headers);
  if ((status >= 500 && label === PLAIN) || (status === 401 && isProbeKey))
    throw new NoResponse(`the service responded with ${describeResponse(response)}`);
  if (status < 300 && response.body === undefined && label === PLAIN && method === undefined)
    throw new NoResponse(`the service responded with ${status} without JSON`);
}

/** Returns the seconds of `Retry-After`. A date is relative to the `Date` of the response, because clocks differ. */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1_000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

async function sendOnce(options: RawClientOptions, path: string, request: RawRequest): Promise<Call> {
  const { baseUrl, key, fetch, now, calls } = options;
  const { signal } = options.plan;
  const { body, raw = body && JSON.stringify(body), method = raw === undefined ? 'GET' : 'POST' } = request;
  const defaults = {
    accept: 'application/json',
    authorization: `Bearer ${key}`,
    ...(raw !== undefined && { 'content-type': 'application/json' }),
  };
  const headers = Object.fromEntries(
    Object.entries({ ...defaults, ...request.headers }).filter(
      (header): header is [string, string] => header[1] !== null,
    ),
  );
  const init = {
    method,
    headers,
    redirect: 'manual',
    cache: 'no-store',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    // Without the header, fetch would set `text/plain` for a text.
    ...(raw !== undefined && { body: 'content-type' in headers ? raw : new TextEncoder().encode(raw) }),
  } as const;
  const start = now();
  try {
    const received = await fetch(`${baseUrl}${path}`, init);
    const bytes = await readBytes(received, MAX_BODY_BYTES);
    if (bytes === undefined) throw new NoResponse('the response is larger than 1 MiB');
    const text = new TextDecoder().decode(bytes);
    const exchange = {
      at: new Date(start).toISOString(),
      ms: now() - start,
      request: { method, path, headers, ...toBody(raw ?? '') },
      response: {
        status: received.status,
        headers: Object.fromEntries(received.headers),
        ...toBody(text),
      },
    };
    const call = toCall(exchange, request.label ?? PLAIN) as Call;
    calls.push(call);
    return call;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NoResponse) throw error;
    const cause = findRootCause(error);
    throw new NoResponse(`no response${cause === undefined ? '' : `: ${redactKeys(cause)}`}`);
  }
}
