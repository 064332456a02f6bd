import type { Outcome } from '../errors/service-error.ts';
import { isRecord } from '../values/json.ts';

const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 422, 429]);

/** Says what became of a request by its answer: refused in the documented form, or anybody's guess (contract.md 6). */
export function outcomeOfAnswer(status: number, body: unknown): Outcome {
  return refusals.has(status) && isRefusal(body) ? 'rejected' : 'unknown';
}

/** Tells whether a body can be a refusal: one that claims success or brings data contradicts its status. */
function isRefusal(body: unknown): boolean {
  return isRecord(body) && body.success !== true && (body.data ?? null) === null;
}

/**
 * Matches the codes of what keeps a request from being written: no address, no connection, a certificate that is refused (the
 * codes of OpenSSL for those), a handshake that finds no common ground.
 */
const notSent =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_(GET|VERIFY)_\w+|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID|ERR_SSL_(TLSV1_ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|WRONG_VERSION_NUMBER))$/;

/**
 * Says what became of a request for which `fetch` gave no answer: `not_sent` only where every cause at the bottom
 * proves it. A runtime that names no cause leaves it `unknown`.
 */
export function outcomeOfFailure(failure: unknown): Outcome {
  return findRoots(failure).every(isNotSent) ? 'not_sent' : 'unknown';
}

function isNotSent(root: unknown): boolean {
  if (!isRecord(root)) return false;
  // A connection that was never made carried nothing, whatever kept it from being made.
  if (notSent.test(String(root.code)) || root.syscall === 'connect') return true;
  // `fetch` refuses ports of other protocols by these words alone.
  return root.code === undefined && root.message === 'bad port';
}

/** Follows `cause` and `errors` down to what happened first; a chain too deep to follow proves nothing. */
function findRoots(failure: unknown, depth = 0): unknown[] {
  if (depth > 8 || !isRecord(failure)) return [undefined];
  const { errors, cause } = failure;
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((one) => findRoots(one, depth + 1));
  return cause === undefined ? [failure] : findRoots(cause, depth + 1);
}
