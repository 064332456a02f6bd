import type { Mode } from '@service/contract';
import { findStream, isRecord, type JsonObject, parseJson, readRest } from '@service/internal';
import {
  type ErrorFacts,
  errorsByStatus,
  errorsByType,
  type FieldError,
  IdempotencyError,
  ModeMismatchError,
  type Outcome,
  type ResponseErrorClass,
  ServerError,
  ServiceError,
  UnreadableResponseError,
} from '../errors.ts';
import type { ApiKey } from '../key.ts';
import type { AmountSource } from '../money.ts';
import type { RequestFacts, Settings, Warning } from '../options.ts';
import { isDocumentedType, isKeyConflict, outcomeOfResponse, readDetail } from '../outcome.ts';
import { cleanText, createMask, redactJson, redactText } from '../redact.ts';
import type { Attempt, CallContext } from './call.ts';
import type { Clock } from './deadline.ts';

/** The parts that all requests of a client share. */
export interface ClientContext {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** A request that can be sent several times. */
export interface Draft {
  readonly operation: RequestFacts['operation'];
  readonly method: string;
  /** The path after the base URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: string | undefined;
  /** Checks the request for the mode of the API key. */
  readonly check?: ((mode: Mode) => void) | undefined;
  /** Whether the request must not be carried out twice. */
  readonly isSentOnce?: boolean;
  /** Returns whether the request must not be sent any more, although its timeout has not passed. */
  readonly isExpired?: (() => boolean) | undefined;
  /** The time until which a 404 means that reads do not show the payment yet. */
  readonly unseenUntil?: number | undefined;
  /** Converts `data` of the response to the result. */
  readonly read: ReadData<unknown>;
}

/** Returns the error fields of a call. */
export function pickFacts({ attempts, attempt }: CallContext, outcome?: Outcome): ErrorFacts {
  const { response, mode } = attempt ?? {};
  return { attempts, status: response?.status, requestId: readRequestId(attempt), mode, outcome };
}

/** Returns the `X-Request-Id` of the response without API keys; undefined without one. */
export function readRequestId(attempt: Attempt | undefined): string | undefined {
  // A custom `fetch` can return anything.
  const { headers }: { readonly headers?: Partial<Headers> } = attempt?.response ?? {};
  const requestId = headers?.get?.('x-request-id');
  return typeof requestId === 'string' ? cleanText(redactText(requestId), 200) : undefined;
}

/** The result of a call with its response and metadata. */
export interface CallResult<T> {
  /** The value that the call itself resolves with. */
  readonly data: T;
  /** The response, without its `statusText`. Its body has not been read. */
  readonly response: Response;
  /** The `X-Request-Id` of the response; undefined if absent. */
  readonly requestId: string | undefined;
  /** The mode in the response; undefined if absent. */
  readonly mode: Mode | undefined;
  /** Number of requests that the call sent. */
  readonly attempts: number;
  /** Warnings about this response, for example an amount that the service changed. */
  readonly warnings: readonly Warning[];
}

/** A complete response of the service. */
export interface ServiceResponse {
  readonly attempt: Attempt;
  readonly response: Response;
  /** The text of the body, the parsed body, and the function that warns about its content. */
  readonly source: AmountSource;
  readonly warnings: readonly Warning[];
  /** The mode of the API key of the request. */
  readonly asked: Mode;
  /** Returns the error fields of the response, with API keys removed from its body. */
  readonly facts: (outcome: Outcome) => ErrorFacts & { readonly status: number };
}

/** Converts `data`, a list or an object, to the result. Returns undefined if it cannot. */
export type ReadData<T> = (data: JsonObject, response: ServiceResponse) => T | undefined;

/** Maximum size of a response body in bytes, after decompression. A page of 100 rows has about 40 KiB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Receives the body of a response into its attempt. Streams it if it can be large, and for a create, so that an
 * incomplete body is kept. Returns false for a body that is too large.
 */
export async function receiveBody(
  response: Response,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<boolean> {
  if (response.type === 'error') throw new Error('fetch returned an error');
  // A `fetch` that ignores its signal can respond after the call was rejected.
  if (signal.aborted) await response.body?.cancel?.();
  attempt.phase = 'reading';
  attempt.response = response;
  const stream = findStream(response);
  if (!stream || (!attempt.draft.isSentOnce && isSmall(response))) {
    const text = await response.text();
    attempt.readText = () => text;
    return text.length <= MAX_BODY_BYTES;
  }
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  attempt.readText = () => {
    const utf8 = new TextDecoder();
    // Without `stream` where possible: it takes 2 % of a create.
    return chunks.map((chunk) => utf8.decode(chunk, { stream: chunk !== chunks.at(-1) })).join('');
  };
  // Called when the attempt is stopped. A listener of the signal takes 2 % of a create.
  attempt.cancelBody = () => void reader.cancel().catch(() => {});
  return (await readRest(reader, MAX_BODY_BYTES, chunks)) !== undefined;
}

/**
 * Returns true for a body with a small declared length, and for a response that was created in this process.
 */
function isSmall(response: Response): boolean {
  const length = response.headers.get('content-length');
  // Checked last, because reading `url` serializes it.
  if (length === null) return response.url === '';
  return Number(length) <= MAX_BODY_BYTES && !response.headers.has('content-encoding');
}

/**
 * Parses a response whose body was received.
 *
 * @throws {UnreadableResponseError} when it is a redirect or has an invalid status.
 * @throws {ModeMismatchError} when its mode differs from that of the API key.
 */
export function parseResponse({ mode: asked }: ApiKey, attempt: Attempt): ServiceResponse {
  const { call } = attempt;
  const response = attempt.response as Response;
  const text = attempt.readText();
  const { status, type, redirected } = response;
  const body = parseJson(text);
  const mode = isRecord(body) ? (body.mode ?? undefined) : undefined;
  attempt.phase = 'responded';
  attempt.mode = mode === 'test' || mode === 'live' ? mode : undefined;
  const facts: ServiceResponse['facts'] = (outcome) => ({
    ...pickFacts(call, outcome),
    status,
    raw: redactJson(body ?? text),
  });
  const isRedirect = type === 'opaqueredirect' || redirected || (status >= 300 && status < 400);
  if (isRedirect || !(status >= 200 && status < 600)) {
    throw new UnreadableResponseError(
      'The response has an invalid status, or is a redirect, which could expose the API key. Check baseUrl.',
      facts('unknown'),
    );
  }
  // A 401 was not authenticated, so its mode is a guess.
  if (status !== 401 && mode !== undefined && mode !== asked)
    throw new ModeMismatchError(
      `The response is not in ${asked} mode, as the API key is. Check the API key and baseUrl.`,
      facts('unknown'),
    );
  const warnings: Warning[] = [];
  const warn: AmountSource['warn'] = (code, message) => {
    warnings.push({ code, message });
    call.settings.warn({ code, message });
  };
  return { attempt, response, source: { text, body, warn }, warnings, asked, facts };
}

/**
 * Reads the result of an operation from its response.
 *
 * @throws {ServiceError} when the response reports an error, as the class of that error.
 * @throws {UnreadableResponseError} when the response does not match the documented one.
 */
export function readResult(received: ServiceResponse): unknown {
  const { attempt, response, source } = received;
  const { call, draft } = attempt;
  if (response.status >= 300) throw createResponseError(received);
  if (!isRecord(source.body)) throw createUnreadableError(received, 'it is not a JSON object');
  const { success, data } = source.body;
  if (success !== true) throw createUnreadableError(received, '`success` is not true');
  const hasData = typeof data === 'object' && data !== null;
  // The rows of a page of transactions can be outside of `data`.
  if (!hasData && draft.operation !== 'listTransactions')
    throw createUnreadableError(received, 'it has no `data` object');
  const result = draft.read(hasData ? (data as JsonObject) : {}, received);
  if (result === undefined) throw createUnreadableError(received, NOT_DOCUMENTED);
  call.received = received;
  return result;
}

/** The problem of a response with another form than the documented one. */
export const NOT_DOCUMENTED = 'its `data` does not match the documented response';

/** Returns the result of a call with its response and metadata. */
export function toCallResult<T>(data: T, { attempts, received }: CallContext): CallResult<T> {
  const { attempt, warnings } = received as ServiceResponse;
  return {
    data,
    response: rebuildResponse(received as ServiceResponse),
    requestId: readRequestId(attempt),
    mode: attempt.mode,
    attempts,
    warnings,
  };
}

/** Creates the error of a 2xx that does not match the documented response. */
export function createUnreadableError(
  { facts }: ServiceResponse,
  why: string,
  code?: ErrorFacts['code'],
): UnreadableResponseError {
  const failure = facts('unknown');
  const { type } = readDetail(failure.raw);
  return new UnreadableResponseError(`The response cannot be read: ${why}.`, { ...failure, type, code });
}

/** Creates a copy of a response with an unread body. */
export function rebuildResponse({ response, source }: ServiceResponse): Response {
  const { status, headers } = response;
  const isEmpty = status === 204 || status === 205;
  // The headers of a custom `fetch` can have `get` only.
  const init = { status, headers: Symbol.iterator in headers ? headers : {} };
  // Without `statusText`: the constructor rejects some texts that servers send.
  return new Response(isEmpty ? null : source.text, init);
}

/** Converts `Retry-After`, seconds or an HTTP date, to milliseconds; undefined if absent, invalid or in the past. */
function parseRetryDelay(value: string | null, now: Date): number | undefined {
  if (value === null) return undefined;
  const delay = /^\d+$/.test(value) ? Number(value) * 1_000 : parseHttpDate(value) - now.getTime();
  return delay >= 0 ? delay : undefined;
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Parses an HTTP date (IMF-fixdate, RFC 9110, section 5.6.7) into milliseconds. Returns NaN for any other
 * text.
 */
export function parseHttpDate(text: string): number {
  return httpDate.test(text) ? Date.parse(text) : Number.NaN;
}

/**
 * Creates the error that a response reports: by its `error.type`, otherwise by its HTTP status
 * (docs/contract.md#errors).
 */
function createResponseError({ attempt, response, source, facts: toFacts }: ServiceResponse): ServiceError {
  const { draft, call } = attempt;
  const { status, headers } = response;
  const failed = {
    ...source,
    status,
    hasCallerKey: call.options.idempotencyKey !== undefined,
    replaysKeys: call.settings.keyRetention > 0,
  };
  const outcome = outcomeOfResponse(failed);
  const facts = toFacts(outcome);
  const { type, message } = readDetail(facts.raw);
  const hasConflict = isKeyConflict(failed);
  const byStatus = errorsByStatus[status] ?? (status >= 500 ? ServerError : ServiceError);
  const byType = isDocumentedType(type) ? errorsByType[type] : byStatus;
  const Class: ResponseErrorClass = hasConflict ? IdempotencyError : byType;
  const mask = createMask(draft.body);
  // An operation without an id gets a 404 only for a wrong path.
  const isWrongPath = status === 404 && draft.operation !== 'getPayment';
  const isUsedKey = hasConflict || (Class === IdempotencyError && outcome === 'rejected');
  const advice = isUsedKey
    ? ' A payment may exist under that idempotency key.'
    : isWrongPath
      ? ' Check that baseUrl is right and includes the version segment.'
      : '';
  const shown = message === undefined ? `The service responded with status ${status}.` : mask(message);
  const text = cleanText(shown, 500);
  // The message of a service may end without a full stop.
  const stop = advice === '' || /[.!?…]$/.test(text) ? '' : '.';
  const fields = readFieldErrors(facts.raw, mask);
  return new Class(text + stop + advice, {
    ...facts,
    ...(hasConflict && { code: 'idempotency_conflict' }),
    ...(fields && { fields }),
    retryDelay: parseRetryDelay(headers.get('retry-after'), call.clock.date()),
    type,
  });
}

/** Maximum number of field errors. */
const MAX_FIELDS = 20;

/**
 * Reads the field errors of a response from the first list in its `error` or in the envelope. Ignores all other
 * properties, because they can echo the sent value.
 *
 * @param mask Masks beneficiary names and account numbers in a text.
 */
function readFieldErrors(raw: unknown, mask: (text: string) => string): readonly FieldError[] | undefined {
  const owners = isRecord(raw) ? [raw.error, raw].filter(isRecord) : [];
  // An object under another name, such as `details`, has facts of the error.
  const lists = owners.flatMap(({ fields, errors, violations, details, detail }) =>
    [toItems(fields), toItems(errors), violations, details, detail].filter(Array.isArray),
  );
  return lists
    .map((list: unknown[]) => list.slice(0, MAX_FIELDS).flatMap((item) => readItem(item, mask)))
    .find(({ length }) => length > 0);
}

/** Converts an object from field names to messages to a list. Returns any other value itself. */
function toItems(list: unknown): unknown {
  if (!isRecord(list)) return list;
  return Object.entries(list).flatMap(([field, messages]) =>
    [messages].flat().map((message) => ({ field, message })),
  );
}

function readItem(item: unknown, mask: (text: string) => string): FieldError[] {
  if (!isRecord(item)) return [];
  const message = item.message ?? item.msg ?? item.detail ?? item.reason;
  // FastAPI puts the location first: `['body', 'amount']`.
  const path = [item.field ?? item.path ?? item.loc].flat().filter((part) => part !== 'body');
  const field = path.filter((part) => typeof part === 'string' || typeof part === 'number').join('.');
  if (typeof message !== 'string') return [];
  return [{ field: cleanText(mask(field), 100), message: cleanText(mask(message), 300) }];
}
