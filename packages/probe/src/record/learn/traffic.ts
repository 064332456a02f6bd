import { isRecord, type JsonObject, toRecord } from '@service/internal';
import { readPayment } from '../../templates/values.ts';
import type { RawResponse } from '../../raw-client.ts';
import type { KnownValues } from '../../templates/known.ts';
import { type Exchange, toRawResponse } from '../exchange.ts';

/** A request with its response. */
export interface Call {
  readonly exchange: Exchange;
  /** The start and the end, in milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The fields of the request body; empty if it is no object. */
  readonly sent: JsonObject;
  readonly response: RawResponse;
}

/** A payment that was created in the recording. */
export interface RecordedPayment {
  readonly id: string;
  readonly create: Call;
  readonly known: KnownValues;
}

/** The successful calls of an operation other than a create, in the order of their requests. */
type CallsByOperation = Readonly<Record<'quotes' | 'reads' | 'balances' | 'pages', readonly Call[]>>;

/** The calls of a recording by operation. */
export interface Traffic extends CallsByOperation {
  /** All calls to the service, in the order of their requests. */
  readonly calls: readonly Call[];
  /** The creates, without repeated ones of an idempotency key. */
  readonly payments: readonly RecordedPayment[];
  /** The requests that the service refused, or that a gateway answered. */
  readonly refused: readonly Call[];
  /** The webhooks that the receiver accepted. */
  readonly webhooks: readonly Call[];
}

/** Sorts exchanges by operation. Leaves out those without a complete response. */
export function readTraffic(exchanges: readonly Exchange[]): Traffic {
  const all = exchanges.flatMap(toCall).toSorted((one, other) => one.start - other.start);
  const calls = all.filter(({ exchange }) => exchange.kind === 'api');
  const select = (method: string, path: RegExp): Call[] =>
    calls.filter((call) => call.method === method && path.test(call.path) && call.response.accepted);
  const quotes = select('POST', /^\/quotes$/);
  return {
    calls,
    payments: select('POST', /^\/payments$/).flatMap((create, index, creates) =>
      toPayment(create, { quotes, earlier: creates.slice(0, index) }),
    ),
    quotes,
    reads: select('GET', PAYMENT_PATH),
    balances: select('GET', /^\/balance$/),
    pages: select('GET', /^\/transactions$/),
    refused: calls.filter(({ response }) => response.status >= 400),
    webhooks: all.filter(
      ({ exchange, response: { status } }) => exchange.kind === 'webhook' && status >= 200 && status < 300,
    ),
  };
}

/** The path of a payment. */
export const PAYMENT_PATH: RegExp = /^\/payments\/([^/]+)$/;

function toCall(exchange: Exchange): Call[] {
  const { request, response, at, ms, error } = exchange;
  if (response === undefined || error !== undefined) return [];
  const [path = '', query = ''] = request.path.split('?');
  const start = Date.parse(at);
  return [
    {
      exchange,
      start,
      end: start + ms,
      method: request.method,
      path,
      query: new URLSearchParams(query),
      sent: isRecord(request.body) ? request.body : {},
      response: toRawResponse(response),
    },
  ];
}

const noDetails = {
  beneficiary_bank: null,
  beneficiary_account: null,
  beneficiary_country: null,
  purpose: null,
};

function toPayment(
  create: Call,
  { quotes, earlier }: { readonly quotes: readonly Call[]; readonly earlier: readonly Call[] },
): RecordedPayment[] {
  const { data } = create.response;
  const isRepeated = earlier.some((one) => one.response.data.id === data.id);
  if (isRepeated || typeof data.id !== 'string') return [];
  const quote = quotes.findLast(
    ({ sent, start }) =>
      start <= create.start &&
      ['from_currency', 'to_currency', 'amount'].every((name) => sent[name] === create.sent[name]),
  );
  const known = readPayment(data, { ...noDetails, ...create.sent }, toRecord(quote?.response.data));
  return [{ id: data.id, create, known }];
}
