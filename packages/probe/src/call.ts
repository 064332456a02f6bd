// A request and its response, as the questions read them.
import { CENT, isRecord, type JsonObject, type Micro, toMicro, toRecord } from '@service/internal';
import { readTransactionPage } from '@service/sdk/transactions';
import { describeResponse, type RawResponse } from './response.ts';
import { type Exchange, toRawResponse } from './exchange.ts';

/** The operations of the service. */
type Operation = 'createQuote' | 'createPayment' | 'getPayment' | 'getBalance' | 'listTransactions';

/** The label of a request that is valid and asks nothing in particular. */
export const PLAIN = 'plain';

/** A request with its response. */
export interface Call {
  /** The name of the question that the request is for, such as `amounts.text`, or `plain`. */
  readonly label: string;
  /** Undefined for another path or method. */
  readonly operation: Operation | undefined;
  readonly method: string;
  /** The path below the base URL, without and with the query. */
  readonly path: string;
  readonly target: string;
  readonly query: URLSearchParams;
  /** The request headers, with names in lowercase. */
  readonly headers: Readonly<Record<string, string>>;
  /** The fields of the request body; empty if it is no object. */
  readonly sent: JsonObject;
  /** The request body if it is not JSON. */
  readonly raw: string | undefined;
  /** Its place among all calls: several can have the same time. */
  readonly order: number;
  /** The time of the request and of the end of the response, in milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly response: RawResponse;
}

const PAYMENT_PATH = /^\/payments\/[^/]+$/;

const operations: Readonly<Record<string, Operation>> = {
  'POST /quotes': 'createQuote',
  'POST /payments': 'createPayment',
  'GET /payments/{id}': 'getPayment',
  'GET /balance': 'getBalance',
  'GET /transactions': 'listTransactions',
};

/** Reads an exchange. Undefined without a complete response. */
export function toCall(exchange: Exchange, label: string): Call | undefined {
  const { request, response, at, ms, error } = exchange;
  if (response === undefined || error !== undefined) return undefined;
  const [path = '', query = ''] = request.path.split('?');
  const start = Date.parse(at);
  return {
    label,
    operation: operations[`${request.method} ${path.replace(PAYMENT_PATH, '/payments/{id}')}`],
    method: request.method,
    path,
    target: request.path,
    query: new URLSearchParams(query),
    headers: request.headers,
    sent: isRecord(request.body) ? request.body : {},
    raw: request.text ?? (Array.isArray(request.body) ? JSON.stringify(request.body) : undefined),
    order: 0,
    start,
    end: start + ms,
    response: toRawResponse(response),
  };
}

/** Formats a call and its result as evidence, such as `GET /balance/: 404 not_found`. */
export function describeCall({ method, target, response }: Call): string {
  return `${method} ${target}: ${describeResponse(response)}`;
}

const isCode = (code: unknown): code is string => typeof code === 'string' && /^[A-Z]{3}$/.test(code);

/** Returns the currencies of a balance. */
export function listWallets(call: Call | undefined): string[] {
  const { balances } = call?.response.data ?? {};
  return (Array.isArray(balances) ? balances : []).map((one) => toRecord(one).currency).filter(isCode);
}

/** Returns the balance of a currency in millionths; 0 if it is not listed, undefined if it cannot be read. */
export function readBalance(call: Call, currency: string): Micro | undefined {
  const { balances } = call.response.data;
  if (!Array.isArray(balances)) return undefined;
  const wallet = balances.map(toRecord).find((one) => one.currency === currency);
  return wallet === undefined ? 0n : toMicro(wallet.balance);
}

/** A page of the transaction list. */
export interface Page {
  readonly rows: readonly JsonObject[];
  /** The path of the rows in the body, such as `['data', 'items']`. */
  readonly path: readonly string[];
  /** The query of the next page. Undefined on the last page. */
  readonly next: Readonly<Record<string, string | number>> | undefined;
}

/** Reads a page of the list as the SDK does. Undefined if it is none. */
export function readPage({ operation, response, query }: Call): Page | undefined {
  if (operation !== 'listTransactions' || !response.accepted) return undefined;
  const page = query.has('page') ? Number(query.get('page')) : undefined;
  const reading = readTransactionPage({ text: response.text, headers: response.headers, page });
  if ('problem' in reading) return undefined;
  return { rows: reading.items.map(toRecord), path: reading.path, next: reading.next };
}

/** A call of the list with its page. */
export interface PageCall {
  readonly call: Call;
  readonly page: Page;
}

/** Returns the calls that have a page. */
export const readPages = (calls: readonly Call[]): PageCall[] =>
  calls.flatMap((call) => {
    const page = readPage(call);
    return page === undefined ? [] : [{ call, page }];
  });

/** The figures of a quote, in millionths. */
export interface Quoted {
  readonly from: string;
  readonly to: string;
  readonly send: Micro;
  readonly fee: Micro;
  readonly rate: Micro;
  readonly receive: Micro;
}

/** Reads a quote for an amount of at most two decimals. Undefined if a figure is missing. */
export function readQuote({ operation, sent, response }: Call): Quoted | undefined {
  if (operation !== 'createQuote' || !response.accepted || typeof sent.amount !== 'number') return undefined;
  const { data } = response;
  const [send, fee, rate, receive] = [data.send_amount, data.fee, data.rate, data.receive_amount].map(
    toMicro,
  );
  const { from_currency: from, to_currency: to } = sent;
  if (!isCode(from) || !isCode(to) || from === to || send !== toMicro(sent.amount)) return undefined;
  if (send === undefined || fee === undefined || rate === undefined || receive === undefined)
    return undefined;
  // A figure below zero is none.
  if (send <= 0n || fee < 0n || rate <= 0n || receive < 0n) return undefined;
  return { from, to, send, fee, rate, receive };
}

/** Returns where a fee is taken. Undefined if the quote does not show it. */
export function modeOf(quoted: Quoted): 'inside' | 'onTop' | undefined {
  const { send, fee, rate, receive } = quoted;
  // Both amounts must differ by more than the rounding of the received one.
  if ((fee * rate) / 1_000_000n < 5n * CENT || send < 2n * fee) return undefined;
  const isNear = (amount: Micro): boolean => {
    const rest = (amount * rate) / 1_000_000n - receive;
    const tolerance = 2n * CENT + send / 500_000n;
    return rest < tolerance && -rest < tolerance;
  };
  const [inside, onTop] = [isNear(send - fee), isNear(send)];
  return inside === onTop ? undefined : inside ? 'inside' : 'onTop';
}
