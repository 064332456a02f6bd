import type { components } from '@service/contract';
import { isRecord, type JsonObject, parseJson } from '@service/internal';
import type { ApiError } from '../domain/api-error.ts';
import { type Payment, toWirePayment } from '../domain/payment.ts';
import { defaultProfile } from '../domain/profile.ts';
import { check, formatProblem, object, whole } from '../domain/schema.ts';
import { statusesWithoutBody } from '../domain/response.ts';
import { responseHeaders } from '../domain/setting-values.ts';
import type { LoggedRequest } from '../state/request-log.ts';
import type { MockResponse } from './request.ts';

/** What a response is about. */
export interface ResponseFacts {
  /** The operation, or null for an unknown path or method. */
  readonly operation:
    'createQuote' | 'createPayment' | 'getPayment' | 'getBalance' | 'listTransactions' | null;
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** The path of the request, without the query. */
  readonly path: string;
  /** The query of the request, without the question mark. */
  readonly query: string;
  /** The id of the request, as in `X-Request-Id`. */
  readonly requestId: string;
  /** The text of the request body, or null without one. */
  readonly requestBody: string | null;
  /** The id of the account, or null for an unknown API key. */
  readonly account: string | null;
  /** The mode of the API key, or null for an unknown one. */
  readonly mode: 'test' | 'live' | null;
  /** The payment that was created or retrieved, in its documented shape, or null. */
  readonly payment: components['schemas']['Payment'] | null;
  /** The error of a refusal, with the problem of each invalid field, or null. */
  readonly error: {
    /** The documented type, such as `'validation_error'`. */
    readonly type: string;
    /** The documented message, which a profile can replace. */
    readonly message: string;
    /** The problem of each invalid field. */
    readonly fields: Readonly<Record<string, string>>;
  } | null;
}

/** A response that `respond` can change. */
export interface SandboxResponse {
  /** The HTTP status, from 200 to 599. */
  readonly status: number;
  /** The headers beside those of every response. Null removes one. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** The parsed JSON body; text is sent as it is; null for a response without a body. */
  readonly body: unknown;
}

/**
 * Returns the response to send: the given one, or another one. An error, a promise or an invalid response makes the response
 * a 500 that names it.
 */
export type Respond = (facts: ResponseFacts, response: SandboxResponse) => SandboxResponse;

/** The payment or the error of a response. */
export interface ResponseSubject {
  readonly payment?: Payment | undefined;
  readonly error?: ApiError | undefined;
}

const schema = object<SandboxResponse>({ status: whole(200, 599), headers: responseHeaders });

/**
 * Returns the response of the function of a user.
 *
 * @throws {Error} when it throws, or does not return a response
 */
export function changeResponse(
  respond: Respond,
  response: MockResponse,
  record: LoggedRequest,
  { payment, error }: ResponseSubject,
): MockResponse {
  const facts: ResponseFacts = {
    operation: record.operation,
    method: record.method,
    path: record.path,
    query: record.search,
    requestId: record.id,
    requestBody: record.body,
    account: record.account,
    mode: record.mode,
    payment: payment === undefined ? null : toWirePayment(payment, defaultProfile),
    error:
      error === undefined
        ? null
        : { type: error.type, message: error.message, fields: Object.fromEntries(error.fields ?? []) },
  };
  const body = response.body === null ? null : (parseJson(response.body) ?? response.body);
  const before = JSON.stringify(body);
  const given = Object.entries(response.headers).map(([name, text]) => [name, text === '' ? null : text]);
  const headers: SandboxResponse['headers'] = Object.fromEntries(given);
  const changed = readResponse(respond(facts, { status: response.status, headers, body }));
  const after = typeof changed.body === 'string' ? changed.body : JSON.stringify(changed.body);
  // Unchanged JSON keeps the text of its numbers.
  const json = after === before ? response.body : after;
  const hasBody = changed.body !== null && !statusesWithoutBody.has(changed.status);
  return {
    status: changed.status,
    headers: Object.fromEntries(Object.entries(changed.headers).map(([name, value]) => [name, value ?? ''])),
    body: hasBody ? json : null,
  };
}

/** @throws {TypeError} that names the invalid part of a returned value */
function readResponse(value: unknown): SandboxResponse {
  // The rejection of a promise would end the process.
  if (isRecord(value) && 'then' in value) Promise.resolve(value).catch(() => {});
  const problems = isPlain(value) ? findProblems(value) : [`it returned ${formatValue(value)}`];
  if (problems.length === 0) return value as object as SandboxResponse;
  throw new TypeError(`${problems.join('; ')}; it must return { status, headers, body }`);
}

function findProblems({ status, headers, body }: JsonObject): string[] {
  if (headers !== undefined && !isPlain(headers))
    return [`headers must be an object, not ${formatValue(headers)}`];
  const { problems } = check(schema, { status, headers });
  if (problems.length > 0) return problems.map(formatProblem);
  const isObject = isRecord(body) && !Array.isArray(body);
  if (isObject && !isPlain(body) && !('toJSON' in body))
    return [`body must be JSON, text or null, not ${formatValue(body)}`];
  if (JSON.stringify(body) === undefined) return ['body must be JSON, text or null'];
  if (statusesWithoutBody.has(Number(status)) && body !== null && body !== '')
    return [`body must be null with the status ${String(status)}`];
  return [];
}

/** Returns the name of a built-in class, also of another realm: `Object` for other objects. */
function findClass(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

function isPlain(value: unknown): value is JsonObject {
  return findClass(value) === 'Object';
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return String(value);
  const name = findClass(value);
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`;
}
