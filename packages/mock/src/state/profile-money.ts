import {
  type FeeRule,
  feeRoundings,
  isRecord,
  type MoneySettings,
  type RateMoves,
  type RateSettings,
  type RateTier,
  toMicro,
} from '@service/internal';
import {
  choiceOf,
  durationWithin,
  type Fields,
  keyedBy,
  listOf,
  nameOr,
  object,
  oneOf,
  optional,
  PLACE,
  refine,
  type Schema,
  text,
  whole,
} from '../domain/schema.ts';

const currencyCode = /^[A-Z]{3}$/;
const code = text("a currency code such as 'USD'", { pattern: currencyCode.source });
const percent = text("a percentage as decimal text from '0' to '99.999999', such as '0.5'", {
  pattern: '^\\d{1,2}(\\.\\d{1,6})?$',
});
const money = text("an amount as decimal text with at most 2 decimals, such as '3.00'", {
  pattern: '^\\d{1,13}(\\.\\d{1,2})?$',
});

/** An object whose minimum is not above its maximum. */
function withLimits<T>(fields: Schema<T>): Schema<T> {
  return refine(fields, (value) =>
    isCrossed(value) ? `${PLACE}.minimum must not be above ${PLACE}.maximum` : undefined,
  );
}

const feeRule = withLimits(
  choiceOf<FeeRule>(
    {
      from: code,
      to: code,
      percent,
      flat: money,
      minimum: money,
      maximum: money,
      rounding: oneOf(feeRoundings),
    },
    {},
    { expected: 'an object with any of from, to, percent, flat, minimum, maximum and rounding' },
  ),
);

/** Returns whether the minimum is above the maximum. */
function isCrossed(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const [least, most] = [toMicro(value.minimum), toMicro(value.maximum)];
  return least !== undefined && most !== undefined && least > most;
}

const rate = text("a rate above 0 as decimal text with at most 6 decimals, such as '0.9213'", {
  pattern: '^\\d{1,12}(\\.\\d{1,6})?$',
  not: { pattern: '^[0.]*$' },
});
const share = text("a share of the rate from '0' to '0.999999' as decimal text, such as '0.002'", {
  pattern: '^0(\\.\\d{1,6})?$',
});
/** The longest text that fits into a request body beside the other fields. */
const MAX_TEXT = 10_000;
const DAY = 86_400_000;
const moves = object<RateMoves>({
  by: share,
  every: optional(durationWithin(1, DAY, "a duration from '1ms' to '1d', such as '5s'")),
});

const limit = text("an amount above 0 as decimal text with at most 2 decimals, such as '1.00'", {
  pattern: '^\\d{1,13}(\\.\\d{1,2})?$',
  not: { pattern: '^[0.]*$' },
});

// The document cannot say that the currencies differ: many regular expressions have no lookahead.
const pairs = keyedBy(rate, /^([A-Z]{3})\/(?!\1)[A-Z]{3}$/, {
  form: "'USD/EUR'",
  pattern: '^[A-Z]{3}/[A-Z]{3}$',
});
const least = keyedBy(limit, currencyCode, { form: "'USD'" });
const tier = object<RateTier>({
  from: refine(least, (value) =>
    Object.keys(value).length === 0 ? `${PLACE} must have an amount of some currency` : undefined,
  ),
  pairs: optional(pairs),
  spread: optional(share),
});

/** The schemas of the settings for money. */
export const moneyFields: Fields = {
  fees: listOf(feeRule, 'a list of fee rules'),
  rates: choiceOf<RateSettings>(
    { pairs, spread: share, moves, tiers: listOf(tier) },
    {},
    { expected: 'an object with any of pairs, spread, moves and tiers' },
  ),
  currencies: nameOr(['default'], listOf(code, "a list of currency codes, such as ['USD', 'EUR']", 1)),
  amountLimits: withLimits(
    object<MoneySettings['amountLimits']>(
      { minimum: limit, maximum: limit },
      'an object with minimum and maximum',
    ),
  ),
  textLimit: whole(1, MAX_TEXT),
  wallets: nameOr(
    ['default'],
    keyedBy(money, currencyCode, {
      form: "'USD'",
      expected: "an object of balances, such as { USD: '1000.00' }",
    }),
  ),
};
