import { isRecord, type Refusal, type RefusalTemplate, type Template, toRecord } from '@service/internal';
import { type RawResponse, readRetryAfter } from '../client.ts';
import { type HeaderSample, learnHeaders } from './headers.ts';
import type { Sample } from './sample.ts';
import { isUnauthenticated, isUsual, learnBody } from './refusal-body.ts';
import { readResponse } from './values.ts';

/** The responses of one refusal. */
export interface Refused {
  readonly responses: readonly RawResponse[];
  readonly samples: readonly Sample[];
}

/** The statuses and types with which the mock refuses. */
const documented: Readonly<Partial<Record<Refusal, readonly [status: number, type: string]>>> = {
  authentication: [401, 'authentication_error'],
  missing_key: [401, 'authentication_error'],
  unknown_path: [404, 'not_found'],
  unknown_method: [405, 'method_not_allowed'],
  unknown_payment: [404, 'not_found'],
  malformed_id: [404, 'not_found'],
  unknown_page: [404, 'not_found'],
  foreign_payment: [403, 'permission_error'],
  validation: [422, 'validation_error'],
  not_an_object: [422, 'validation_error'],
  media_type: [415, 'unsupported_media_type'],
  insufficient_funds: [422, 'insufficient_funds'],
  rate_limit: [429, 'rate_limit_error'],
  key_reused: [409, 'idempotency_error'],
  key_of_other_body: [422, 'idempotency_error'],
  unavailable: [503, 'service_unavailable'],
};

/** Returns a refusal with the values that it may show. */
export function toSample(response: RawResponse, fields: readonly string[] = []): Sample {
  const { status, body, text } = response;
  const { error, message, detail } = toRecord(body);
  const { type, message: inner } = toRecord(error);
  const stated = [inner, message, detail].find((each) => typeof each === 'string');
  return {
    json: body ?? text,
    known: {
      mode: { kind: 'text', text: 'test' },
      ...(typeof type === 'string' && { type: { kind: 'text', text: type } }),
      ...(typeof stated === 'string' && { message: { kind: 'text', text: stated } }),
      ...readResponse(response),
      status: { kind: 'count', count: status },
    },
    lists: {
      fields: fields.map((name) => ({
        name,
        known: { field: { kind: 'text', text: name }, ...problemOf(body, name) },
      })),
    },
  };
}

/** Returns the text about a field: its name is a key, or it is beside its name. */
function problemOf(body: unknown, name: string): Sample['known'] {
  const text = findProblem(body, name);
  return text === undefined ? {} : { problem: { kind: 'text', text } };
}

function findProblem(json: unknown, name: string): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const own = (json as Record<string, unknown>)[name];
  const [problem] = Array.isArray(own) ? own : [own];
  if (typeof problem === 'string') return problem;
  const values = Object.values(json);
  if (JSON.stringify(values).includes(`"${name}"`) && isRecord(json)) {
    const text = ['msg', 'message', 'detail', 'problem', 'error', 'description'].map((key) => json[key]);
    const isItem = values.some((value) => value === name || (Array.isArray(value) && value.includes(name)));
    const first = text.find((each) => typeof each === 'string');
    if (isItem && typeof first === 'string') return first;
  }
  return values.map((value) => findProblem(value, name)).find((each) => each !== undefined);
}

/** The headers of successful responses as templates; null for those that the mock must leave out. */
type SuccessHeaders = ReadonlyMap<string, string | null>;

interface TemplateContext extends Refused {
  /** The value of `errorShape`. */
  readonly usual: unknown;
  /** The template of the body, if it is known. */
  readonly body: Template | undefined;
  /** The headers of every successful response. */
  readonly headers: SuccessHeaders;
}

/** Returns the parts of a refusal that differ from the one of the mock. */
export function toTemplate(
  refusal: Refusal,
  { samples, responses, usual, body: given, headers: all }: TemplateContext,
): RefusalTemplate {
  const [response] = responses;
  if (response === undefined) return {};
  const { status, headers, body } = response;
  const { type } = toRecord(toRecord(body).error);
  const [usualStatus, usualType] = documented[refusal] ?? [];
  const learned = given ?? learnBody(samples);
  return {
    ...(status !== usualStatus && { status }),
    ...(typeof type === 'string' && type !== usualType && { type }),
    ...(!isUsual(learned, refusal, usual) && { body: learned }),
    ...headersOf(refusal, { headers, body, all, learned: learnHeaders(toHeaderSamples(responses, samples)) }),
  };
}

/** Returns the headers of refusals with the values that they may show. */
function toHeaderSamples(responses: readonly RawResponse[], samples: readonly Sample[]): HeaderSample[] {
  return responses.map(({ headers }, index) => ({ headers, known: samples[index]?.known ?? {} }));
}

/** Headers that the mock sends with one kind of refusal. */
const particular = new Set(['allow', 'content-type', 'www-authenticate']);

/** The methods of a path as the mock writes them. */
const ALLOW = '{allow POST="POST, OPTIONS" GET="GET, HEAD, OPTIONS"}';

interface HeaderContext {
  readonly headers: Headers;
  readonly body: unknown;
  /** The headers that all responses of the refusal have. */
  readonly learned: Readonly<Record<string, string | null>>;
  /** The headers of every successful response. */
  readonly all: SuccessHeaders;
}

function headersOf(
  refusal: Refusal,
  { headers, body, all, learned }: HeaderContext,
): { readonly headers?: Readonly<Record<string, string | null>> } {
  const type = headers.get('content-type');
  const removed = [...all].filter(([name, text]) => text !== null && !headers.has(name));
  // The figures of a limit are another setting.
  const isOther = (name: string): boolean => refusal === 'rate_limit' && /^(x-)?ratelimit/.test(name);
  const added = Object.entries(learned).filter(
    ([name]) => !all.has(name) && !particular.has(name) && !isOther(name),
  );
  const usualType = isRecord(body) ? (all.get('content-type') ?? 'application/json') : undefined;
  const allow = learned['allow'] ?? headers.get('allow');
  const retry = readRetry(headers);
  const own = {
    ...Object.fromEntries(added),
    ...Object.fromEntries(removed.map(([name]) => [name, null])),
    ...(type !== null && type !== usualType && { 'content-type': type }),
    ...(isUnauthenticated(refusal) && headers.get('www-authenticate') !== 'Bearer'
      ? { 'www-authenticate': headers.get('www-authenticate') }
      : {}),
    ...(refusal === 'unavailable' && retry !== '1' && { 'retry-after': retry }),
    ...(refusal === 'unknown_method' && allow !== ALLOW && { allow }),
  };
  return Object.keys(own).length === 0 ? {} : { headers: own };
}

/** Returns the template of `Retry-After`: seconds, or a date after the time of the response. */
function readRetry(headers: Headers): string | null {
  const text = headers.get('retry-after');
  const seconds = readRetryAfter(headers);
  if (text === null || seconds === undefined || /^\d+$/.test(text)) return text;
  return `{now plus=${Math.max(0, Math.round(seconds))}s http}`;
}
