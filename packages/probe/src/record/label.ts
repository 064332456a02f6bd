// Labels of recorded exchanges: the questions that the requests of an application answer.
import { isRecord, toMicro } from '@service/internal';
import { type Call, findOperation, PLAIN, toCall } from '../call.ts';
import type { Exchange } from '../exchange.ts';
import type { Finding } from '../finding.ts';
import { findAll } from '../questions/index.ts';
import { type Facts, see } from '../seen.ts';

/** The settings that are of the account and the time of a recording, rather than of the service. */
const ofRun: ReadonlySet<string> = new Set(['wallets', 'rates']);

/** Learns the settings that the traffic of an application shows. Has no finding for a setting that it does not show. */
export function learnProfile(exchanges: readonly Exchange[]): Finding[] {
  const known: Call[] = [];
  const webhooks: Call[] = [];
  const ownKey = findOwnKey(exchanges);
  for (const exchange of exchanges) {
    const call = toCall(exchange, PLAIN);
    if (call === undefined) continue;
    if (exchange.kind === 'webhook') webhooks.push(call);
    else known.push({ ...call, label: findLabel(call, known, ownKey) });
  }
  return findAll(see(known, webhooks, readFacts(known))).filter(
    ({ setting, state }) => state !== 'unknown' && !ofRun.has(setting),
  );
}

const keyOf = (headers: Exchange['request']['headers']): string | undefined =>
  headers.authorization ?? headers['x-api-key'];

/** Returns the key of most requests that were accepted. */
function findOwnKey(exchanges: readonly Exchange[]): string | undefined {
  const keys = exchanges.flatMap(({ request, response }) =>
    response !== undefined && response.status < 300 ? [keyOf(request.headers)] : [],
  );
  const count = (key: string | undefined): number => keys.filter((one) => one === key).length;
  return [...new Set(keys)].toSorted((a, b) => count(b) - count(a))[0];
}

/** The currencies of most quotes and payments. */
function readFacts(calls: readonly Call[]): Facts {
  const order = calls.find(
    ({ operation, response }) =>
      (operation === 'createQuote' || operation === 'createPayment') && response.accepted,
  );
  const { from_currency = 'USD', to_currency = 'EUR' } = order?.sent ?? {};
  return { from: String(from_currency), to: String(to_currency) };
}

/** Returns the label of a request by what it sends, and by the status of its response. */
function findLabel(call: Call, earlier: readonly Call[], ownKey: string | undefined): string {
  const { headers, operation, path, method, raw, response } = call;
  const hasKey = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
  if (!hasKey) return 'refusals.missing_key';
  if (response.status === 401 || (keyOf(headers) !== ownKey && response.status >= 400))
    return 'refusals.authentication';
  if (operation === undefined) {
    const isKnown = ['GET', 'POST'].some((other) => findOperation(other, path) !== undefined);
    return isKnown && method !== 'HEAD' ? 'refusals.unknown_method' : 'refusals.unknown_path';
  }
  if (operation === 'listTransactions') return findListLabel(call);
  if (operation === 'getPayment') return findPaymentLabel(call, earlier);
  if (operation === 'getBalance') return PLAIN;
  if (raw !== undefined) return raw.startsWith('[') ? 'refusals.not_an_object' : 'requestBody.malformed';
  if (!/json/i.test(headers['content-type'] ?? 'json')) return 'requestBody.mediaTypes';
  return findOrderLabel(call, earlier);
}

function findListLabel({ query, response }: Call): string {
  const page = Number(query.get('page') ?? 1);
  if (response.status === 404) return 'listQuery.pastEnd';
  if (query.has('page') && !(page >= 1)) return 'listQuery.page';
  // Pages of a smaller size follow each other.
  return query.has('per_page') && query.get('per_page') !== '100' ? 'pagination' : PLAIN;
}

function findPaymentLabel({ path, response }: Call, earlier: readonly Call[]): string {
  const id = path.slice('/payments/'.length);
  const isOwn = earlier.some((call) => call.operation === 'createPayment' && call.response.data.id === id);
  if (isOwn || response.accepted) return 'payments';
  if (response.status === 403) return 'refusals.foreign_payment';
  return /^pay_(?:test|live)_\w{8}/.test(id) ? 'refusals.unknown_payment' : 'refusals.malformed_id';
}

/** Fields of quotes and payments. */
const fields = /^(?:from_currency|to_currency|amount|purpose|beneficiary_(?:name|bank|account|country))$/;

function findOrderLabel({ sent, headers, operation, response }: Call, earlier: readonly Call[]): string {
  const key = headers['idempotency-key'];
  const isRepeated =
    key !== undefined &&
    earlier.some((call) => call.operation === operation && call.headers['idempotency-key'] === key);
  if (isRepeated) return 'idempotency';
  const { amount, from_currency: from, to_currency: to } = sent;
  if (!Object.keys(sent).every((name) => fields.test(name))) return 'requestBody.unknownFields';
  if (typeof amount === 'string' && toMicro(amount) !== undefined) return 'amounts.text';
  if (typeof amount === 'number' && /\.\d{3}/.test(String(amount))) return 'amounts.precision';
  const codes = [from, to].map(String);
  if (codes.some((code) => /^[a-z]{3}$/i.test(code) && code !== code.toUpperCase())) return 'currencies.case';
  if (from === to && from !== undefined) return 'currencies.same';
  if (sent.purpose === '' || sent.beneficiary_bank === '') return 'texts.empty';
  if (typeof sent.purpose === 'number' || typeof sent.beneficiary_name === 'number') return 'texts.number';
  if (response.status < 400) return operation === 'createQuote' ? 'quotes' : 'payments';
  const { error } = isRecord(response.body) ? response.body : {};
  const isOfFunds = /insufficient|funds|balance/i.test(JSON.stringify(error ?? response.text));
  return isOfFunds && operation === 'createPayment'
    ? 'refusals.insufficient_funds'
    : response.status < 500
      ? 'refusals.validation'
      : 'refusals.server_error';
}
