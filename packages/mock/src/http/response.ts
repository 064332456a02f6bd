import type { Mode, OperationId } from '@service/contract';
import { splitHeader } from '@service/internal';
import { type Instant, type Json, toJson } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import { type Payment, paymentFacts, writePayment } from '../domain/payment.ts';
import { mergeHeaders } from '../domain/response.ts';
import { type Facts, fill, fillHeader, fillResponseValues } from '../domain/shapes.ts';
import { type Cors, corsHeaders } from './cors.ts';
import { CONNECTION_LOST, type MockRequest, type MockResponse, type MockResult } from './request.ts';

/** The mode and profile of a response. */
export interface ResponseContext {
  /** Undefined for unknown callers. */
  readonly mode: Mode | undefined;
  /** The mode by the prefix of an unknown key. */
  readonly keyMode?: Mode;
  readonly profile: Profile;
}

/** The answer of an operation. */
export interface Answer {
  readonly operation: OperationId;
  readonly data: Json;
  /** Fields beside `data`. */
  readonly beside?: Json | undefined;
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The values for the headers of the profile. */
  readonly facts?: Facts;
}

/** Creates a response with the success envelope. */
export function okResponse(context: ResponseContext, answer: Answer): MockResponse {
  const { mode, profile } = context;
  const { operation, data, status = 200, facts = {} } = answer;
  const { all = {}, ...own } = profile.beside;
  const more = fill(all, {}, { profile });
  const template = operation === 'listTransactions' ? undefined : own[operation];
  const beside = template === undefined ? answer.beside : fill(template, facts, { profile });
  const body = toJson(
    { success: true, mode, data, ...(more as object), ...(beside as object) },
    profile.numbers,
  );
  const headers = writeHeaders(profile.headers[operation], facts, profile);
  return { status, headers: { ...answer.headers, ...headers }, body };
}

/** Responds with a payment: 200, or the status of a create. */
export function respondWithPayment(
  operation: 'createPayment' | 'getPayment',
  context: ResponseContext,
  payment: Payment,
): MockResponse {
  const { profile } = context;
  const facts = paymentFacts(payment, profile);
  const status = operation === 'createPayment' ? profile.successStatus.createPayment : 200;
  return okResponse(context, { operation, status, facts, data: writePayment(facts, profile) });
}

/** Writes the headers of a template. Null stays null: it removes a header. */
export function writeHeaders(
  template: Readonly<Record<string, string | null>> | undefined,
  facts: Facts,
  profile: Profile,
): Readonly<Record<string, string>> {
  if (template === undefined) return noHeaders;
  // `renderResponse` removes the headers with an empty value.
  const written = Object.entries(template).map(([name, text]) => {
    const parts = text === null ? [] : splitHeader(name, text);
    const filled = parts.map((part) => fillHeader(part, facts, profile));
    return [name, filled.filter((part) => part !== null).join(', ')];
  });
  return Object.fromEntries(written) as Record<string, string>;
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** The request of a response, its id and time, the profile and rate limit of its caller, and the CORS option. */
export interface RenderContext {
  readonly id: string;
  readonly at: Instant;
  readonly request: MockRequest;
  readonly profile: Profile;
  /** The values of the rate limit. */
  readonly limit: Facts;
  readonly cors: Cors;
  /** Whether the response has a `Date`, by the clock of the sandbox. */
  readonly hasDate: boolean;
}

/** Adds the headers of every response, and removes the body of a response to HEAD. */
export function renderResponse(
  result: MockResult,
  { id, at, request, profile, limit, cors, hasDate }: RenderContext,
): MockResult {
  if (result === CONNECTION_LOST) return result;
  const isJson = result.body !== null;
  const headers = mergeHeaders(
    {
      'X-Request-Id': id,
      'Cache-Control': 'no-store',
      ...(hasDate && { Date: new Date(at).toUTCString() }),
      ...(isJson && { 'Content-Type': 'application/json' }),
    },
    writeHeaders(profile.headers.all, limit, profile),
    result.headers,
    cors === 'off' ? noHeaders : corsHeaders(cors, request, result.headers.Allow),
  );
  const { method, path, search } = request;
  const target = search === '' ? path : `${path}?${search}`;
  const facts = { request_id: id, now: new Date(at), method, path, target };
  const body =
    method === 'HEAD' || result.body === null ? null : fillResponseValues(result.body, facts, profile);
  const filled: Record<string, string> = {};
  for (const [name, text] of Object.entries(headers))
    filled[name] = fillResponseValues(text, facts, profile, true);
  return { ...result, headers: filled, body };
}
