import { findRootCause, type JsonObject, parseJson, readBytes, toRecord } from '@service/internal';
import type { Fetch } from '@service/sdk';
import { NoResponse } from './finding.ts';
import { createPace } from './pace.ts';
import type { Timeline } from './timeline.ts';

/** The options of a raw request: `body` is sent as JSON, `raw` unchanged. */
export interface RawRequest {
  readonly body?: object;
  readonly raw?: string;
  /** Headers to add or replace; null removes a default header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Whether a 5xx is a result, rather than a failure of the run. */
  readonly isOutage?: true;
}

/** A response as received. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
  /** The fields of `data`; empty if there are none. */
  readonly data: JsonObject;
  /** Whether the operation succeeded: a 2xx with JSON whose `success` is not false. */
  readonly accepted: boolean;
  /** The request, whose values a response can show. Undefined if it was not recorded. */
  readonly request?: {
    readonly method: string;
    readonly path: string;
    /** The path with the query. */
    readonly target: string;
    readonly at: number;
  };
}

/**
 * Sends a request: a POST if it has a body, else a GET.
 *
 * @throws {NoResponse} when no usable response arrives.
 */
export type SendRequest = (path: string, request?: RawRequest) => Promise<RawResponse>;

/** The connection settings of a raw client. */
export interface RawClientOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  readonly timeline: Timeline;
  readonly now: () => number;
  /** Called with each response to a request during which no other one was in flight, and the time that it took. */
  readonly onResponse: (response: RawResponse, milliseconds: number) => void;
  /** Called before a wait for the rate limit, with its seconds and the 429. Returns a function to call after it. */
  readonly onLimited: (seconds: number, response: RawResponse) => () => void;
}

/** Maximum time per request, in milliseconds. */
const TIMEOUT = 30_000;
const MAX_RETRIES = 5;
const MAX_WAIT_SECONDS = 60;

/**
 * Creates a client without the tolerance of the SDK, so that experiments see the responses as sent. Retries a
 * 429 after its `Retry-After`; retries nothing else and follows no redirect. A 5xx, a 401 for the probe's key
 * and a success without JSON throw `NoResponse`, because they do not depend on the tested request.
 */
export function createSendRequest(options: RawClientOptions): SendRequest {
  const pace = createPace(options);
  return async (path, request = {}) => {
    for (let retries = 0; ; retries += 1) {
      await pace.wait();
      const response = await sendOnce(options, path, request);
      pace.note(response);
      if (response.status !== 429) return assertUsable(response, request);
      const seconds = readRetryAfter(response.headers) ?? 2 ** retries;
      if (seconds > MAX_WAIT_SECONDS)
        throw new NoResponse(`the service requires a wait of ${seconds} s, more than ${MAX_WAIT_SECONDS} s`);
      if (retries === MAX_RETRIES)
        throw new NoResponse(`the rate limit did not reset within ${MAX_RETRIES} retries`);
      const wait = Math.max(1, seconds);
      const end = options.onLimited(wait, response);
      await options.timeline.sleep(wait * 1_000).finally(end);
    }
  };
}

function assertUsable(response: RawResponse, { headers = {}, isOutage }: RawRequest): RawResponse {
  const { status } = response;
  const isProbeKey = !('authorization' in headers || 'x-api-key' in headers);
  if ((status >= 500 && !isOutage) || (status === 401 && isProbeKey))
    throw new NoResponse(`the service responded with ${describeResponse(response)}`);
  if (status < 300 && response.body === undefined)
    throw new NoResponse(`the service responded with ${status} without JSON`);
  return response;
}

/**
 * Returns the seconds of `Retry-After`. A date is relative to the `Date` of the response, because clocks
 * differ.
 */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1_000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/**
 * Sends one request and returns any response.
 *
 * @throws {NoResponse} when no response arrives.
 */
export async function sendOnce(
  options: RawClientOptions,
  path: string,
  rawRequest: RawRequest,
): Promise<RawResponse> {
  const { baseUrl, key, fetch, signal, now } = options;
  const { body, raw = body && JSON.stringify(body) } = rawRequest;
  const defaults = {
    accept: 'application/json',
    authorization: `Bearer ${key}`,
    ...(raw !== undefined && { 'content-type': 'application/json' }),
  };
  const sentHeaders = Object.entries({ ...defaults, ...rawRequest.headers }).filter(
    (header): header is [string, string] => header[1] !== null,
  );
  const { href, pathname, search } = new URL(`${baseUrl}${path}`);
  const init = {
    method: raw === undefined ? 'GET' : 'POST',
    headers: Object.fromEntries(sentHeaders),
    redirect: 'manual',
    cache: 'no-store',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    ...(raw !== undefined && { body: raw }),
  } as const;
  try {
    return await options.timeline.request(async (isAlone) => {
      const start = now();
      const received = (await fetch(href, init)) as Response;
      const sent = { method: init.method, path: pathname, target: pathname + search, at: start };
      const response = { ...toRawResponse(received, await readText(received)), request: sent };
      if (isAlone()) options.onResponse(response, now() - start);
      return response;
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NoResponse) throw error;
    const cause = findRootCause(error);
    throw new NoResponse(`no response${cause === undefined ? '' : `: ${cause}`}`);
  }
}

const MAX_BODY_BYTES = 1_048_576;

/**
 * Reads a body as text.
 *
 * @throws {NoResponse} when it exceeds a size that no response of the service has.
 */
async function readText(response: Response): Promise<string> {
  const bytes = await readBytes(response, MAX_BODY_BYTES);
  if (bytes === undefined) throw new NoResponse('the response is larger than 1 MiB');
  return new TextDecoder().decode(bytes);
}

function toRawResponse({ status, headers }: Response, text: string): RawResponse {
  const body = parseJson(text);
  const { success, data } = toRecord(body);
  const accepted = status >= 200 && status < 300 && body !== undefined && success !== false;
  return { status, headers, text, body, data: toRecord(data), accepted };
}

const MAX_VALUE_LENGTH = 80;

/** Formats a value of a response as JSON, truncated to fit a line. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** Returns true for a 4xx and a 5xx. */
export function isError({ status }: RawResponse): boolean {
  return status >= 400;
}

/** Returns true for a 4xx: the service rejected the request itself. */
export function isRefusal({ status }: RawResponse): boolean {
  return status >= 400 && status < 500;
}

/** Formats the status of a response and the type of its error. */
export function describeResponse({ status, body }: RawResponse): string {
  const { type } = toRecord(toRecord(body).error);
  return typeof type === 'string' ? `${status} ${type.slice(0, MAX_VALUE_LENGTH)}` : String(status);
}
