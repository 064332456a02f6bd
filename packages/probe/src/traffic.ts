// The calls of a list of exchanges, sorted by what they ask.
import {
  isRecord,
  type IssueKind,
  type JsonObject,
  type Refusal,
  toMicro,
  toRecord,
} from '@service/internal';
import type { RawResponse } from './client.ts';
import { type Exchange, toRawResponse } from './exchange.ts';
import { groupBy } from './group.ts';
import type { DefaultForms, KnownValues } from './templates/known.ts';
import { emptyDetails, formsOf, readPayment } from './templates/values.ts';

/** What the caller knows about a service besides its traffic. */
export interface Facts {
  /** The path of the service before that of an operation, such as `/api/v1`. */
  readonly basePath?: string;
  /** The origin of the service, which links in responses can show. */
  readonly origin?: string;
  /** The currencies of most requests. By default those of the first quote. */
  readonly from?: string;
  readonly to?: string;
  /** The accounts whose payments fail, fail after they completed, and are refused. */
  readonly failing?: string | undefined;
  readonly returning?: string | undefined;
  readonly unavailable?: string | undefined;
  /** The time within which a webhook is expected, in milliseconds. */
  readonly webhookTimeout?: number;
  /** A payment of another account. */
  readonly foreignPayment?: string | undefined;
}

/** A request with its response. */
export interface Call {
  readonly exchange: Exchange;
  /** Its place among all exchanges: several can have the same time. */
  readonly order: number;
  /** The start and the end, in milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly method: string;
  /** The path below the base URL, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The fields of the request body; empty if it is no object. */
  readonly sent: JsonObject;
  readonly response: RawResponse;
}

/** A payment that was created. */
export interface MadePayment {
  readonly id: string;
  readonly create: Call;
  readonly known: KnownValues;
  /** The requests for it after its create, and its events. */
  readonly reads: readonly Call[];
  readonly events: readonly Webhook[];
}

/** An event that the receiver got. */
export interface Webhook {
  /** The id of the payment. */
  readonly id: string;
  /** The status in the event; the payment may have another one meanwhile. */
  readonly status: string;
  readonly body: JsonObject;
  /** The number of this attempt to deliver the event, from 1. */
  readonly attempt: number;
  /** The time of the delivery, in milliseconds, and the status of the response to it. */
  readonly at: number;
  readonly responseStatus: number;
}

/** The calls of a service by operation, each in the order of the requests. */
export interface Traffic {
  readonly facts: Facts;
  readonly calls: readonly Call[];
  /** The calls that the rate limit refused, whatever they ask. */
  readonly limited: readonly Call[];
  /** The successful calls. */
  readonly quotes: readonly Call[];
  readonly reads: readonly Call[];
  readonly balances: readonly Call[];
  readonly pages: readonly Call[];
  /** The creates, without repeated ones. */
  readonly payments: readonly MadePayment[];
  readonly webhooks: readonly Webhook[];
  readonly from: string;
  readonly to: string;
  /** The key of most calls. */
  readonly ownKey: string | undefined;
  /** The refusals of payments above the balance. */
  readonly lacking: readonly RawResponse[];
  /** The forms of numbers and times. */
  readonly forms: DefaultForms;
}

const PAYMENT_PATH = /^\/payments\/([^/]+)$/;

/** Sorts exchanges by operation. Leaves out those without a complete response. */
export function readTraffic(exchanges: readonly Exchange[], facts: Facts = {}): Traffic {
  return sortCalls(
    exchanges.flatMap((one) => toCall(one, facts)),
    facts,
  );
}

/** Sorts calls by operation. */
export function sortCalls(given: readonly Call[], facts: Facts): Traffic {
  const all = given.toSorted((a, b) => a.start - b.start).map((call, order) => ({ ...call, order }));
  const answered = all.filter(({ exchange }) => exchange.kind === 'api');
  const calls = answered.filter(({ response }) => response.status !== 429);
  const select = (method: string, path: RegExp): Call[] =>
    calls.filter((call) => call.method === method && path.test(call.path) && call.response.accepted);
  const quotes = select('POST', /^\/quotes$/);
  const webhooks: Webhook[] = [];
  for (const call of all) if (call.exchange.kind === 'webhook') webhooks.push(...toWebhook(call, webhooks));
  const made = new Map<string, MadePayment>();
  for (const create of select('POST', /^\/payments$/)) {
    const { id } = create.response.data;
    if (typeof id !== 'string' || made.has(id)) continue;
    const reads = calls.filter(
      ({ method, path, order }) => method === 'GET' && path === `/payments/${id}` && order > create.order,
    );
    const events = webhooks.filter((one) => one.id === id);
    made.set(id, { id, create, known: readKnown(create, quotes), reads, events });
  }
  const order: JsonObject = quotes.find((call) => listProblems(call).length === 0)?.sent ?? {};
  const { from = textOf(order.from_currency, 'USD'), to = textOf(order.to_currency, 'EUR') } = facts;
  const traffic = {
    facts,
    calls,
    limited: answered.filter(({ response }) => response.status === 429),
    quotes,
    reads: select('GET', PAYMENT_PATH),
    balances: select('GET', /^\/balance$/),
    pages: select('GET', /^\/transactions$/),
    payments: [...made.values()],
    webhooks,
    from,
    to,
    ownKey: findOwnKey(calls),
    lacking: [],
    forms: formsOf({ ...quotes[0]?.response.data, ...[...made.values()][0]?.create.response.data }),
  };
  const lacking = calls.filter(
    (call) => isError(call) && findRefusal(call, traffic) === 'insufficient_funds',
  );
  return { ...traffic, lacking: lacking.map(({ response }) => response) };
}

const isError = ({ response }: Call): boolean => response.status >= 400;

const textOf = (value: unknown, usual: string): string => (typeof value === 'string' ? value : usual);

/** Reads an exchange. Empty without a complete response. */
export function toCall(exchange: Exchange, { basePath = '', origin }: Facts): Call[] {
  const { request, response, at, ms, error } = exchange;
  if (response === undefined || error !== undefined) return [];
  const [path = '', query = ''] = request.path.split('?');
  const start = Date.parse(at);
  const shown = {
    method: request.method,
    path: basePath + path,
    target: basePath + request.path,
    origin,
    at: start,
  };
  return [
    {
      exchange,
      order: 0,
      start,
      end: start + ms,
      method: request.method,
      path,
      query: new URLSearchParams(query),
      sent: toRecord(request.body),
      response: { ...toRawResponse(response), ...(exchange.kind === 'api' && { request: shown }) },
    },
  ];
}

/** Returns the values of a payment that its request, its quote and the response to its create show. */
function readKnown(create: Call, quotes: readonly Call[]): KnownValues {
  const quote = quotes.findLast(
    ({ sent, order }) =>
      order < create.order &&
      ['from_currency', 'to_currency', 'amount'].every((name) => sent[name] === create.sent[name]),
  );
  const request = { ...emptyDetails, ...create.sent };
  return readPayment(create.response.data, request, quote?.response.data ?? {});
}

/** Returns an event as a webhook. One that the receiver rejected is none. */
function toWebhook({ sent, start, response }: Call, earlier: readonly Webhook[]): Webhook[] {
  const { id, status: named } = toRecord(sent.data ?? sent);
  const [, status = named] = /^payment\.(.+)$/.exec(String(sent.event)) ?? [];
  if (typeof id !== 'string' || typeof status !== 'string' || response.status === 401) return [];
  const attempt = earlier.filter((one) => one.id === id && one.status === status).length + 1;
  return [{ id, status, body: sent, attempt, at: start, responseStatus: response.status }];
}

/** Returns the value of a header of a request. */
function requestHeader({ exchange }: Call, name: string): string | undefined {
  return exchange.request.headers[name];
}

/** A problem of a request. */
export interface Problem {
  readonly kind: IssueKind | 'currency_case' | 'text_given_empty' | 'content_type';
  /** The name of the field; `''` for the whole body. */
  readonly field: string;
  readonly value: unknown;
}

/** The fields of a payment request. */
const orderFields: ReadonlySet<string> = new Set([
  'from_currency',
  'to_currency',
  'amount',
  'beneficiary_name',
  'beneficiary_bank',
  'beneficiary_account',
  'beneficiary_country',
  'purpose',
]);

/** The shortest text that every service refuses, and the least amount. */
const [LONG, LARGE] = [10_000, 1e14];

/** Returns the problems of a quote, a payment or a list, by what it sends. */
export function listProblems(call: Call): Problem[] {
  const { method, path, query, sent, exchange } = call;
  if (method === 'GET') return path === '/transactions' ? listQueryProblems(query) : [];
  const { body, headers } = exchange.request;
  if (!isRecord(body)) return [{ kind: 'body', field: '', value: body }];
  const problems: Problem[] = [];
  const add = (kind: Problem['kind'], field: string): void =>
    void problems.push({ kind, field, value: sent[field] });
  if (!/json/i.test(headers['content-type'] ?? 'json')) add('content_type', '');
  const { from_currency, to_currency, amount } = sent;
  for (const field of ['from_currency', 'to_currency']) {
    const kind = checkCurrency(sent[field]);
    if (kind !== undefined) add(kind, field);
  }
  if (from_currency !== undefined && from_currency === to_currency) add('currency_same', 'to_currency');
  const ofAmount = checkAmount(amount);
  if (ofAmount !== undefined) add(ofAmount, 'amount');
  if (path === '/payments') {
    const ofName = checkText(sent.beneficiary_name);
    if (ofName !== undefined) add(ofName, 'beneficiary_name');
    if (typeof sent.purpose === 'string' && sent.purpose.length > LONG) add('text_long', 'purpose');
    if (sent.purpose === '') add('text_given_empty', 'purpose');
  }
  for (const field of Object.keys(sent)) if (!orderFields.has(field)) add('unknown_field', field);
  return problems;
}

function checkCurrency(value: unknown): Problem['kind'] | undefined {
  if (value === undefined) return 'missing';
  if (value === null) return 'currency_null';
  if (typeof value !== 'string') return 'currency_type';
  if (!/^[A-Z]{3}$/i.test(value)) return 'currency_form';
  if (value === 'XXX') return 'currency_unknown';
  return /^[A-Z]+$/.test(value) ? undefined : 'currency_case';
}

function checkAmount(value: unknown): IssueKind | undefined {
  if (value === undefined) return 'amount_missing';
  if (value === null) return 'amount_null';
  if (typeof value === 'string') return /^\d+(\.\d+)?$/.test(value) ? 'amount_text' : 'amount_word';
  if (typeof value !== 'number') return 'amount_type';
  if (value === 0) return 'amount_zero';
  if (value < 0) return 'amount_negative';
  if (value > LARGE) return 'amount_large';
  return /\.\d{3}/.test(String(value)) ? 'amount_precise' : undefined;
}

function checkText(value: unknown): IssueKind | undefined {
  if (value === undefined) return 'text_missing';
  if (value === null) return 'text_null';
  if (typeof value !== 'string') return 'text_type';
  if (value === '') return 'text_empty';
  return value.length > LONG ? 'text_long' : undefined;
}

function listQueryProblems(query: URLSearchParams): Problem[] {
  return [...query].flatMap(([field, value]) => {
    const kind = checkParameter(field, value);
    return kind === undefined ? [] : [{ kind, field, value }];
  });
}

function checkParameter(name: string, value: string): IssueKind | undefined {
  if (name === 'page') return /^[1-9]\d*$/.test(value) ? undefined : 'page';
  if (name === 'status' || name === 'type') return value.startsWith('no_such_') ? name : undefined;
  if (name !== 'per_page') return undefined;
  if (!/^-?\d+$/.test(value)) return 'per_page_form';
  return Number(value) < 1 ? 'per_page_small' : Number(value) > 100 ? 'per_page_large' : undefined;
}

/** Returns whether a call has the key of most calls. */
export function isOwnKey(call: Call, { ownKey }: Pick<Traffic, 'ownKey'>): boolean {
  return ownKey === undefined || keyOf(call) === ownKey;
}

function keyOf(call: Call): string {
  return String(requestHeader(call, 'authorization') ?? requestHeader(call, 'x-api-key'));
}

function findOwnKey(calls: readonly Call[]): string | undefined {
  const accepted = groupBy(
    calls.filter(({ response }) => response.accepted),
    keyOf,
  );
  return [...accepted].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

/** The paths of the service, and their methods. */
const operations: readonly (readonly [path: RegExp, method: string])[] = [
  [/^\/quotes$/, 'POST'],
  [/^\/payments$/, 'POST'],
  [PAYMENT_PATH, 'GET'],
  [/^\/balance$/, 'GET'],
  [/^\/transactions$/, 'GET'],
];

/** The number of the first page that no history has. */
export const FAR_PAGE = 1_000;

/** Returns the reason for which a service refuses a call. Undefined if the call does not show one. */
export function findRefusal(call: Call, traffic: Traffic): Refusal | undefined {
  const { status } = call.response;
  const { unavailable } = traffic.facts;
  if (status === 413) return 'body_size';
  if (unavailable !== undefined && call.sent.beneficiary_account === unavailable) return 'unavailable';
  return findReason(call, traffic) ?? (status >= 500 ? 'server_error' : undefined);
}

function findReason(call: Call, traffic: Traffic): Refusal | undefined {
  const { method, path, query, response, exchange } = call;
  const { status } = response;
  const { text, headers } = exchange.request;
  const own = operations.filter(([pattern]) => pattern.test(path));
  if (headers.authorization === undefined && headers['x-api-key'] === undefined) return 'missing_key';
  if (!isOwnKey(call, traffic)) {
    const isPlain = own.length > 0 && text === undefined && headers['x-api-key'] === undefined;
    return isPlain || status === 401 ? 'authentication' : undefined;
  }
  if (own.length === 0) return status === 404 && !path.endsWith('/') ? 'unknown_path' : undefined;
  if (!own.some(([, verb]) => verb === method)) return 'unknown_method';
  const [, id] = PAYMENT_PATH.exec(path) ?? [];
  if (id !== undefined) return findPaymentRefusal(id, call, traffic);
  if (method === 'GET')
    return Number(query.get('page')) >= FAR_PAGE && status === 404 ? 'unknown_page' : undefined;
  if (text !== undefined)
    return /json/i.test(headers['content-type'] ?? 'json') ? 'malformed_body' : 'media_type';
  const problems = listProblems(call);
  if (problems.some(({ kind }) => kind === 'body')) return 'not_an_object';
  if (problems.some(({ kind }) => kind === 'content_type')) return 'media_type';
  const repeated = findRepeated(call, traffic);
  if (repeated !== undefined && status < 500)
    return JSON.stringify(repeated.sent) === JSON.stringify(call.sent) ? 'key_reused' : 'key_of_other_body';
  const isPlain = path === '/payments' && problems.length === 0 && call.sent.purpose === undefined;
  return isPlain && isAboveBalance(call, traffic) ? 'insufficient_funds' : undefined;
}

function findPaymentRefusal(
  id: string,
  { response }: Call,
  { facts, payments }: Traffic,
): Refusal | undefined {
  if (id === facts.foreignPayment || response.status === 403) return 'foreign_payment';
  if (payments.some((one) => one.id === id)) return undefined;
  return /^pay_(test|live)_\w{8}/.test(id) ? 'unknown_payment' : 'malformed_id';
}

/** Returns an earlier request with the same idempotency key. */
export function findRepeated(call: Call, { calls }: Traffic): Call | undefined {
  const key = requestHeader(call, 'idempotency-key');
  if (key === undefined) return undefined;
  return calls
    .slice(0, calls.indexOf(call))
    .find((one) => requestHeader(one, 'idempotency-key') === key && one.path === call.path);
}

/** Returns whether a payment asks for more than the balance that was read before it. */
function isAboveBalance({ sent, order, response }: Call, { balances }: Traffic): boolean {
  if (/insufficient|funds/i.test(response.text)) return true;
  const balance = readBalance(
    balances.findLast((one) => one.order < order),
    sent.from_currency,
  );
  return balance !== undefined && (toMicro(sent.amount) ?? 0n) > balance;
}

/** Returns the balance of a currency in a response; 0 if it is not listed, undefined if it is not readable. */
export function readBalance(call: Call | undefined, currency: unknown): bigint | undefined {
  const { balances } = call?.response.data ?? {};
  if (!Array.isArray(balances)) return undefined;
  const wallet = balances.map(toRecord).find((one) => one.currency === currency);
  return wallet === undefined ? 0n : toMicro(wallet.balance);
}
