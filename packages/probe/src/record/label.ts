// Labels of recorded exchanges: the questions that the requests of an application answer.
import { type Call, PLAIN, toCall } from '../call.ts';
import type { Exchange } from '../exchange.ts';
import type { Finding } from '../finding.ts';
import { findAll } from '../questions/index.ts';
import { describeResponse } from '../response.ts';
import { see } from '../seen.ts';

/** The settings that are of the account and the time of a recording, rather than of the service. */
const ofRun: ReadonlySet<string> = new Set(['wallets', 'rates']);

/** Learns the settings that the traffic of an application shows. Has no finding for a setting that it does not show. */
export function learnProfile(exchanges: readonly Exchange[]): Finding[] {
  const calls = exchanges
    .flatMap((exchange) => toCall(exchange, PLAIN) ?? [])
    .map((call) => ({ ...call, label: findLabel(call) }));
  const order = calls.find(
    ({ operation, response }) =>
      (operation === 'createQuote' || operation === 'createPayment') && response.accepted,
  );
  const { from_currency = 'USD', to_currency = 'EUR' } = order?.sent ?? {};
  const seen = see(calls, [], { from: String(from_currency), to: String(to_currency) });
  return findAll(seen).filter(({ setting, state }) => state !== 'unknown' && !ofRun.has(setting));
}

/** Returns the label of a request by its operation, and by the status of its response. */
function findLabel({ headers, operation, path, query, raw, response }: Call): string {
  const { status } = response;
  if (operation === 'listTransactions' && status === 404) return 'listQuery.pastEnd';
  // Pages of a smaller size follow each other.
  if (operation === 'listTransactions' && query.has('per_page') && query.get('per_page') !== '100')
    return 'pagination';
  if (status < 400) return PLAIN;
  if (headers.authorization === undefined && headers['x-api-key'] === undefined)
    return 'refusals.missing_key';
  if (status === 401 || status === 403) return 'refusals.authentication';
  if (status === 404)
    return path.startsWith('/payments/') ? 'refusals.unknown_payment' : 'refusals.unknown_path';
  if (status === 405) return 'refusals.unknown_method';
  if (operation !== 'createQuote' && operation !== 'createPayment') return PLAIN;
  if (raw !== undefined) return 'refusals.malformed_body';
  return /funds|balance/.test(describeResponse(response))
    ? 'refusals.insufficient_funds'
    : 'refusals.validation';
}
