import { divideToEven, type Money } from './decimal.ts';
import type { QuoteRequest } from './contracts.ts';
import { ModelState } from './model-state.ts';
import { createValidationProblem } from './problems.ts';

export interface Quote extends QuoteRequest {
  readonly fee: Money;
  /** Exchange rate in millionths. */
  readonly rate: bigint;
  readonly receiveAmount: Money;
}

/** Units of each currency per euro, in millionths: the reference rates of one day. */
const referenceRates: ReadonlyMap<string, bigint> = new Map([
  ['EUR', 1_000_000n],
  ['USD', 1_083_400n],
  ['GBP', 855_250n],
  ['CHF', 962_300n],
  ['SEK', 11_284_500n],
  ['NOK', 11_412_000n],
  ['DKK', 7_459_100n],
  ['PLN', 4_312_700n],
  ['CAD', 1_471_800n],
  ['AUD', 1_642_600n],
  ['NGN', 1_628_450_000n],
  ['GHS', 13_742_000n],
  ['KES', 141_905_000n],
  ['ZAR', 20_391_400n],
  ['INR', 90_118_500n],
  ['CNY', 7_841_300n],
  ['AED', 3_978_900n],
]);

const rateUnit = 1_000_000n;
/** Share of the reference rate that the beneficiary gets, in basis points. */
const rateAfterMargin = 9_960n;
const feeBasisPoints = 45n;
const basisPoints = 10_000n;
/** Limits of the fee in euros. */
const minimumFee: Money = 1_50n;
const maximumFee: Money = 60_00n;

/**
 * Prices an amount. The fee is charged on top of it.
 *
 * @throws {ApiProblem} when the service does not convert between the currencies.
 */
export function createQuote({ fromCurrency, toCurrency, amount }: QuoteRequest): Quote {
  const modelState = new ModelState();
  const from = getReferenceRate(modelState, 'from_currency', fromCurrency);
  const to = getReferenceRate(modelState, 'to_currency', toCurrency);
  if (modelState.isValid && fromCurrency === toCurrency) {
    modelState.add('to_currency', 'ToCurrency must be different from FromCurrency.');
  }
  if (!modelState.isValid) throw createValidationProblem(modelState);

  const rate = divideToEven(to * rateUnit * rateAfterMargin, from * basisPoints);
  const receiveAmount = divideToEven(amount * rate, rateUnit);
  if (receiveAmount === 0n) {
    modelState.add('amount', `Amount is too small to be converted to ${toCurrency}.`);
    throw createValidationProblem(modelState);
  }
  return { fromCurrency, toCurrency, amount, fee: getFee(amount, from), rate, receiveAmount };
}

function getReferenceRate(modelState: ModelState, key: string, currency: string): bigint {
  const rate = referenceRates.get(currency);
  if (rate === undefined) modelState.add(key, `The currency '${currency}' is not supported.`);
  return rate ?? rateUnit;
}

function getFee(amount: Money, from: bigint): Money {
  const fee = divideToEven(amount * feeBasisPoints, basisPoints);
  const minimum = divideToEven(minimumFee * from, rateUnit);
  const maximum = divideToEven(maximumFee * from, rateUnit);
  return fee < minimum ? minimum : fee > maximum ? maximum : fee;
}
