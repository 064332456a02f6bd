import { type EntryRow, lastStatus, type PaymentRow } from './ledger.ts';

export interface Sum {
  from_currency: string;
  to_currency: string;
  amount: number;
}

export interface Instruction extends Sum {
  beneficiary_name: string;
  beneficiary_bank?: string;
  beneficiary_account?: string;
  beneficiary_country?: string;
  purpose?: string;
}

export interface ListQuery {
  page: number;
  per_page: number;
  status?: string;
  type?: string;
}

export type Priced = Pick<PaymentRow, 'sendCents' | 'feeCents' | 'rate' | 'receiveCents'>;

const FIRST_LARGE_ID = 2n ** 53n;

const text = { type: 'string', maxLength: 255 };
const currency = { type: 'string', pattern: '^[A-Z]{3}$' };
const sum = { from_currency: currency, to_currency: currency, amount: { type: 'number', minimum: 0.01 } };
export const quoteSchema = { type: 'object', required: Object.keys(sum), properties: sum };
export const paymentSchema = {
  type: 'object',
  required: [...Object.keys(sum), 'beneficiary_name'],
  properties: {
    ...sum,
    beneficiary_name: { ...text, minLength: 1 },
    beneficiary_bank: text,
    beneficiary_account: text,
    beneficiary_country: text,
    purpose: text,
  },
};
export const listSchema = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    per_page: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    status: text,
    type: text,
  },
};

export function toQuote(body: Sum, { sendCents, feeCents, rate, receiveCents }: Priced) {
  return {
    from_currency: body.from_currency,
    to_currency: body.to_currency,
    send_amount: sendCents / 100,
    fee: feeCents / 100,
    rate,
    receive_amount: receiveCents / 100,
  };
}

export function toPayment(payment: PaymentRow, status: string = lastStatus(payment)) {
  return {
    id: payment.id,
    status,
    from_currency: payment.fromCurrency,
    to_currency: payment.toCurrency,
    send_amount: payment.sendCents / 100,
    rate: payment.rate,
    receive_amount: payment.receiveCents / 100,
    beneficiary: payment.beneficiary,
    purpose: payment.purpose,
    created_at: new Date(payment.history[0]?.at ?? 0).toISOString(),
  };
}

/** Returns a page of rows in the style of Django REST framework, newest first. Undefined past the last page. */
export function toDrfPage(rows: readonly EntryRow[], { page, per_page: size }: ListQuery, url: URL) {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  if (page > pages) return undefined;
  const link = (target: number): string | null => {
    if (target < 1 || target > pages) return null;
    url.searchParams.set('page', String(target));
    return url.href;
  };
  const results = rows.slice((page - 1) * size, page * size).map((row) => ({
    id: row.id,
    type: row.type,
    status: 'posted',
    description: row.description,
    from_currency: row.currency,
    amount: row.cents,
    reference: row.paymentId,
    posted_at: new Date(row.at).toISOString(),
  }));
  return { count: rows.length, next: link(page + 1), previous: link(page - 1), results };
}

/** Returns a page of rows in the style of fastapi-pagination, newest first. */
export function toFastapiPage(rows: readonly EntryRow[], { page, per_page: size }: ListQuery) {
  const items = rows.slice((page - 1) * size, page * size).map((row) => ({
    id: FIRST_LARGE_ID + BigInt(row.id),
    kind: row.type,
    currency_code: row.currency,
    debit: row.cents < 0 ? (-row.cents / 100).toFixed(2) : null,
    credit: row.cents < 0 ? null : (row.cents / 100).toFixed(2),
    narrative: row.description,
    source: row.paymentId === null ? null : { object: 'payment', id: row.paymentId },
    booked_at: new Date(row.at).toISOString().replace('Z', '000+00:00'),
  }));
  return { items, total: rows.length, page, size, pages: Math.ceil(rows.length / size) };
}

/** Serializes JSON with bigint ids as numbers. */
export function toJson(payload: unknown): string {
  const marked = JSON.stringify(payload, (_, value: unknown) =>
    typeof value === 'bigint' ? `#${value}` : value,
  );
  return marked.replaceAll(/"id":"#(\d+)"/g, '"id":$1');
}
