import { paymentStatuses } from '@service/contract';
import {
  type AmountCondition,
  type DurationRange,
  errorNames,
  type ExtraStatus,
  feeModes,
  feeRoundings,
  type FeeRule,
  findTemplateProblems,
  firstPages,
  headerName,
  headerNames,
  type HeaderTemplates,
  headerText,
  type IdForms,
  isRecord,
  isRefusedHeader,
  isUniqueForm,
  linkQueries,
  type ObjectTemplate,
  type OutcomeRule,
  outcomes,
  pageNames,
  pagePositions,
  type PageTemplate,
  type RateMoves,
  type RateSettings,
  type RateTier,
  type RefusalTemplate,
  rowKinds,
  type RowTemplate,
  type Template,
  type TemplateNames,
  templatePlaces,
  type TextCondition,
  type TimestampForm,
  toMicro,
  zonePattern,
} from '@service/internal';
import { idParts } from './ids.ts';
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

const textCondition = s.choiceOf<TextCondition>({ equals: s.text(), prefix: s.text(), suffix: s.text() });
const amountCondition = s.choiceOf<AmountCondition>({
  equals: money,
  from: money,
  to: money,
  suffix: s.text("the end of an amount with two decimals, such as '.13'", { pattern: '^[\\d.]+$' }),
});

const conditions = { account: textCondition, name: textCondition, amount: amountCondition };

/** The rules of outcomes. */
export const outcomeRules: s.Schema<readonly OutcomeRule[]> = s.listOf(
  s.choiceOf<OutcomeRule>(conditions, { outcome: s.oneOf(outcomes) }),
  'a list of rules such as { account: { suffix: "0000" }, outcome: "fail" }',
);

const statusText = s.text("a name such as 'in_review' that the document does not have", {
  pattern: '^[A-Za-z][\\w-]{0,39}$',
  not: { pattern: `^(?:${paymentStatuses.join('|')})$` },
});
const extraStatus = s.choiceOf<ExtraStatus>(
  { ...conditions, duration: durationRange, webhook: s.boolean },
  { status: statusText, after: s.oneOf(['pending', 'processing']) },
);

/** A list in which each status has one place. */
export const extraStatusList: s.Schema<readonly ExtraStatus[]> = s.refine(
  s.listOf(extraStatus, "a list of statuses such as { status: 'in_review', after: 'pending' }"),
  (value) => {
    const names = value.map(({ status }) => status);
    const repeated = names.filter((name, index) => names.indexOf(name) < index);
    return repeated.map((name) => `${s.PLACE} has the status ${JSON.stringify(name)} twice`);
  },
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
const code = s.text("a currency code such as 'USD'", {
  pattern: currencyCode.source,
});
/** The currencies of the mock, or a list of codes. */
export const currencyCodes: s.Schema<'default' | readonly string[]> = s.nameOr(
  ['default'],
  s.listOf(code, "a list of currency codes, such as ['USD', 'EUR']", 1),
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
  return s.refine(fields, (value) =>
    isCrossed(value) ? [`${s.PLACE}.minimum must not be above ${s.PLACE}.maximum`] : [],
  );
}

/** A limit of an amount. */
export const limit: s.Schema<string> = s.text(
  "an amount above 0 as decimal text with at most 2 decimals, such as '1.00'",
  {
    pattern: '^\\d{1,13}(\\.\\d{1,2})?$',
    not: { pattern: '^[0.]*$' },
  },
);

/** The rules of fees. */
export const feeRules: s.Schema<readonly FeeRule[]> = s.listOf(
  withLimits(
    s.choiceOf<FeeRule>({
      from: code,
      to: code,
      amount: s.object({ from: limit }),
      percent,
      flat: money,
      minimum: money,
      maximum: money,
      rounding: s.oneOf(feeRoundings),
      mode: s.oneOf(feeModes),
    }),
  ),
  'a list of fee rules',
);

/** Returns whether the minimum is above the maximum. */
function isCrossed(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const [least, most] = [toMicro(value.minimum), toMicro(value.maximum)];
  return least !== undefined && most !== undefined && least > most;
}

const rate = s.text("a rate above 0 as decimal text with at most 6 decimals, such as '0.9213'", {
  pattern: '^\\d{1,12}(\\.\\d{1,6})?$',
  not: { pattern: '^[0.]*$' },
});
const share = s.text("a share of the rate from '0' to '0.999999' as decimal text, such as '0.002'", {
  pattern: '^0(\\.\\d{1,6})?$',
});
const DAY = 86_400_000;
const moves = s.object<RateMoves>({
  by: share,
  every: s.optional(s.durationWithin(1, DAY, "a duration from '1ms' to '1d', such as '5s'")),
});

// The document cannot say that the currencies differ: many regular expressions have no lookahead.
const pairs = s.recordOf(rate, {
  names: /^([A-Z]{3})\/(?!\1)[A-Z]{3}$/,
  form: "'USD/EUR'",
  json: { propertyNames: { pattern: '^[A-Z]{3}/[A-Z]{3}$' } },
});
const leastAmounts = s.recordOf(limit, { names: currencyCode, form: "'USD'" });
const tier = s.object<RateTier>({
  from: s.refine(leastAmounts, (value) =>
    Object.keys(value).length === 0 ? [`${s.PLACE} must have an amount of some currency`] : [],
  ),
  pairs: s.optional(pairs),
  spread: s.optional(share),
});

/** The rates. */
export const rateSettings: s.Schema<RateSettings> = s.choiceOf<RateSettings>({
  pairs,
  spread: share,
  moves,
  tiers: s.listOf(tier),
});

const anyTemplate = s.accept<Template>('JSON with values such as "{id}"', (value) => value !== undefined);

/** A template with some values. */
/* @__NO_SIDE_EFFECTS__ */
export function template<T extends Template = Template>(
  content: TemplateNames,
  schema: s.Schema<T> = anyTemplate as s.Schema<T>,
): s.Schema<T> {
  return s.refine(schema, (value) => findTemplateProblems(value, content, s.PLACE));
}

const anyObject = s.accept<ObjectTemplate>('an object of templates', isRecord, { type: 'object' });

/** A template of an object. */
/* @__NO_SIDE_EFFECTS__ */
export function objectTemplate(names: TemplateNames): s.Schema<ObjectTemplate> {
  return template(names, anyObject);
}

/** The templates of headers by name. Null removes a header, unless they are those of a webhook. */
/* @__NO_SIDE_EFFECTS__ */
function headerTemplates(
  names: readonly string[],
  isOfWebhook = false,
): s.Schema<Readonly<Record<string, string | null>>> {
  const json = { type: 'string', pattern: headerText.source };
  const item = s.accept<string | null>(
    isOfWebhook ? 'text' : 'text, or null to remove the header',
    (value) => typeof value === 'string' || (value === null && !isOfWebhook),
    isOfWebhook ? json : { anyOf: [json, { type: 'null' }] },
  );
  const header = s.refine(item, (value) => {
    if (value === null) return [];
    if (headerText.test(value)) return findTemplateProblems(value, { names }, s.PLACE);
    return [`${s.PLACE} must be visible ASCII characters, with spaces and tabs only between them`];
  });
  const named = s.recordOf(header, {
    names: headerName,
    form: "of letters, digits and any of !#$%&'*+-.^_`|~",
  });
  return s.refine(named, (value) =>
    Object.keys(value)
      .filter((name) => isRefusedHeader(name, isOfWebhook))
      .map((name) => `${s.PLACE} must not have the header ${name}: the sandbox and HTTP decide on it`),
  );
}

/** The rows of the transaction list. */
export const rows: s.Schema<readonly RowTemplate[]> = s.listOf(
  s.object<RowTemplate>({
    of: s.oneOf(rowKinds),
    row: template(templatePlaces.row),
  }),
);

/** A page of the transaction list. */
export const page: s.Schema<PageTemplate> = s.choiceOf<PageTemplate>(
  {
    beside: template(templatePlaces.page),
    headers: headerTemplates(pageNames),
    by: s.oneOf(pagePositions),
    parameter: s.text('a name', { minLength: 1 }),
    first: s.oneOf(firstPages),
    query: s.oneOf(linkQueries),
  },
  { data: template(templatePlaces.page) },
);

/** A refusal. */
export const refusal: s.Schema<RefusalTemplate> = s.choiceOf<RefusalTemplate>({
  status: s.whole(400, 599),
  type: s.text(),
  message: s.text(),
  body: template(templatePlaces.refusal),
  headers: headerTemplates(errorNames),
});

/** A form of timestamps. */
export const timestamp: s.Schema<TimestampForm> = s.object<TimestampForm>({
  digits: s.whole(0, 9),
  zone: s.text("'Z' or an offset from '-12:00' to '+14:00', such as '+01:00'", { pattern: zonePattern }),
});

/** The form of an id, which starts with a prefix. */
/* @__NO_SIDE_EFFECTS__ */
function idForm(names: readonly string[], expected: string, prefix = ''): s.Schema<string> {
  const form = template({ names, hasLengths: true }, s.text(expected));
  return s.refine(form, (id) => (id.startsWith(prefix) && isUniqueForm(id) ? [] : [expected]));
}

/** The forms of ids. */
export const idForms: s.Schema<IdForms> = s.choiceOf<IdForms>({
  payment: idForm(
    idParts,
    "text that starts with 'pay_{mode}_' and has a part that differs, such as '{base62 24}'",
    'pay_{mode}_',
  ),
  transaction: idForm(
    idParts.filter((name) => name !== 'date'),
    "text with a part that differs, such as '{number}'",
  ),
});

/** The headers by operation. */
export const headers: s.Schema<HeaderTemplates> = s.choiceOf<HeaderTemplates>(
  Object.fromEntries(
    Object.entries(headerNames).map(([name, names]) => [name, headerTemplates(names, name === 'event')]),
  ),
);
