import { computeRate, smallestStep } from './currency.ts';
import { divide, type Micro, type Minor, toAmount, toRate } from './money.ts';
import type { Terms } from './profile.ts';
import type { WithDecimals } from './json.ts';
import type { Currency, Quote as WireQuote } from '@service/contract';

/** A currency pair and the amount to send. */
export interface Exchange {
  readonly from_currency: Currency;
  readonly to_currency: Currency;
  /** In minor units of `from_currency`. */
  readonly send_amount: Minor;
}

/** An exchange with its fee, rate and received amount. */
export interface Quote extends Exchange {
  readonly fee: Minor;
  readonly rate: Micro;
  readonly receive_amount: Minor;
}

/** The fee rate: 0.50 %, in thousandths. */
const FEE_RATE = 5n;

/**
 * Quotes an exchange. By default the fee is 0.50 % of the sent amount and is taken out of it. Each figure is
 * rounded once (docs/contract.md#quotes).
 */
export function quoteExchange(exchange: Exchange, terms: Terms): Quote {
  const { from_currency, to_currency, send_amount } = exchange;
  const { rounding, feeMode, minorUnits } = terms;
  const round = (numerator: bigint, denominator: bigint, currency: Currency): Minor => {
    const step = smallestStep(currency, minorUnits);
    return divide(numerator, denominator * step, rounding) * step;
  };
  const margin = feeMode === 'inRate' ? FEE_RATE : 0n;
  const rate = computeRate(from_currency, to_currency, { rounding, margin });
  const fee =
    feeMode === 'inside' || feeMode === 'onTop' ? round(send_amount * FEE_RATE, 1000n, from_currency) : 0n;
  const exchanged = feeMode === 'inside' ? send_amount - fee : send_amount;
  const receive_amount = round(exchanged * rate, 1_000_000n, to_currency);
  return { from_currency, to_currency, send_amount, fee, rate, receive_amount };
}

/** Returns the wallet debit of an exchange: the sent amount, plus a fee on top. */
export function debitAmount({ send_amount, fee }: Quote, { feeMode }: Terms): Minor {
  return feeMode === 'onTop' ? send_amount + fee : send_amount;
}

/** Converts a quote to its JSON shape (docs/contract.md#quotes). */
export function toWireQuote(quote: Quote): WithDecimals<WireQuote> {
  return {
    from_currency: quote.from_currency,
    to_currency: quote.to_currency,
    send_amount: toAmount(quote.send_amount),
    fee: toAmount(quote.fee),
    rate: toRate(quote.rate),
    receive_amount: toAmount(quote.receive_amount),
  };
}
