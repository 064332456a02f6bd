import {
  type DurationRange,
  type Example,
  type FeeRule,
  type HeaderPlace,
  type HeaderSettings,
  isRecord,
  type JsonObject,
  type OutcomeRule,
  outcomes,
  type PageExample,
  type RateSettings,
  type RefusalExample,
  type RowExamples,
  type RowMoment,
  type TimestampForm,
  toMicro,
} from '@service/internal';
import {
  findExampleProblems,
  listPlaceholders,
  pagePlaceholders,
  type PlaceholderTable,
  refusalPlaceholders,
  rowPlaceholders,
} from './placeholders.ts';
import { isDeeperThan, MAX_DEPTH } from './json.ts';
import * as s from './schema.ts';

/** A time in a status. */
export const statusDuration: s.Schema<number> = s.durationWithin(
  0,
  3650 * 86_400_000,
  "a duration of at most '3650d', such as '3s'",
);
const durationJson = statusDuration.json;

/** A duration, or the shortest and the longest one. */
export const durationRange: s.Schema<DurationRange> = s.convert(
  "a duration of at most '3650d', such as '3s', or the shortest and the longest one, such as ['2s', '5s']",
  (value) => (isRange(value) ? value : s.parseAs(statusDuration, value)),
  {
    anyOf: [durationJson, { type: 'array', items: durationJson, minItems: 2, maxItems: 2 }],
    examples: [['2s', '5s']],
  },
);

function isRange(value: unknown): value is DurationRange {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [shortest = -1, longest = -1] = value.map((each) => s.parseAs(statusDuration, each));
  return shortest >= 0 && shortest <= longest;
}

/** An amount of money. */
const money = s.text("an amount as decimal text with at most 2 decimals, such as '3.00'", {
  pattern: '^\\d{1,13}(\\.\\d{1,2})?$',
});

const pattern = s.text("text in which one '*' can stand for any text, such as '*0000'", {
  pattern: '^[^*]*\\*?[^*]*$',
});

/** The rules of outcomes. */
export const outcomeRules: s.Schema<readonly OutcomeRule[]> = s.listOf(
  s.choiceOf<OutcomeRule>(
    { account: pattern, name: pattern, amount: pattern },
    { outcome: s.oneOf(outcomes) },
  ),
  'a list of rules such as { account: "*0000", outcome: "fail" }',
);

/** A delay or a time window. */
export const delay: s.Schema<number> = s.durationWithin(
  1,
  365 * 86_400_000,
  "a duration from '1ms' to '365d'",
);
/** A probability. */
export const probability: s.Schema<number> = s.number('a probability from 0 to 1', { maximum: 1 });

/** The form of a currency code. */
export const currencyCode: RegExp = /^[A-Z]{3}$/;
/** The currencies of the mock, or the codes of others. */
export const currencyCodes: s.Schema<string> = s.nameOr(
  ['default'],
  s.text("currency codes such as 'EUR USD'", { pattern: '^[A-Z]{3}( [A-Z]{3})*$' }),
);
const percent = s.text("a percentage as decimal text from '0' to '99.999999', such as '0.5'", {
  pattern: '^\\d{1,2}(\\.\\d{1,6})?$',
});

/** The balances of wallets by currency. */
export const balances: s.Schema<Readonly<Record<string, string>>> = s.recordOf(money, {
  names: currencyCode,
  form: "'USD'",
  expected: "an object of balances, such as { USD: '1000.00' }",
});

/** An object whose minimum is not above its maximum. */
export function withLimits<T>(fields: s.Schema<T>): s.Schema<T> {
  return s.refine(fields, (value) => {
    const { minimum, maximum }: JsonObject = isRecord(value) ? value : {};
    const [least, most] = [toMicro(minimum), toMicro(maximum)];
    const isCrossed = least !== undefined && most !== undefined && least > most;
    return isCrossed ? ['must not have a minimum above its maximum'] : [];
  });
}

/** A limit of an amount. */
export const limit: s.Schema<string> = s.text(
  "an amount above 0 as decimal text with at most 2 decimals, such as '1.00'",
  {
    pattern: '^\\d{1,13}(\\.\\d{1,2})?$',
    not: { pattern: '^[0.]*$' },
  },
);

/** The rule of the fee. */
export const feeRule: s.Schema<FeeRule> = withLimits(
  s.choiceOf<FeeRule>({
    percent,
    flat: money,
    minimum: money,
    maximum: money,
    rounding: s.oneOf(['up', 'down', 'half_up', 'half_even']),
    mode: s.oneOf(['inside', 'onTop']),
  }),
);

const rate = s.text("a rate above 0 as decimal text with at most 6 decimals, such as '0.9213'", {
  pattern: '^\\d{1,12}(\\.\\d{1,6})?$',
  not: { pattern: '^[0.]*$' },
});
const share = s.text("a share of the rate from '0' to '0.999999' as decimal text, such as '0.002'", {
  pattern: '^0(\\.\\d{1,6})?$',
});
// The document cannot say that the currencies differ: many regular expressions have no lookahead.
const pairs = s.recordOf(rate, {
  names: /^([A-Z]{3})\/(?!\1)[A-Z]{3}$/,
  form: "'USD/EUR'",
  json: { propertyNames: { pattern: '^[A-Z]{3}/[A-Z]{3}$' } },
});
/** The rates. */
export const rateSettings: s.Schema<RateSettings> = s.choiceOf<RateSettings>({ pairs, spread: share });

/** Maximum size of an example, in characters of JSON. */
const MAX_EXAMPLE = 20_000;

/** An example with some placeholders. */
/* @__NO_SIDE_EFFECTS__ */
function example(placeholders: PlaceholderTable): s.Schema<Example> {
  const json = s.accept<Example>('JSON with values such as "{id}"', (value) => value !== undefined);
  return s.refine(json, (value) => {
    if (isDeeperThan(value, MAX_DEPTH)) return [`must not be nested deeper than ${MAX_DEPTH} levels`];
    if (JSON.stringify(value).length > MAX_EXAMPLE)
      return [`must not be longer than ${MAX_EXAMPLE} characters`];
    return findExampleProblems(value, placeholders);
  });
}

/** Matches a header name (RFC 9110, section 5.1). */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/** Matches the text of a header: visible ASCII, and spaces and tabs inside (RFC 9110, section 5.5). */
const headerText = '^(?:[!-~](?:[\\t -~]*[!-~])?)?$';

/**
 * Matches the headers that a profile must not write: those of the connection and the framing of a message (RFC 9110, section
 * 7.6.1), cookies, and those that decide which pages can read a response. Those of a webhook also have other owners.
 */
const refusedHeader =
  /^(?:connection|content-encoding|content-length|http2-settings|keep-alive|proxy-.*|set-cookie2?|te|trailer|transfer-encoding|upgrade|access-control-.*)$/i;
const refusedInWebhooks = /^(?:authorization|cookie2?|expect|host|x-service-signature)$/i;

/** Headers by name. Null removes a header, unless they are those of a webhook. */
/* @__NO_SIDE_EFFECTS__ */
function constantHeaders(isOfWebhook = false): s.Schema<Readonly<Record<string, string | null>>> {
  const text = s.text('visible ASCII characters, with spaces and tabs only between them', {
    pattern: headerText,
  });
  const nothing = s.accept<null>('null to remove the header', (value) => value === null, { type: 'null' });
  const named = s.recordOf<string | null>(isOfWebhook ? text : s.anyOf([text, nothing]), {
    names: headerName,
    form: "of letters, digits and any of !#$%&'*+-.^_`|~",
  });
  return s.refine(named, (value) =>
    Object.keys(value)
      .filter((name) => refusedHeader.test(name) || (isOfWebhook && refusedInWebhooks.test(name)))
      .map((name) => `must not have the header ${name}: the sandbox and HTTP decide on it`),
  );
}

/** The headers of a response. */
export const responseHeaders: s.Schema<Readonly<Record<string, string | null>>> = constantHeaders();

const rowList = s.listOf(example(rowPlaceholders));
const rowLists: Readonly<Record<RowMoment, s.Schema>> = {
  create: rowList,
  debit: rowList,
  completion: rowList,
  failure: rowList,
  refund: rowList,
  deposit: rowList,
  adjustment: rowList,
};

/** The rows of the transaction list. */
export const rows: s.Schema<RowExamples> = s.choiceOf<RowExamples>(rowLists);

const pageBody = s.refine(example(pagePlaceholders), (value) =>
  listPlaceholders(value).filter(({ name }) => name === 'rows').length === 1
    ? []
    : ['must have "{rows}" once, in the place of the list of rows'],
);

/** A page of the transaction list. */
export const page: s.Schema<PageExample> = s.choiceOf<PageExample>(
  {
    link: s.refine(s.text('the Link header', { pattern: headerText }), (value) =>
      findExampleProblems(value, pagePlaceholders),
    ),
    by: s.oneOf(['page', 'cursor', 'offset']),
    parameter: s.text('a name', { minLength: 1 }),
    first: s.oneOf([1, 0]),
  },
  { body: pageBody },
);

/** A refusal. */
export const refusal: s.Schema<RefusalExample> = s.choiceOf<RefusalExample>({
  status: s.whole(400, 599),
  type: s.text(),
  message: s.text(),
  body: example(refusalPlaceholders),
});

/** Matches the UTC offsets that zones have, from -12:00 to +14:00. */
const zone = '^(?:Z|-(?:0\\d|1[01]):?[0-5]\\d|-12:?00|\\+(?:0\\d|1[0-3]):?[0-5]\\d|\\+14:?00)$';

/** A form of timestamps. */
export const timestamp: s.Schema<TimestampForm> = s.strict({
  digits: s.whole(0, 9),
  zone: s.text("'Z' or an offset from '-12:00' to '+14:00', such as '+01:00'", { pattern: zone }),
});

const headerSettings: Readonly<Record<HeaderPlace, s.Schema>> = {
  all: responseHeaders,
  createQuote: responseHeaders,
  createPayment: responseHeaders,
  replayPayment: responseHeaders,
  getPayment: responseHeaders,
  getBalance: responseHeaders,
  listTransactions: responseHeaders,
  event: constantHeaders(true),
};

/** The headers by operation. */
export const headers: s.Schema<HeaderSettings> = s.choiceOf<HeaderSettings>(headerSettings);
