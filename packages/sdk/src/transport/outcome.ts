import { isDocumentedType, isRejectionStatus, isServiceFailure, readDetail } from '../errors/classify.ts';
import type { Outcome } from '../errors/service-error.ts';
import { copyOwn, isRecord, type JsonObject } from '@service/internal';

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
 * Returns the outcome of a request by its response. The only place that decides it: the client, its retries,
 * `reconcile` and the payer read the `outcome` of the error. `rejected` means that no payment can exist
 * (docs/contract.md#errors).
 */
export function outcomeOfResponse(response: FailedResponse): Outcome {
  const { status, body, text } = response;
  if (!isRejectionStatus(status) || !isRejection(body)) return 'unknown';
  // A gateway that limits requests may have repeated one before. Only the service itself has the envelope.
  if (status === 429 && !(body.success === false && isRecord(body.error))) return 'unknown';
  const { type } = readDetail(body);
  // The service may have carried out the request before it failed.
  if (isServiceFailure(type)) return 'unknown';
  if (status === 422 && type === 'idempotency_error' && provesOtherBody(response)) return 'rejected';
  return mayConcernKey(type, text) ? 'unknown' : 'rejected';
}

/** Returns true if a 422 `idempotency_error` proves that the caller used the key with another body before. */
function provesOtherBody({ hasCallerKey, replaysKeys, text }: FailedResponse): boolean {
  return hasCallerKey && (replaysKeys || otherBodyPattern.test(text));
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
  /idempoten(cy)?_\w*(conflict|error|use|mismatch)|duplicate_(request|key)|idempoten[^"]{0,60}\b(already|running|used|in|another|different)\b/i;

const otherBodyPattern =
  /\b(another|different|other|changed|mismatch\w*)\b.{0,40}\b(body|payload|request|parameters?)\b/i;

/**
 * Returns true if an error may concern the idempotency key. Then a copy of the request, repeated by a
 * gateway, may have been carried out.
 */
function mayConcernKey(type: string | undefined, text: string): boolean {
  const isOther = isDocumentedType(type) && type !== 'idempotency_error';
  // A documented error can echo these words from a field of the request, such as its purpose.
  const words = isOther ? /idempoten\w*[-_ ]?key/i : /idempoten|duplicate|already|repeat|replay/i;
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

/**
 * Returns the outcome of a request without a response: `not_sent` only if every root cause proves it. Without
 * a cause, as in some runtimes, the outcome is `unknown`.
 */
export function outcomeOfFailure(failure: unknown): Outcome {
  return findRoots(failure).every(isNotSent) ? 'not_sent' : 'unknown';
}

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
