import { isDocumentedType, readDetail } from '../errors/classify.ts';
import type { Outcome } from '../errors/service-error.ts';
import { copyOwn, isRecord } from '../values/json.ts';

const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 422, 429]);

/** A response that reports a failure. */
export interface FailedResponse {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  /** Whether a 422 `idempotency_error` proves that the caller used the key with another body. */
  readonly provesOtherBody: boolean;
}

/** Returns the outcome of a request by its response: `rejected` only for a refusal in the documented form (contract.md 6). */
export function outcomeOfAnswer({ status, body, text, provesOtherBody }: FailedResponse): Outcome {
  if (!refusals.has(status) || !isRefusal(body)) return 'unknown';
  const { type } = readDetail(body);
  if (provesOtherBody && status === 422 && type === 'idempotency_error') return 'rejected';
  return mayConcernKey(type, text) ? 'unknown' : 'rejected';
}

/**
 * Whether a refusal may be about the idempotency key. Then a copy of this request, made by a gateway, may have been carried out.
 */
function mayConcernKey(type: string | undefined, text: string): boolean {
  const isOther = isDocumentedType(type) && type !== 'idempotency_error';
  return !isOther && /idempoten/i.test(text);
}

/** Tells whether a body can be a refusal: one that claims success or brings data contradicts its status. */
function isRefusal(body: unknown): boolean {
  return isRecord(body) && body.success !== true && (body.data ?? null) === null;
}

/**
 * Matches the codes of what keeps a request from being written, each by its full name: no address, no connection, a certificate
 * that is refused, a handshake that finds no common ground.
 */
const notSent =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|CERT_(HAS_EXPIRED|NOT_YET_VALID|CHAIN_TOO_LONG|REJECTED|REVOKED|SIGNATURE_FAILURE|UNTRUSTED)|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID|ERR_SSL_(TLSV1_ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|WRONG_VERSION_NUMBER))$/;

/**
 * Says what became of a request for which `fetch` gave no answer: `not_sent` only where every cause at the bottom
 * proves it. A runtime that names no cause leaves it `unknown`.
 */
export function outcomeOfFailure(failure: unknown): Outcome {
  return findRoots(failure).every(isNotSent) ? 'not_sent' : 'unknown';
}

function isNotSent(root: unknown): boolean {
  if (!isRecord(root)) return false;
  // What a polluted prototype says proves nothing.
  const { code, syscall } = copyOwn(root);
  if (typeof code === 'string' && notSent.test(code)) return true;
  // A connection that was never made carried nothing, whatever kept it from being made.
  if (syscall === 'connect') return true;
  // `fetch` refuses ports of other protocols by these words alone.
  return code === undefined && root.message === 'bad port';
}

/** Follows `cause` and `errors` down to what happened first; a chain too deep to follow proves nothing. */
function findRoots(failure: unknown, depth = 0): unknown[] {
  if (depth > 8 || !isRecord(failure)) return [undefined];
  const { errors, cause } = failure;
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((one) => findRoots(one, depth + 1));
  return cause === undefined ? [failure] : findRoots(cause, depth + 1);
}
