import type { Json } from './json.ts';
import { debitAmount, type Minor, type Quote, toAmount, toRate } from './money.ts';
import type { Profile, Terms } from './profile.ts';
import { type Facts, fill } from './shapes.ts';

/** Returns the values of a quote for templates. */
function quoteFacts(quote: Quote, terms: Terms): Facts {
  return {
    from_currency: quote.from_currency,
    to_currency: quote.to_currency,
    send_amount: toAmount(quote.send_amount),
    fee: toAmount(quote.fee),
    debit: toAmount(debitAmount(quote, terms)),
    rate: toRate(quote.rate),
    receive_amount: toAmount(quote.receive_amount),
  };
}

/** Returns the values of a payment that exceeds the available balance. */
export function fundsFacts(quote: Quote, available: Minor, terms: Terms): Facts {
  return {
    ...quoteFacts(quote, terms),
    available: toAmount(available),
    shortfall: toAmount(debitAmount(quote, terms) - available),
  };
}

/** Writes the `data` of a quote in the shape of a profile (docs/contract.md#quotes). */
export function writeQuote(quote: Quote, profile: Profile): Json {
  return fill(profile.quoteShape, quoteFacts(quote, profile), { profile });
}
