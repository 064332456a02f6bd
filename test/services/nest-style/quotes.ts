import { ApiException, invalidProperty, notFound } from './exceptions.ts';
import {
  calculateFee,
  convert,
  isSupported,
  type RateTable,
  smallestAmount,
  toAmount,
  toHundredths,
  toRate,
} from './money.ts';
import type { RandomStream } from './random.ts';
import { durations, MAX_AMOUNT } from './settings.ts';
import { formatTimestamp, type Timeline } from './timeline.ts';
import { amount, currencyCode, type Dto } from './validation.ts';

export const createQuoteDto = {
  from_currency: currencyCode(),
  to_currency: currencyCode(),
  amount: amount(0.01, MAX_AMOUNT),
};

/** The part of a quote that a payment without a quote also has. */
export interface Pricing {
  readonly from: string;
  readonly to: string;
  /** Amounts in hundredths. */
  readonly sendAmount: bigint;
  readonly fee: bigint;
  readonly receiveAmount: bigint;
  /** Rate in millionths. */
  readonly rate: bigint;
}

export interface Quote extends Pricing {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The quotes of one account in one mode. */
export class QuotesService {
  readonly #quotes = new Map<string, Quote>();
  readonly #used = new Set<string>();
  readonly #rates: RateTable;
  readonly #random: RandomStream;
  readonly #timeline: Timeline;

  constructor(rates: RateTable, random: RandomStream, timeline: Timeline) {
    this.#rates = rates;
    this.#random = random;
    this.#timeline = timeline;
  }

  create(dto: Dto<typeof createQuoteDto>): Quote {
    const createdAt = this.#timeline.now();
    const expiresAt = createdAt + this.#timeline.scale(durations.quoteLifetime);
    const quote = { id: this.#random.uuid(), ...this.price(dto), createdAt, expiresAt };
    this.#quotes.set(quote.id, quote);
    return quote;
  }

  /** @throws {ApiException} when the service cannot send between the currencies, or not this amount */
  price(dto: Dto<typeof createQuoteDto>): Pricing {
    const { from_currency: from, to_currency: to } = dto;
    const unsupported = [from, to].find((code) => !isSupported(code));
    if (unsupported !== undefined)
      throw new ApiException(422, 'unsupported_currency', `Currency ${unsupported} is not supported`);
    const sendAmount = toHundredths(dto.amount);
    if (sendAmount % smallestAmount(from) !== 0n)
      throw invalidProperty('amount', 'decimals', `amount must not have decimal places in ${from}`);
    const rate = this.#rates.find(from, to);
    const fee = calculateFee(sendAmount, from, to);
    return { from, to, sendAmount, fee, rate, receiveAmount: convert(sendAmount, rate, to) };
  }

  /**
   * Returns the quote that a payment names.
   *
   * @throws {ApiException} when there is no such quote, or the payment cannot use it
   */
  find(id: string, dto: Dto<typeof createQuoteDto>): Quote {
    const quote = this.#quotes.get(id.toLowerCase());
    if (!quote) throw notFound('Quote', id);
    if (this.#used.has(quote.id))
      throw new ApiException(409, 'quote_already_used', `Quote ${id} belongs to another payment`);
    if (quote.expiresAt <= this.#timeline.now())
      throw new ApiException(
        422,
        'quote_expired',
        `Quote ${id} expired at ${formatTimestamp(quote.expiresAt)}`,
      );
    const { from_currency: from, to_currency: to } = dto;
    if (quote.from !== from || quote.to !== to || quote.sendAmount !== toHundredths(dto.amount))
      throw invalidProperty(
        'quote_id',
        'matches',
        'quote_id must name a quote of the same currencies and amount',
      );
    return quote;
  }

  markUsed(quote: Quote): void {
    this.#used.add(quote.id);
  }
}

export function presentQuote(quote: Quote): object {
  return {
    id: quote.id,
    from_currency: quote.from,
    to_currency: quote.to,
    send_amount: toAmount(quote.sendAmount),
    fee: toAmount(quote.fee),
    total_amount: toAmount(quote.sendAmount + quote.fee),
    rate: toRate(quote.rate),
    receive_amount: toAmount(quote.receiveAmount),
    created_at: formatTimestamp(quote.createdAt),
    expires_at: formatTimestamp(quote.expiresAt),
  };
}
