import { toFloat } from './decimals.ts';
import { type Movement, type Payment, toIso } from './models.ts';
import type { Pricing } from './pricing.ts';
import type { QuoteInput } from './serializers.ts';

export function showQuote(
  { fromCurrency, toCurrency, amount }: QuoteInput,
  { fee, rate, received }: Pricing,
) {
  return {
    from_currency: fromCurrency,
    to_currency: toCurrency,
    send_amount: toFloat(amount),
    fee: toFloat(fee),
    rate: Number(rate) / 1e6,
    receive_amount: toFloat(received),
  };
}

export function showPayment(payment: Payment) {
  return {
    id: payment.id,
    status: payment.status,
    from_currency: payment.fromCurrency,
    to_currency: payment.toCurrency,
    send_amount: toFloat(payment.amount),
    rate: Number(payment.rate) / 1e6,
    receive_amount: toFloat(payment.received),
    beneficiary: payment.beneficiary,
    ...(payment.purpose !== undefined && { purpose: payment.purpose }),
    created_at: toIso(payment.createdAt),
  };
}

const memos = { payment: 'Supplier payment', fee: 'Payment fee', deposit: 'Deposit' };

/** Amounts of movements are unsigned cents. */
function showMovement({ id, kind, direction, amount, currency, payment, postedAt }: Movement) {
  return {
    id,
    type: kind,
    status: 'posted',
    direction,
    amount: Number(amount),
    currency,
    reference: payment?.id ?? null,
    memo: (kind === 'payment' && payment?.purpose) || memos[kind],
    posted_at: toIso(postedAt),
  };
}

export interface PageQuery {
  readonly page: number;
  readonly size: number;
  readonly url: URL;
}

/** Returns one page as Django REST framework does. Undefined past the last page. */
export function showPage(rows: readonly Movement[], { page, size, url }: PageQuery) {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  if (page > pages) return undefined;
  const link = (target: number): string | null => {
    if (target < 1 || target > pages) return null;
    url.searchParams.set('page', String(target));
    return url.href;
  };
  const results = rows.slice((page - 1) * size, page * size).map(showMovement);
  return { count: rows.length, next: link(page + 1), previous: link(page - 1), results };
}
