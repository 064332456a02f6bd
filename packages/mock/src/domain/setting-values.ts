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
  linkQueries,
  listPlaceholders,
  type ObjectTemplate,
  type OutcomeRule,
  outcomes,
  pageNames,
  pagePositions,
  type PageTemplate,
  type Placeholder,
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
import {
  accept,
  boolean,
  choiceOf,
  convert,
  durationWithin,
  type JsonSchema,
  listOf,
  number,
  object,
  oneOf,
  optional,
  parseAs,
  PLACE,
  recordOf,
  refine,
  registeredJson,
  type Schema,
  text,
  whole,
} from './schema.ts';

/** A time in a status. */
export const statusDuration: Schema<number> = durationWithin(
  0,
  3650 * 86_400_000,
  "a duration of at most '3650d', such as '3s'",
);
const durationJson = registeredJson(statusDuration);

/** A duration, or the shortest and the longest one. */
export const durationRange: Schema<DurationRange> = convert(
  "a duration of at most '3650d', such as '3s', or the shortest and the longest one, such as ['2s', '5s']",
  (value) => (isRange(value) ? value : parseAs(statusDuration, value)),
  {
    anyOf: [durationJson, { type: 'array', items: durationJson, minItems: 2, maxItems: 2 }],
    examples: [['2s', '5s']],
  },
);

function isRange(value: unknown): value is DurationRange {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [shortest = -1, longest = -1] = value.map((each) => parseAs(statusDuration, each));
  return shortest >= 0 && shortest <= longest;
}

const amount = text("an amount as decimal text with at most 2 decimals, such as '3000.00'", {
  pattern: '^\\d{1,13}(\\.\\d{1,2})?$',
});

const textCondition = choiceOf<TextCondition>({ equals: text(), prefix: text(), suffix: text() });
const amountCondition = choiceOf<AmountCondition>({
  equals: amount,
  from: amount,
  to: amount,
  suffix: text("the end of an amount with two decimals, such as '.13'", { pattern: '^[\\d.]+$' }),
});

const conditions = { account: textCondition, name: textCondition, amount: amountCondition };

/** The rules of outcomes. */
export const outcomeRules: Schema<readonly OutcomeRule[]> = listOf(
  choiceOf<OutcomeRule>(conditions, { outcome: oneOf(outcomes) }),
  'a list of rules such as { account: { suffix: "0000" }, outcome: "fail" }',
);

const statusText = text("a name such as 'in_review' that the document does not have", {
  pattern: '^[A-Za-z][\\w-]{0,39}$',
  not: { pattern: `^(?:${paymentStatuses.join('|')})$` },
});
const extraStatus = choiceOf<ExtraStatus>(
  { ...conditions, duration: durationRange, webhook: boolean },
  { status: statusText, after: oneOf(['pending', 'processing']) },
);

/** A list in which each status has one place. */
export const extraStatusList: Schema<readonly ExtraStatus[]> = refine(
  listOf(extraStatus, "a list of statuses such as { status: 'in_review', after: 'pending' }"),
  (value) => {
    const repeated = findRepeated(value);
    return repeated === undefined ? undefined : `${PLACE} has the status ${JSON.stringify(repeated)} twice`;
  },
);

/** Returns a status that is in a list twice. */
function findRepeated(value: unknown): unknown {
  const names = Array.isArray(value) ? value.map((each: unknown) => isRecord(each) && each.status) : [];
  return names.find((name, index) => names.indexOf(name) < index);
}

/** A delay or a time window. */
export const delay: Schema<number> = durationWithin(1, 365 * 86_400_000, "a duration from '1ms' to '365d'");
/** A probability. */
export const probability: Schema<number> = number('a probability from 0 to 1', { maximum: 1 });

const currencyCode = /^[A-Z]{3}$/;
/** A currency code. */
export const code: Schema<string> = text("a currency code such as 'USD'", { pattern: currencyCode.source });
const percent = text("a percentage as decimal text from '0' to '99.999999', such as '0.5'", {
  pattern: '^\\d{1,2}(\\.\\d{1,6})?$',
});
/** An amount of money. */
const money = text("an amount as decimal text with at most 2 decimals, such as '3.00'", {
  pattern: '^\\d{1,13}(\\.\\d{1,2})?$',
});

/** The balances of wallets by currency. */
export const balances: Schema<Readonly<Record<string, string>>> = recordOf(money, {
  names: currencyCode,
  form: "'USD'",
  expected: "an object of balances, such as { USD: '1000.00' }",
});

/** An object whose minimum is not above its maximum. */
export function withLimits<T>(fields: Schema<T>): Schema<T> {
  return refine(fields, (value) =>
    isCrossed(value) ? `${PLACE}.minimum must not be above ${PLACE}.maximum` : undefined,
  );
}

/** A limit of an amount. */
export const limit: Schema<string> = text(
  "an amount above 0 as decimal text with at most 2 decimals, such as '1.00'",
  {
    pattern: '^\\d{1,13}(\\.\\d{1,2})?$',
    not: { pattern: '^[0.]*$' },
  },
);

/** The rules of fees. */
export const feeRules: Schema<readonly FeeRule[]> = listOf(
  withLimits(
    choiceOf<FeeRule>(
      {
        from: code,
        to: code,
        amount: object({ from: limit }),
        percent,
        flat: money,
        minimum: money,
        maximum: money,
        rounding: oneOf(feeRoundings),
        mode: oneOf(feeModes),
      },
      {},
      {
        expected:
          'an object with any of from, to, amount, percent, flat, minimum, maximum, rounding and mode',
      },
    ),
  ),
  'a list of fee rules',
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
const DAY = 86_400_000;
const moves = object<RateMoves>({
  by: share,
  every: optional(durationWithin(1, DAY, "a duration from '1ms' to '1d', such as '5s'")),
});

// The document cannot say that the currencies differ: many regular expressions have no lookahead.
const pairs = recordOf(rate, {
  names: /^([A-Z]{3})\/(?!\1)[A-Z]{3}$/,
  form: "'USD/EUR'",
  json: { propertyNames: { pattern: '^[A-Z]{3}/[A-Z]{3}$' } },
});
const leastAmounts = recordOf(limit, { names: currencyCode, form: "'USD'" });
const tier = object<RateTier>({
  from: refine(leastAmounts, (value) =>
    Object.keys(value).length === 0 ? `${PLACE} must have an amount of some currency` : undefined,
  ),
  pairs: optional(pairs),
  spread: optional(share),
});

/** The rates. */
export const rateSettings: Schema<RateSettings> = choiceOf<RateSettings>(
  { pairs, spread: share, moves, tiers: listOf(tier) },
  {},
  { expected: 'an object with any of pairs, spread, moves and tiers' },
);

/** A template with some values, of the values that `isValid` accepts. */
/* @__NO_SIDE_EFFECTS__ */
export function template<T = Template>(
  content: TemplateNames,
  { expected = 'JSON with values such as "{id}"', isValid = isGiven, json }: TemplateOptions = {},
): Schema<T> {
  return accept<T>(expected, isValid, json, (value) =>
    findTemplateProblems(value as Template, content, PLACE),
  );
}

interface TemplateOptions {
  readonly expected?: string;
  readonly isValid?: (value: unknown) => boolean;
  readonly json?: JsonSchema;
}

const isGiven = (value: unknown): boolean => value !== undefined;
const isText = (value: unknown): boolean => typeof value === 'string';

/** A template of an object. */
/* @__NO_SIDE_EFFECTS__ */
export function objectTemplate(names: TemplateNames): Schema<ObjectTemplate> {
  const json = { type: 'object' };
  return template(names, { expected: 'an object of templates', isValid: isRecord, json });
}

/** The templates of headers by name. Null removes a header, unless they are those of a webhook. */
/* @__NO_SIDE_EFFECTS__ */
function headerTemplates(
  names: readonly string[],
  isOfWebhook = false,
): Schema<Readonly<Record<string, string | null>>> {
  const json = { type: 'string', pattern: headerText.source };
  const item = accept<string | null>(
    isOfWebhook ? 'text' : 'text, or null to remove the header',
    (value) => typeof value === 'string' || (value === null && !isOfWebhook),
    isOfWebhook ? json : { anyOf: [json, { type: 'null' }] },
    (value) => {
      if (value === null) return [];
      if (headerText.test(value)) return findTemplateProblems(value, { names }, PLACE);
      return [`${PLACE} must be visible ASCII characters, with spaces and tabs only between them`];
    },
  );
  const named = recordOf(item, { names: headerName, form: "of letters, digits and any of !#$%&'*+-.^_`|~" });
  return refine(named, (value) => {
    const refused = Object.keys(value).find((name) => isRefusedHeader(name, isOfWebhook));
    return refused === undefined
      ? undefined
      : `${PLACE} must not have the header ${refused}: the sandbox and HTTP decide on it`;
  });
}

/** The rows of the transaction list. */
export const rows: Schema<readonly RowTemplate[]> = listOf(
  object<RowTemplate>({
    of: oneOf(rowKinds),
    row: template(templatePlaces.row),
  }),
);

/** A page of the transaction list. */
export const page: Schema<PageTemplate> = choiceOf<PageTemplate>(
  {
    beside: template(templatePlaces.page),
    headers: headerTemplates(pageNames),
    by: oneOf(pagePositions),
    parameter: text('a name', { minLength: 1 }),
    first: oneOf(firstPages),
    query: oneOf(linkQueries),
  },
  { data: template(templatePlaces.page) },
);

/** A refusal. */
export const refusal: Schema<RefusalTemplate> = choiceOf<RefusalTemplate>({
  status: whole(400, 599),
  type: text(),
  message: text(),
  body: template(templatePlaces.refusal),
  headers: headerTemplates(errorNames),
});

/** A form of timestamps. */
export const timestamp: Schema<TimestampForm> = object<TimestampForm>({
  digits: whole(0, 9),
  zone: text("'Z' or an offset from '-12:00' to '+14:00', such as '+01:00'", { pattern: zonePattern }),
});

/** The form of an id, which starts with a prefix. */
/* @__NO_SIDE_EFFECTS__ */
function idForm(names: readonly string[], expected: string, prefix = ''): Schema<string> {
  const json = { type: 'string' };
  const form = template<string>({ names, hasLengths: true }, { expected, isValid: isText, json });
  return refine(form, (id) => (id.startsWith(prefix) && isUnique(id) ? undefined : expected));
}

/** Returns whether the random parts of an id are too long for two equal ids. */
function isUnique(form: string): boolean {
  const parts = listPlaceholders(form);
  if (parts.some(({ name }) => ['uuid', 'ulid', 'number'].includes(name))) return true;
  // Ids with the date can only be equal on one day.
  const least = parts.some(({ name }) => name === 'date') ? 8 : 12;
  return parts.reduce((sum, part) => sum + lengthOf(part), 0) >= least;
}

/** Returns the number of random characters of a part. A digit has less of them than a letter. */
function lengthOf({ name, words: [length] }: Placeholder): number {
  return name === 'mode' || name === 'date' ? 0 : Number(length ?? 0) * (name === 'digits' ? 0.75 : 1);
}

/** The forms of ids. */
export const idForms: Schema<IdForms> = choiceOf<IdForms>({
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
export const headers: Schema<HeaderTemplates> = choiceOf<HeaderTemplates>(
  Object.fromEntries(
    Object.entries(headerNames).map(([name, names]) => [name, headerTemplates(names, name === 'event')]),
  ),
);
