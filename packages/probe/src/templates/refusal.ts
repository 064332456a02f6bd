import { isRecord, type RefusalTemplate, type Template, toRecord } from '@service/internal';
import type { RawResponse } from '../client.ts';
import { type LearnedHeaders, learnHeaders, mockHeaders } from './headers.ts';
import { type LearnedTemplate, learnTemplate } from './learn.ts';
import type { Sample } from './known.ts';
import { readResponse, responseKey, textOf } from './values.ts';

/** A refusal, with the values that it may show. */
export interface RefusedSample extends Sample {
  readonly response: RawResponse;
}

/** The statuses and types with which the mock refuses. */
const documented: Readonly<Partial<Record<string, readonly [status: number, type: string]>>> = {
  authentication: [401, 'authentication_error'],
  missing_key: [401, 'authentication_error'],
  unknown_path: [404, 'not_found'],
  unknown_method: [405, 'method_not_allowed'],
  unknown_payment: [404, 'not_found'],
  malformed_id: [404, 'not_found'],
  unknown_page: [404, 'not_found'],
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
export function toSample(response: RawResponse): RefusedSample {
  const { status, body, text } = response;
  const { error, message, detail } = toRecord(body);
  const { type, message: inner } = toRecord(error);
  const stated = [inner, message, detail].find((each) => typeof each === 'string');
  return {
    response,
    json: body ?? text,
    known: {
      mode: textOf('test'),
      ...(typeof type === 'string' && { type: textOf(type) }),
      ...(stated !== undefined && { message: textOf(stated) }),
      ...readResponse(response),
      status: { kind: 'count', count: status },
    },
  };
}

/** Learns the body of responses, without the fields that it does not explain. */
export function learnBody(samples: readonly Sample[]): LearnedTemplate {
  return learnTemplate(samples, { numbers: 'number', key: responseKey });
}

/** Returns whether a body is as documented; an unknown caller has no mode. */
export function isDocumentedBody(body: Template): boolean {
  const { mode = '{mode}', ...rest } = toRecord(body);
  const wanted = { success: false, error: { type: '{type}', message: '{message}' } };
  return mode === '{mode}' && JSON.stringify(rest) === JSON.stringify(wanted);
}

/**
 * Returns the template of a refusal. Undefined for a documented one. `isOther`: whether most errors have another body than the
 * documented one. `all`: the headers of every successful response.
 */
export function toTemplate(
  refusal: string,
  samples: readonly RefusedSample[],
  body: Template,
  isOther: boolean,
  all: LearnedHeaders,
): RefusalTemplate | undefined {
  const [{ response } = {}] = samples;
  if (response === undefined) return undefined;
  const { status } = response;
  const { type } = toRecord(toRecord(response.body).error);
  const [usualStatus, usualType] = documented[refusal] ?? [];
  const headers = learnRefusedHeaders(refusal, samples, all);
  const isUsual = !isOther && status === usualStatus && type === usualType && isDocumentedBody(body);
  if (isUsual && Object.keys(headers).length === 0) return undefined;
  return {
    // The mock has others of its own, such as a redirect that is an unknown path.
    ...(status !== usualStatus && { status }),
    ...(typeof type === 'string' && type !== usualType && { type }),
    body,
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

/** The headers that the mock sends with a 429. */
const limitHeaders = ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** The methods of a path as the mock writes them. */
const ALLOW = '{allow POST="POST, OPTIONS" GET="GET, HEAD, OPTIONS"}';

/** The headers that the mock sends with one kind of refusal. */
const ofRefusal: Readonly<Record<string, LearnedHeaders>> = {
  authentication: { 'www-authenticate': 'Bearer' },
  missing_key: { 'www-authenticate': 'Bearer' },
  unknown_method: { allow: ALLOW },
  unavailable: { 'retry-after': '1' },
  rate_limit: Object.fromEntries(limitHeaders.map((name) => [name, '{limit}'])),
};

/** Learns the headers of a refusal that the mock does not send by itself; null for those that it must leave out. */
function learnRefusedHeaders(
  refusal: string,
  samples: readonly RefusedSample[],
  all: LearnedHeaders,
): LearnedHeaders {
  const { headers, body } = (samples[0] as RefusedSample).response;
  const usual = { ...mockHeaders, ...all, ...ofRefusal[refusal] };
  // A body that is no object needs its type, or none.
  if (!isRecord(body)) usual['content-type'] = '';
  // The mock sends other messages, so a header that repeats the message is learned as constant text.
  const plain = samples.map((sample) => {
    const { message: _, ...known } = sample.known;
    return { ...sample, known };
  });
  const { allow = headers.get('allow'), ...learned } = learnHeaders(plain, usual);
  const own = Object.entries(learned).filter(
    ([name, text]) => text === null || refusal !== 'rate_limit' || !limitHeaders.includes(name),
  );
  return {
    ...Object.fromEntries(own),
    ...(refusal === 'unknown_method' && allow !== ALLOW && { allow }),
  };
}
