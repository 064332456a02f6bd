import { computeRate, smallestStep } from './currency.ts';
import { divide, type Micro, type Minor, toAmount, toRate } from './money.ts';
import type { Terms } from './profile.ts';
import type { WithDecimals } from './json.ts';
import type { Currency, Quote as WireQuote } from '@service/contract';

/** Names the pair and the amount that an exchange is asked for. */
export interface Exchange {
  readonly from_currency: Currency;
  readonly to_currency: Currency;
  /** In minor units of `from_currency`. */
  readonly send_amount: Minor;
}

/** Holds what an exchange costs and yields. */
export interface Quote extends Exchange {
  readonly fee: Minor;
  readonly rate: Micro;
  readonly receive_amount: Minor;
}

/** The part that the service earns: 0.50 %, in thousandths. */
const FEE_RATE = 5n;

/**
 * Quotes an exchange: the fee is 0.50 % of the sent amount and lies inside it; what is left is converted at the displayed
 * rate. Each figure is rounded once (contract.md 2). Terms can put the fee on top, into the rate, or leave it out.
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

/** Returns what an exchange takes from the wallet: the sent amount, and the fee where it comes on top. */
export function debitAmount({ send_amount, fee }: Quote, { feeMode }: Terms): Minor {
  return feeMode === 'onTop' ? send_amount + fee : send_amount;
}

/** Shows a quote as it stands on the wire (spec §2). */
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
