import type { Mode, OperationId } from '@service/contract';
import { splitHeader, type Template } from '@service/internal';
import {
  type Budget,
  type FactLists,
  type Facts,
  type FilledFields,
  type Instant,
  MARK,
  toJson,
  fill,
  fillFields,
  fillHeader,
  fillResponseValues,
} from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import { mergeHeaders } from '../domain/response.ts';
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
  /** The template of `data`. */
  readonly template: Template;
  /** The values for the template and the headers of the profile. */
  readonly facts?: Facts;
  readonly lists?: FactLists | undefined;
  readonly budget?: Budget | undefined;
  /** Fields beside `data`. */
  readonly beside?: FilledFields | undefined;
  /** @default 200 */
  readonly status?: number;
}

/** Creates a response with the success envelope. */
export function okResponse({ mode, profile }: ResponseContext, answer: Answer): MockResponse {
  const { operation, template, facts = noFacts, status = 200 } = answer;
  const { numbers } = profile;
  const data = fill(template, facts, { profile, numbers, lists: answer.lists, budget: answer.budget });
  const { all } = profile.beside;
  const own = operation === 'listTransactions' ? undefined : profile.beside[operation];
  const more = all && fillFields(all, {}, { profile, numbers });
  const beside = own === undefined ? answer.beside : fillFields(own, facts, { profile, numbers });
  const fields = { success: true, mode, data };
  const isPlain = more === undefined && beside === undefined;
  const body = toJson(isPlain ? fields : { ...fields, ...more, ...beside }, numbers);
  const templates = profile.headers[operation];
  const headers = templates === undefined ? noHeaders : writeHeaders(templates, facts, profile);
  return { status, headers, body };
}

const noFacts: Facts = {};

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
  readonly limit: Facts | undefined;
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
  const ofAll = all === undefined ? noHeaders : writeHeaders(all, limit ?? noFacts, profile);
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
