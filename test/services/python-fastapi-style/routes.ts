import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, raiseErrors } from './errors.ts';
import { checkFields } from './fields.ts';
import type { JsonValue } from './json.ts';
import { listTransactions } from './ledger.ts';
import type { Environment } from './models.ts';
import type { PaymentService } from './payments.ts';
import { createQuote } from './quotes.ts';
import {
  checkBody,
  idempotencyFields,
  paymentFields,
  quoteFields,
  toMoney,
  toPaymentJson,
  toQuoteJson,
  toTransactionJson,
  transactionFields,
} from './schemas.ts';

/** A request with a valid API key. */
export interface ApiRequest {
  readonly environment: Environment;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Last segment of the path, for paths with a parameter. */
  readonly id: string;
}

export interface ApiResult {
  /** @default 200 */
  readonly status?: number;
  readonly data: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: string;
  /** Pattern of the path after the version segment. */
  readonly path: RegExp;
  readonly handle: (request: ApiRequest) => ApiResult;
}

export function createRoutes(payments: PaymentService): readonly Route[] {
  return [
    { method: 'POST', path: /^\/quotes$/, handle: postQuote },
    { method: 'POST', path: /^\/payments$/, handle: (request) => postPayment(payments, request) },
    { method: 'GET', path: /^\/payments\/([^/]+)$/, handle: getPayment },
    { method: 'GET', path: /^\/balance$/, handle: getBalance },
    { method: 'GET', path: /^\/transactions$/, handle: getTransactions },
  ];
}

function postQuote({ body, headers }: ApiRequest): ApiResult {
  const order = checkBody(body, headers['content-type'] ?? '', quoteFields);
  raiseErrors(order.errors);
  return { data: toQuoteJson(createQuote(order.model)) };
}

function postPayment(payments: PaymentService, { environment, headers, body }: ApiRequest): ApiResult {
  const order = checkBody(body, headers['content-type'] ?? '', paymentFields);
  const { model, errors } = checkFields('header', headers, idempotencyFields);
  raiseErrors(errors, order.errors);
  const { data, isReplayed } = payments.create(environment, order.model, model['idempotency-key']);
  return { status: 201, data, ...(isReplayed && { headers: { 'idempotent-replayed': 'true' } }) };
}

function getPayment({ environment, id }: ApiRequest): ApiResult {
  const payment = environment.payments.get(id);
  if (!payment) throw new ApiError(404, 'not_found', 'Payment not found');
  return { data: toPaymentJson(payment) };
}

function getBalance({ environment }: ApiRequest): ApiResult {
  const wallets = Array.from(environment.wallets).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    data: { balances: wallets.map(([currency, balance]) => ({ currency, balance: toMoney(balance) })) },
  };
}

function getTransactions({ environment, query }: ApiRequest): ApiResult {
  const { model, errors } = checkFields('query', Object.fromEntries(query), transactionFields);
  raiseErrors(errors);
  const { items, total, pages } = listTransactions(environment, model);
  const data = {
    items: items.map(toTransactionJson),
    total,
    page: model.page,
    per_page: model.per_page,
    pages,
  };
  return { data };
}
