import type { Mode, OperationId } from '@service/contract';
import { splitHeader } from '@service/internal';
import { type Facts, type FilledFields, type Instant, type Json, MARK, toJson } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import { type Payment, paymentFacts } from '../domain/payment.ts';
import { mergeHeaders } from '../domain/response.ts';
import { fill, fillFields, fillHeader, fillResponseValues } from '../domain/shapes.ts';
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
  readonly beside?: FilledFields | undefined;
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
  const { all } = profile.beside;
  const template = operation === 'listTransactions' ? undefined : profile.beside[operation];
  const { numbers } = profile;
  const more = all && fillFields(all, {}, { profile, numbers });
  const beside = template === undefined ? answer.beside : fillFields(template, facts, { profile, numbers });
  const fields = { success: true, mode, data };
  const isPlain = more === undefined && beside === undefined;
  const body = toJson(isPlain ? fields : { ...fields, ...more, ...beside }, numbers);
  const templates = profile.headers[operation];
  const headers = templates && writeHeaders(templates, facts, profile);
  return {
    status,
    headers: headers ? { ...answer.headers, ...headers } : (answer.headers ?? noHeaders),
    body,
  };
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
  const data = fill(profile.paymentShape, facts, { profile, numbers: profile.numbers });
  return okResponse(context, { operation, status, facts, data });
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
  /** The `Date` by the clock of the sandbox. */
  readonly date: string | undefined;
}

/** Creates a function that formats times as HTTP dates. It keeps the last one: many responses have the same. */
export function createDateFormat(): (at: Instant) => string {
  let [second, text] = [Number.NaN, ''];
  return (at) => {
    const given = Math.floor(at / 1000);
    if (given !== second) [second, text] = [given, new Date(at).toUTCString()];
    return text;
  };
}

/** Adds the headers of every response, and removes the body of a response to HEAD. */
export function renderResponse(
  result: MockResult,
  { id, at, request, profile, limit, cors, date }: RenderContext,
): MockResult {
  if (result === CONNECTION_LOST) return result;
  const { method, path, search } = request;
  const first: Record<string, string> = { 'X-Request-Id': id, 'Cache-Control': 'no-store' };
  if (date !== undefined) first.Date = date;
  if (result.body !== null) first['Content-Type'] = 'application/json';
  const { all } = profile.headers;
  const ofAll = all === undefined ? noHeaders : writeHeaders(all, limit, profile);
  const ofPages = cors === 'off' ? noHeaders : corsHeaders(cors, request, result.headers.Allow);
  const body = method === 'HEAD' ? null : result.body;
  const isPlain = result.headers === noHeaders && ofAll === noHeaders;
  if (isPlain && !body?.includes(MARK)) {
    const headers = ofPages === noHeaders ? first : { ...first, ...ofPages };
    return { ...result, headers, body };
  }
  const target = search === '' ? path : `${path}?${search}`;
  const facts = { request_id: id, now: new Date(at), method, path, target };
  const merged = mergeHeaders(first, ofAll, result.headers, ofPages);
  const headers = Object.entries(merged).map(([name, text]) => [
    name,
    fillResponseValues(text, facts, profile, true),
  ]);
  return {
    ...result,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: body === null ? null : fillResponseValues(body, facts, profile),
  };
}
