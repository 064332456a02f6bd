import { type Payment, type Transaction, toTimestamp } from './bank.ts';
import { type Price, toUnits } from './money.ts';

export function toQuote({ sent, fee, rate, received }: Price, from: string, to: string) {
  return {
    from_currency: from,
    to_currency: to,
    send_amount: toUnits(sent),
    fee: toUnits(fee),
    rate: Number(rate) / 1e6,
    receive_amount: toUnits(received),
  };
}

export function toPayment(payment: Payment) {
  return {
    id: payment.id,
    status: payment.status,
    ...toQuote(payment, payment.fromCurrency, payment.toCurrency),
    beneficiary: payment.beneficiary,
    purpose: payment.purpose,
    created_at: toTimestamp(payment.createdAt),
    updated_at: toTimestamp(payment.updatedAt),
  };
}

export function toTransaction(row: Transaction) {
  if ('topUp' in row) {
    const { currency, cents, createdAt } = row.topUp;
    return {
      id: row.id,
      type: 'top_up',
      status: 'completed',
      payment_id: null,
      from_currency: currency,
      to_currency: currency,
      send_amount: toUnits(cents),
      receive_amount: toUnits(cents),
      fee: 0,
      description: 'Wallet top-up',
      created_at: toTimestamp(createdAt),
      updated_at: toTimestamp(createdAt),
    };
  }
  const { payment } = row;
  return {
    id: row.id,
    type: 'supplier_payment',
    status: payment.status,
    payment_id: payment.id,
    from_currency: payment.fromCurrency,
    to_currency: payment.toCurrency,
    send_amount: toUnits(payment.sent),
    receive_amount: toUnits(payment.received),
    fee: toUnits(payment.fee),
    description: payment.purpose,
    created_at: toTimestamp(payment.createdAt),
    updated_at: toTimestamp(payment.updatedAt),
  };
}

/** Returns the members of a paginated resource collection: `data`, `links` and `meta`. */
export function toPage(rows: readonly Transaction[], options: { page: number; perPage: number; url: URL }) {
  const { page, perPage, url } = options;
  const last = Math.max(1, Math.ceil(rows.length / perPage));
  const link = (number: number): string | null => {
    if (number < 1 || number > last) return null;
    const target = new URL(url);
    target.searchParams.set('page', String(number));
    return target.href;
  };
  const start = (page - 1) * perPage;
  const items = rows.slice(start, start + perPage).map(toTransaction);
  const links = { first: link(1), last: link(last), prev: link(page - 1), next: link(page + 1) };
  const meta = {
    current_page: page,
    from: items.length > 0 ? start + 1 : null,
    last_page: last,
    path: url.origin + url.pathname,
    per_page: perPage,
    to: items.length > 0 ? start + items.length : null,
    total: rows.length,
  };
  return { data: items, links, meta };
}
