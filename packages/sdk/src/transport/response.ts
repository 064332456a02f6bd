import type { Mode, OperationId } from '@service/contract';
import { type JsonObject, isRecord, parseJson } from '@service/internal';
import { createResponseError, readDetail } from '../errors/classify.ts';
import { ModeMismatchError, UnreadableResponseError } from '../errors/error-classes.ts';
import { createMask, redactJson } from '../errors/redact.ts';
import type { ErrorFacts, Outcome, ServiceError } from '../errors/service-error.ts';
import type { ApiKey } from '../options/key.ts';
import type { Warning } from '../options/log.ts';
import type { Settings } from '../options/settings.ts';
import { findMismatch, type StandardSchema } from '../options/response-schema.ts';
import type { AmountSource } from '../values/money.ts';
import { isKeyConflict, outcomeOfResponse } from './outcome.ts';
import { type Attempt, pickFacts } from './send.ts';

/** The result of a call with its response and metadata. */
export interface CallResult<T, M extends Mode = Mode> {
  /** The value that the call itself resolves with. */
  readonly data: T;
  /** The response, without its `statusText`. Its body has not been read. */
  readonly response: Response;
  /** The `X-Request-Id` of the response; undefined if absent. */
  readonly requestId: string | undefined;
  /** The mode in the response; undefined if absent. */
  readonly mode: M | undefined;
  /** Number of requests that the call sent. */
  readonly attempts: number;
  /** Warnings about this response, for example an amount that a `number` cannot represent exactly. */
  readonly warnings: readonly Warning[];
}

/** A complete response of the service. */
export interface ServiceResponse {
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

/**
 * Parses a response whose body was received.
 *
 * @throws {UnreadableResponseError} when it is a redirect or has an invalid status.
 * @throws {ModeMismatchError} when its mode differs from that of the API key.
 */
export function parseResponse(
  response: Response,
  { mode: asked, secret }: ApiKey,
  { state, progress, settings }: Attempt,
): ServiceResponse {
  const { status } = response;
  const text = progress.received;
  const body = parseJson(text);
  const mode = isRecord(body) ? (body.mode ?? undefined) : undefined;
  progress.phase = 'responded';
  progress.mode = mode === 'test' || mode === 'live' ? mode : undefined;
  const facts: ServiceResponse['facts'] = (outcome) => ({
    ...pickFacts(state, outcome),
    status,
    raw: redactJson(body ?? text, secret),
  });
  assertReadable(response, { mode, asked, facts });
  const warnings: Warning[] = [];
  const warn: AmountSource['warn'] = (code, message) => {
    warnings.push({ code, message });
    settings.warn({ code, message });
  };
  return { response, source: { text, body, warn }, warnings, asked, facts };
}

interface ReceivedMode extends Pick<ServiceResponse, 'asked' | 'facts'> {
  /** The mode in the response. */
  readonly mode: unknown;
}

function assertReadable({ status, type, redirected }: Response, { mode, asked, facts }: ReceivedMode): void {
  if (
    type === 'opaqueredirect' ||
    redirected ||
    !(status >= 200 && status < 600) ||
    (status >= 300 && status < 400)
  ) {
    throw new UnreadableResponseError(
      'The response is a redirect or has an invalid status. Redirects are not followed, because they could expose the API key. Check baseUrl.',
      facts('unknown'),
    );
  }
  // A 401 was not authenticated, so its mode is a guess.
  if (status !== 401 && mode !== undefined && mode !== asked) {
    throw new ModeMismatchError(
      `The API key is in ${asked} mode, but the response is in another mode. Check the API key and baseUrl.`,
      facts('unknown'),
    );
  }
}

/**
 * Reads the result of an operation from its response.
 *
 * @throws {ServiceError} when the response reports an error, as the class of that error.
 * @throws {UnreadableResponseError} when the response does not match the documented one, or its schema.
 */
export async function readResult<T, M extends Mode>(
  received: ServiceResponse,
  attempt: Attempt,
  read: ReadData<T>,
): Promise<CallResult<T, M>> {
  const schema = attempt.settings.responseSchemas[attempt.draft.operation as OperationId];
  const data = readData(received, attempt);
  if (schema) await validateResponse(received, schema, attempt.settings);
  const result = read(data, received);
  if (result !== undefined) return toCallResult(result, received, attempt);
  throw createUnreadableError(received, 'its `data` does not match the documented response of the operation');
}

/**
 * Returns the `data` of a successful response (docs/contract.md#transport). Returns an empty object for a
 * page of transactions without `data`, because its rows can be outside of it.
 */
function readData(received: ServiceResponse, attempt: Attempt): JsonObject {
  const { body } = received.source;
  if (received.response.status >= 300) throw classifyResponse(received, attempt);
  if (!isRecord(body)) throw createUnreadableError(received, 'it is not a JSON object');
  const { success, data } = body;
  if (success !== true) throw createUnreadableError(received, '`success` is not true');
  if (typeof data === 'object' && data !== null) return data as JsonObject;
  if (attempt.draft.operation === 'listTransactions') return {};
  throw createUnreadableError(received, 'it has no `data` object');
}

/** Creates the error that a response reports. */
function classifyResponse(
  { response, source, facts }: ServiceResponse,
  { draft, options, settings, clock }: Attempt,
): ServiceError {
  const { status, headers } = response;
  const failed = {
    ...source,
    status,
    hasCallerKey: options.idempotencyKey !== undefined,
    replaysKeys: settings.keyRetention > 0,
  };
  const code = isKeyConflict(failed) ? ({ code: 'idempotency_conflict' } as const) : {};
  const retryAfter = parseRetryAfter(headers.get('retry-after'), clock.date());
  // An operation without an id gets a 404 only for a wrong path.
  const isWrongPath = status === 404 && draft.operation !== 'getPayment';
  const hint = isWrongPath ? ' Check that baseUrl is right and includes the version segment.' : '';
  return createResponseError(
    { ...facts(outcomeOfResponse(failed)), ...code, retryAfter },
    { hint, mask: createMask(draft.body) },
  );
}

/**
 * Validates a response against a schema. A mismatch is a warning or an error.
 *
 * @throws {UnreadableResponseError} when they differ and `responseValidation` is `'throw'`.
 */
async function validateResponse(
  received: ServiceResponse,
  schema: StandardSchema,
  { responseValidation }: Settings,
): Promise<void> {
  const mismatch = await findMismatch(schema, received.source.body);
  if (mismatch === undefined) return;
  const why = `it does not match the response schema of its operation: ${mismatch}`;
  if (responseValidation === 'throw') throw createUnreadableError(received, why);
  received.source.warn('unexpected_response', `The response was accepted, but ${why}.`);
}

/** Creates the error of a 2xx that does not match the documented response. */
export function createUnreadableError(
  { facts }: ServiceResponse,
  why: string,
  code?: 'list_cannot_continue',
): UnreadableResponseError {
  const failure = facts('unknown');
  const { type } = readDetail(failure.raw);
  return new UnreadableResponseError(`The response cannot be read: ${why}.`, { ...failure, type, code });
}

function toCallResult<T, M extends Mode>(
  data: T,
  received: ServiceResponse,
  { state: { attempts }, progress: { requestId, mode } }: Attempt,
): CallResult<T, M> {
  let rebuilt: Response | undefined;
  return {
    data,
    // Created on first access: it is rarely used and costs more than the rest of the result.
    get response() {
      return (rebuilt ??= rebuildResponse(received));
    },
    requestId,
    mode: mode as M | undefined,
    attempts,
    warnings: received.warnings,
  };
}

/** Creates a copy of a response with an unread body. */
export function rebuildResponse({ response, source }: ServiceResponse): Response {
  const { status, headers } = response;
  const isEmpty = status === 204 || status === 205;
  // Without `statusText`: the constructor rejects some texts that servers send.
  return new Response(isEmpty ? null : source.text, { status, headers });
}

/**
 * Converts `Retry-After`, seconds or an HTTP date, to seconds; undefined if absent, invalid or in the past.
 */
function parseRetryAfter(value: string | null, now: Date): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = Math.ceil((parseHttpDate(value) - now.getTime()) / 1000);
  return seconds >= 0 ? seconds : undefined;
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Parses an HTTP date (IMF-fixdate, RFC 9110, section 5.6.7) into milliseconds. Returns NaN for any other
 * text.
 */
export function parseHttpDate(text: string): number {
  return httpDate.test(text) ? Date.parse(text) : Number.NaN;
}
