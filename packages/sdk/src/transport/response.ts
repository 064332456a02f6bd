import type { Mode, OperationId } from '@service/contract';
import { ModeMismatchError, UnreadableResponseError } from '../errors/response-errors.ts';
import { createResponseError, readDetail } from '../errors/classify.ts';
import { createMask } from '../errors/mask-sent.ts';
import { redactJson } from '../errors/redact.ts';
import type { ErrorFacts, Outcome } from '../errors/service-error.ts';
import { parseHttpDate } from '../values/http-date.ts';
import { type JsonObject, isRecord, parseJson } from '@service/internal';
import type { ApiKey } from '../options/key.ts';
import { type FailedResponse, outcomeOfResponse } from './outcome.ts';
import { pickFacts, type CallState } from './call-state.ts';

/** A complete response: its text, the parsed body, and the mode of the API key of the request. */
export interface ServiceResponse {
  readonly response: Response;
  readonly text: string;
  readonly body: unknown;
  readonly asked: Mode;
  /** The body of the request, as JSON. */
  readonly sent: string | undefined;
  /** Returns the error fields of the response, with API keys removed from its body. */
  readonly facts: (outcome: Outcome) => ErrorFacts & { readonly status: number };
}

/**
 * Parses a response whose body was received.
 *
 * @throws {UnreadableResponseError} when it is a redirect or has an invalid status.
 * @throws {ModeMismatchError} when its mode differs from that of the API key.
 */
export function toServiceResponse(
  response: Response,
  callState: CallState,
  { key, sent }: { readonly key: ApiKey; readonly sent: string | undefined },
): ServiceResponse {
  const { attemptState } = callState;
  const { mode: asked, secret } = key;
  const { status, type, redirected } = response;
  const text = attemptState.received;
  const body = parseJson(text);
  const mode = isRecord(body) ? (body.mode ?? undefined) : undefined;
  attemptState.phase = 'responded';
  attemptState.mode = mode === 'test' || mode === 'live' ? mode : undefined;
  const facts: ServiceResponse['facts'] = (outcome) => ({
    ...pickFacts(callState),
    status,
    outcome,
    raw: redactJson(body ?? text, secret),
  });
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
  return { response, text, body, asked, sent, facts };
}

/** The request of a response. */
export interface RequestContext extends Pick<FailedResponse, 'keySource' | 'replaysKeys'> {
  readonly operation: OperationId;
  readonly now: Date;
}

/**
 * Returns the `data` of a successful response (docs/contract.md#transport). Returns an empty object for a
 * page of transactions without `data`, because its rows can be outside of it.
 *
 * @throws {ServiceError} when the response reports an error, as the class of that error.
 * @throws {UnreadableResponseError} when a 2xx has no `success: true` or no `data`.
 */
export function readData(
  serviceResponse: ServiceResponse,
  { now, operation, ...keys }: RequestContext,
): JsonObject {
  const { response, body, text, sent, facts } = serviceResponse;
  const { status, headers } = response;
  if (status >= 300) {
    const retryAfter = parseRetryAfter(headers.get('retry-after'), now);
    // An operation without an id gets a 404 only for a wrong path.
    const hint =
      status === 404 && operation !== 'getPayment'
        ? ' Check that baseUrl is right and includes the version segment.'
        : '';
    const outcome = outcomeOfResponse({ status, body, text, ...keys });
    throw createResponseError({ ...facts(outcome), retryAfter }, { hint, mask: createMask(sent) });
  }
  if (!isRecord(body)) throw createUnreadableError(serviceResponse, 'it is not a JSON object');
  const { success, data } = body;
  if (success !== true) throw createUnreadableError(serviceResponse, '`success` is not true');
  if (typeof data === 'object' && data !== null) return data as JsonObject;
  if (operation === 'listTransactions') return {};
  throw createUnreadableError(serviceResponse, 'it has no `data` object');
}

/** Creates the error of a 2xx that does not match the documented response. */
export function createUnreadableError({ facts }: ServiceResponse, why: string): UnreadableResponseError {
  const failure = facts('unknown');
  const { type } = readDetail(failure.raw);
  return new UnreadableResponseError(`The response cannot be read: ${why}.`, { ...failure, type });
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

/** Creates a copy of a response with an unread body. */
export function rebuildResponse({ response: { status, headers }, text }: ServiceResponse): Response {
  const empty = status === 204 || status === 205;
  // Without `statusText`: the constructor rejects some texts that servers send.
  return new Response(empty ? null : text, { status, headers });
}
