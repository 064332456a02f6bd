import { formatTime } from './clock.ts';
import { ApiError, validationError } from './errors.ts';
import { Parameters, type Query } from './fields.ts';
import { type Cursor, entryStatuses, entryTypes } from './ledger.ts';
import { readPaymentRequest, readPriceRequest } from './orders.ts';
import { presentPayment, presentPrice } from './payments.ts';
import type { Price, PriceList } from './pricing.ts';
import type { PaymentRequest } from './orders.ts';
import type { Workspace } from './workspace.ts';

export const PREFIX = '/api/v1';
const DEFAULT_PAGE_SIZE = 20;
const LARGEST_PAGE = 100;

/** A request of an account whose key was checked. */
export interface Call {
  readonly workspace: Workspace;
  readonly prices: PriceList;
  readonly id: string;
  readonly query: Query;
  readonly idempotencyKey: string | undefined;
  readonly readBody: () => Promise<Readonly<Record<string, unknown>>>;
}

export interface Reply {
  readonly status: number;
  readonly data: object;
  readonly links?: object;
  readonly meta?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function createQuote({ workspace, prices, readBody }: Call): Promise<Reply> {
  const request = readPriceRequest(await readBody());
  const quote = workspace.addQuote(prices.price(request));
  const times = { created_at: formatTime(quote.createdAt), expires_at: formatTime(quote.expiresAt) };
  return { status: 201, data: { id: quote.id, ...presentPrice(quote.price), ...times } };
}

export async function createPayment(call: Call): Promise<Reply> {
  const { workspace, idempotencyKey: key } = call;
  if (key !== undefined) checkKey(key);
  const request = readPaymentRequest(await call.readBody());
  const summary = { ...request, sendMinor: String(request.sendMinor) };
  const earlier = key === undefined ? undefined : workspace.findAnswer(key, summary);
  if (earlier) return replyWithPayment(earlier, { 'Idempotency-Replayed': 'true' });
  const { quoteId, beneficiary, purpose } = request;
  const payment = workspace.pay({ price: findPrice(call, request), quoteId, beneficiary, purpose });
  const data = presentPayment(payment);
  if (key !== undefined) workspace.storeAnswer(key, summary, data);
  return replyWithPayment(data);
}

export async function getPayment({ workspace, id }: Call): Promise<Reply> {
  const data = presentPayment(workspace.getPayment(id));
  return { status: 200, data, links: { self: `${PREFIX}/payments/${data.id}` } };
}

export async function getBalance({ workspace }: Call): Promise<Reply> {
  const data = { balances: workspace.ledger.listBalances(), as_of: formatTime(new Date()) };
  return { status: 200, data };
}

export async function listTransactions({ workspace, query }: Call): Promise<Reply> {
  const parameters = new Parameters(query);
  const size = parameters.integer('per_page', [1, LARGEST_PAGE]) ?? DEFAULT_PAGE_SIZE;
  const types = parameters.choices('type', entryTypes);
  const statuses = parameters.choices('status', entryStatuses);
  const cursor = readCursor(parameters);
  parameters.check();
  const { rows, next, previous } = workspace.ledger.listEntries({ size, types, statuses, cursor });
  const link = (place: Cursor | undefined): string | null => {
    if (!place) return null;
    const values = { per_page: String(size), type: types?.join(','), status: statuses?.join(',') };
    const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return `${PREFIX}/transactions?${new URLSearchParams([...given, ['cursor', writeCursor(place)]])}`;
  };
  const cursors = {
    next_cursor: next ? writeCursor(next) : null,
    prev_cursor: previous ? writeCursor(previous) : null,
  };
  return {
    status: 200,
    data: { transactions: rows },
    links: { next: link(next), prev: link(previous) },
    meta: { page: { per_page: size, has_more: next !== undefined, ...cursors } },
  };
}

function replyWithPayment(data: object, headers: Readonly<Record<string, string>> = {}): Reply {
  const self = `${PREFIX}/payments/${(data as { id: string }).id}`;
  return { status: 201, data, links: { self }, headers: { Location: self, ...headers } };
}

function checkKey(key: string): void {
  if (/^[\x21-\x7e]{1,64}$/.test(key)) return;
  const detail = 'Idempotency-Key must have 1 to 64 visible characters.';
  throw validationError([{ code: 'invalid_format', detail, source: { header: 'Idempotency-Key' } }]);
}

/** Returns the price of the quote that the request names, otherwise the price of the moment. */
function findPrice({ workspace, prices }: Call, request: PaymentRequest): Price {
  const { quoteId, fromCurrency, toCurrency, sendMinor } = request;
  if (quoteId === null) return prices.price({ fromCurrency, toCurrency, sendMinor });
  const { price } = workspace.getUsableQuote(quoteId);
  const isSame =
    price.fromCurrency === fromCurrency && price.toCurrency === toCurrency && price.sendMinor === sendMinor;
  if (isSame) return price;
  const detail = `Quote ${quoteId} is for another amount or other currencies.`;
  throw new ApiError({
    status: 409,
    type: 'quote_unusable',
    problems: [{ code: 'quote_mismatch', detail, source: { pointer: '/quote_id' } }],
  });
}

function writeCursor({ direction, sequence }: Cursor): string {
  return Buffer.from(`${direction}:${sequence}`).toString('base64url');
}

function readCursor(parameters: Parameters): Cursor | undefined {
  const text = parameters.text('cursor');
  if (text === undefined) return undefined;
  const match = /^(older|newer):(\d{1,9})$/.exec(Buffer.from(text, 'base64url').toString());
  if (match) return { direction: match[1] === 'older' ? 'older' : 'newer', sequence: Number(match[2]) };
  parameters.reject('cursor', 'invalid_cursor', 'cursor must be one that an earlier page returned.');
  return undefined;
}
