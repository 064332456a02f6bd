import type { components } from '@service/contract';
import { isRecord, type JsonObject, parseJson } from '@service/internal';
import type { ApiError } from '../domain/api-error.ts';
import { type Payment, toWirePayment } from '../domain/payment.ts';
import { defaultProfile } from '../domain/profile.ts';
import { accept, check, formatProblem, strict, whole } from '../domain/schema.ts';
import { type Draft, statusesWithoutBody } from '../domain/response.ts';
import { responseHeaders } from '../domain/setting-values.ts';
import type { LoggedRequest } from '../state/request-log.ts';

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

const schema = strict({
  status: whole(200, 599),
  headers: responseHeaders,
  body: accept('JSON, text or null', isBody),
});

/**
 * Returns the response of the function of a user.
 *
 * @throws {Error} when it throws, or does not return a response
 */
export function changeResponse(
  respond: Respond,
  response: Draft,
  record: LoggedRequest,
  { payment, error }: ResponseSubject,
): Draft {
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
  const { status, headers } = response;
  const changed = readResponse(respond(facts, { status, headers: { ...headers }, body }));
  const after = typeof changed.body === 'string' ? changed.body : JSON.stringify(changed.body);
  // Unchanged JSON keeps the text of its numbers.
  const json = after === before ? response.body : after;
  const hasBody = changed.body !== null && !statusesWithoutBody.has(changed.status);
  return { status: changed.status, headers: { ...changed.headers }, body: hasBody ? json : null };
}

/** @throws {TypeError} that names the invalid part of a returned value */
function readResponse(value: unknown): SandboxResponse {
  // The rejection of a promise would end the process.
  if (isRecord(value) && 'then' in value) Promise.resolve(value).catch(() => {});
  if (!isPlain(value)) return fail('it returned no plain object, or a promise');
  const { status, headers, body } = value;
  if (headers !== undefined && !isPlain(headers)) return fail('headers must be a plain object');
  const { problems } = check(schema, { status, headers, body });
  if (problems.length > 0) fail(problems.map(formatProblem).join('; '));
  if (statusesWithoutBody.has(Number(status)) && body !== null && body !== '')
    fail(`body must be null with the status ${String(status)}`);
  return value as object as SandboxResponse;
}

function fail(problem: string): never {
  throw new TypeError(`${problem}; it must return { status, headers, body }`);
}

/** Returns whether a value is an object of no built-in class, also of another realm. */
function isPlain(value: unknown): value is JsonObject {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function isBody(body: unknown): boolean {
  const isInstance = isRecord(body) && !Array.isArray(body) && !isPlain(body) && !('toJSON' in body);
  return !isInstance && JSON.stringify(body) !== undefined;
}
