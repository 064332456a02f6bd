import { computeRate, type MinorUnits, smallestStep } from './currency.ts';
import { divideHalfUp, type Micro, type Minor, toAmount, toRate } from './money.ts';
import type { Written } from './wire.ts';
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

/**
 * Quotes an exchange: the fee is 0.50 % of the sent amount and lies inside it; what is left is converted at the displayed
 * rate. Each figure is rounded half up, once (contract.md 2).
 */
export function quoteExchange(exchange: Exchange, minorUnits: MinorUnits): Quote {
  const { from_currency, to_currency, send_amount } = exchange;
  const rate = computeRate(from_currency, to_currency);
  const fee = divideToStep(send_amount * 5n, 1000n, smallestStep(from_currency, minorUnits));
  const receive_amount = divideToStep(
    (send_amount - fee) * rate,
    1_000_000n,
    smallestStep(to_currency, minorUnits),
  );
  return { ...exchange, fee, rate, receive_amount };
}

function divideToStep(numerator: bigint, denominator: bigint, step: Minor): Minor {
  return divideHalfUp(numerator, denominator * step) * step;
}

/** Shows a quote as it stands on the wire (spec §2). */
export function toWireQuote(quote: Quote): Written<WireQuote> {
  return {
    from_currency: quote.from_currency,
    to_currency: quote.to_currency,
    send_amount: toAmount(quote.send_amount),
    fee: toAmount(quote.fee),
    rate: toRate(quote.rate),
    receive_amount: toAmount(quote.receive_amount),
  };
}
