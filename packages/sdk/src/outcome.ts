// The only answer to "can a payment exist?". The client, its retries, `reconcile` and the payer read it.
import type { ErrorType } from '@service/contract';
import { copyOwn, isRecord, type JsonObject } from '@service/internal';
import {
  errorsByStatus,
  errorsByType,
  NotFoundError,
  type Outcome,
  type RequestPhase,
  ServerError,
  ServiceError,
} from './errors.ts';

/** A response that reports a failure. */
export interface FailedResponse {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  /** Whether the caller chose the idempotency key of the request. */
  readonly hasCallerKey: boolean;
  /** Whether the service replays responses, so that it rejects a used key only with another body. */
  readonly replaysKeys: boolean;
}

/**
 * Returns the outcome of a request by its response. `rejected` means that no payment can exist
 * (docs/contract.md#errors).
 */
export function outcomeOfResponse(response: FailedResponse): Outcome {
  const { status, body, text, hasCallerKey, replaysKeys } = response;
  if (!Object.hasOwn(errorsByStatus, status) || !isRejection(body)) return 'unknown';
  // A gateway that limits requests may have repeated one before. Only the service itself has the envelope.
  if (status === 429 && !(body.success === false && isRecord(body.error))) return 'unknown';
  const { type } = readDetail(body);
  // The service may have carried out the request before it failed.
  if (isDocumentedType(type) && errorsByType[type] === ServerError) return 'unknown';
  const isOtherBody = hasCallerKey && (replaysKeys || otherBodyPattern.test(text));
  if (status === 422 && type === 'idempotency_error' && isOtherBody) return 'rejected';
  return mayConcernKey(type, text) ? 'unknown' : 'rejected';
}

/**
 * Returns true if the service knows the caller's own key from an earlier request: by a text or an error type
 * about keys, or by a 409 of no other documented type.
 */
export function isKeyConflict({ status, body, text, hasCallerKey }: FailedResponse): boolean {
  const { type } = readDetail(body);
  if (!hasCallerKey || status >= 500) return false;
  if (usedKeyPattern.test(text)) return true;
  return isDocumentedType(type) ? type === 'idempotency_error' : status === 409;
}

// A code such as `idempotency_key_reused`, or a sentence about the key.
const usedKeyPattern =
  /idempoten(cy)?_\w{0,60}(conflict|error|use|mismatch)|duplicate_(request|key)|idempoten[^"]{0,60}\b(already|running|used|in|another|different)\b/i;

const otherBodyPattern =
  /\b(another|different|other|changed|mismatch\w*)\b.{0,40}\b(body|payload|request|parameters?)\b/i;

/**
 * Returns true if an error may concern the idempotency key. Then a copy of the request, repeated by a
 * gateway, may have been carried out.
 */
function mayConcernKey(type: string | undefined, text: string): boolean {
  const isOther = isDocumentedType(type) && type !== 'idempotency_error';
  // A documented error can echo these words from a field of the request, such as its purpose.
  const words = isOther ? /idempoten\w{0,60}[-_ ]?key/i : /idempoten|duplicate|already|repeat|replay/i;
  return words.test(text);
}

/**
 * Returns true if a body can reject a request. A body with `success: true` or `data` contradicts its status.
 */
function isRejection(body: unknown): body is JsonObject {
  return isRecord(body) && body.success !== true && (body.data ?? null) === null;
}

/**
 * The codes of errors that occur before a request is written: an unknown host, a refused connection, an
 * invalid certificate, a failed TLS handshake, a request that no interceptor of a `MockAgent` matches.
 */
const unsentCodes =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|UND_MOCK_ERR_MOCK_NOT_MATCHED|CERT_(HAS_EXPIRED|NOT_YET_VALID|CHAIN_TOO_LONG|REJECTED|REVOKED|SIGNATURE_FAILURE|UNTRUSTED)|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID|ERR_SSL_(TLSV1_ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|WRONG_VERSION_NUMBER))$/;

/**
 * The messages with which `fetch` refuses its arguments: a blocked port, a URL, a signal of another realm such
 * as jsdom, and a dispatcher of another version of undici.
 */
const unsentMessages =
  /^(bad port|Failed to parse URL|Only (absolute|HTTP)|(RequestInit: )?Expected signal|invalid on\w+ method)/;

function isNotSent(root: unknown): boolean {
  if (!isRecord(root)) return false;
  // Own properties only: a polluted prototype must not change the outcome.
  const { code, syscall } = copyOwn(root);
  if (typeof code === 'string' && unsentCodes.test(code)) return true;
  // Without a connection nothing was sent.
  if (syscall === 'connect') return true;
  return (code === undefined || code === 'UND_ERR_INVALID_ARG') && unsentMessages.test(String(root.message));
}

/** Returns the root causes of an error by `cause` and `errors`; undefined for a chain that is too deep. */
function findRoots(failure: unknown, depth = 0): unknown[] {
  if (depth > 8 || !isRecord(failure)) return [undefined];
  const { errors, cause, message } = failure;
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((one) => findRoots(one, depth + 1));
  // The cause of this refusal is a parser error, which another URL could cause later.
  const isRoot = cause === undefined || String(message).startsWith('Failed to parse URL');
  return isRoot ? [failure] : findRoots(cause, depth + 1);
}

/** The progress of one request, updated while it runs. `preparing`: it was not passed to `fetch`. */
export interface Progress {
  phase: 'preparing' | RequestPhase;
  /** Whether `fetch` has read the bytes of a stream; undefined for a body that it got as text, once. */
  isBodyRead: boolean | undefined;
}

/**
 * Returns the outcome of a request that ended without a response, by its progress and the error of `fetch`. An unread stream
 * proves `not_sent`, and a read one `unknown`. For a body as text, every root cause must prove `not_sent`. Without a
 * cause, as in some runtimes, the outcome is `unknown`.
 */
export function outcomeOfFailure(progress: Progress, failure?: unknown): Outcome {
  const { isBodyRead } = progress;
  const isProven = isBodyRead === undefined ? findRoots(failure).every(isNotSent) : !isBodyRead;
  // The outcome is final: a wrapper of the global `fetch` must not send the body later.
  if (progress.phase === 'waiting' && isProven) progress.phase = 'preparing';
  return progress.phase === 'preparing' ? 'not_sent' : 'unknown';
}

/** Returns the phase in which a failed request may have been carried out; undefined if it was not. */
export function findUnknownPhase({ phase }: Progress, error: unknown): RequestPhase | undefined {
  const outcome = error instanceof ServiceError ? error.outcome : undefined;
  return phase === 'preparing' || outcome === 'rejected' || outcome === 'not_sent' ? undefined : phase;
}

/** Returns true for a 404 of the service itself. A 404 of a proxy proves nothing about a payment. */
export function isMissing(error: unknown): error is NotFoundError {
  return error instanceof NotFoundError && error.outcome === 'rejected';
}

/** Returns true if the contract has this `error.type`. */
export function isDocumentedType(type: string | undefined): type is ErrorType {
  return type !== undefined && Object.hasOwn(errorsByType, type);
}

/** Returns the type and message of an error body, with or without the envelope. */
export function readDetail(raw: unknown): Partial<Record<'type' | 'message', string | undefined>> {
  if (!isRecord(raw)) return {};
  const { type, message } = isRecord(raw.error) ? raw.error : raw;
  return { type: toText(type), message: toText(message) };
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
