import { type OperationId, operations } from '@service/contract';
import {
  type AmountCondition,
  besideOperations,
  type DeliveryFaults,
  dropHeaders,
  type DurationRange,
  errorNames,
  eventHeaderNames,
  type ExtraStatus,
  feeRoundings,
  type FeeRule,
  findTemplateProblems,
  firstPages,
  headerName,
  headerNames,
  headerText,
  isRecord,
  isRefusedHeader,
  issueKinds,
  type JsonObject,
  linkQueries,
  listPlaceholders,
  type MoneySettings,
  type OutcomeRule,
  outcomes,
  pageNames,
  pagePositions,
  paymentNames,
  type Placeholder,
  type ProblemOrder,
  type ProfileRateLimit,
  profileSettings,
  quoteNames,
  type RateMoves,
  type RateSettings,
  type RateTier,
  type ReadLag,
  refusals,
  responseNames,
  rowKinds,
  rowNames,
  type RowTemplate,
  type StatusDurations,
  type Template,
  type TemplateNames,
  templatePlaces,
  type TextCondition,
  toMicro,
  zonePattern,
} from '@service/internal';
import { defaultProfile, type Profile, upgradeProfile } from '../domain/profile.ts';
import {
  anything,
  boolean,
  choiceOf,
  convert,
  durationWithin,
  type Fields,
  type JsonSchema,
  keep,
  keyedBy,
  listOf,
  nameOr,
  number,
  object,
  oneOf,
  optional,
  parseAs,
  PLACE,
  refine,
  registeredJson,
  type Schema,
  text,
  whole,
} from '../domain/schema.ts';
import { statuses } from '../domain/status.ts';
import { time } from '../domain/time.ts';
import { idParts } from '../domain/ids.ts';

const statusDuration = durationWithin(0, 3650 * 86_400_000, "a duration of at most '3650d', such as '3s'");
const durationJson = registeredJson(statusDuration);

/** A duration, or the shortest and the longest one. */
const durationRange: Schema<DurationRange> = convert(
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

const outcome = oneOf(outcomes);
const conditions = { account: textCondition, name: textCondition, amount: amountCondition };

const outcomeRule = choiceOf<OutcomeRule>(conditions, { outcome });

const documented = ['pending', 'processing', 'completed', 'failed'];
const statusText = text("a name such as 'in_review' that the document does not have", {
  pattern: '^[A-Za-z][\\w-]{0,39}$',
  not: { pattern: `^(?:${documented.join('|')})$` },
});
const extraStatus = choiceOf<ExtraStatus>(
  { ...conditions, duration: durationRange, webhook: boolean },
  { status: statusText, after: oneOf(['pending', 'processing']) },
);

/** A list in which each status has one place. */
const extraStatusList: Schema<readonly ExtraStatus[]> = refine(
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
const delay = durationWithin(1, 365 * 86_400_000, "a duration from '1ms' to '365d'");
const probability = number('a probability from 0 to 1', { maximum: 1 });

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

const limit = text("an amount above 0 as decimal text with at most 2 decimals, such as '1.00'", {
  pattern: '^\\d{1,13}(\\.\\d{1,2})?$',
  not: { pattern: '^[0.]*$' },
});

const feeRule = withLimits(
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
    },
    {},
    { expected: 'an object with any of from, to, amount, percent, flat, minimum, maximum and rounding' },
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

// The document cannot say that the currencies differ: many regular expressions have no lookahead.
const pairs = keyedBy(rate, /^([A-Z]{3})\/(?!\1)[A-Z]{3}$/, {
  form: "'USD/EUR'",
  pattern: '^[A-Z]{3}/[A-Z]{3}$',
});
const leastAmounts = keyedBy(limit, currencyCode, { form: "'USD'" });
const tier = object<RateTier>({
  from: refine(leastAmounts, (value) =>
    Object.keys(value).length === 0 ? `${PLACE} must have an amount of some currency` : undefined,
  ),
  pairs: optional(pairs),
  spread: optional(share),
});

/** The values of each kind of template. */
export const templateNames: Readonly<Record<string, readonly string[]>> = {
  envelope: responseNames,
  quote: quoteNames,
  payment: paymentNames,
  row: rowNames,
  page: pageNames,
  error: errorNames,
  'header of `all` responses': headerNames['all'] ?? [],
  'webhook header': eventHeaderNames,
};

/** A template with some values, of the values that `isValid` accepts. */
/* @__NO_SIDE_EFFECTS__ */
function template<T = Template>(
  content: TemplateNames,
  { expected = 'JSON with values such as "{id}"', isValid = isGiven, json = {} }: TemplateOptions = {},
): Schema<T> {
  const findProblems = (value: unknown): string[] =>
    isValid(value) ? findTemplateProblems(value as Template, content, PLACE) : [];
  return convert(
    expected,
    (value) => (isValid(value) && findProblems(value).length === 0 ? (value as T) : undefined),
    json,
    findProblems,
  );
}

interface TemplateOptions {
  readonly expected?: string;
  readonly isValid?: (value: unknown) => boolean;
  readonly json?: JsonSchema;
}

const isGiven = (value: unknown): boolean => value !== undefined;
const isText = (value: unknown): boolean => typeof value === 'string';

/** The documented fields, or a template of an object. */
/* @__NO_SIDE_EFFECTS__ */
function shape(names: TemplateNames): Schema<Template> {
  return nameOr(['documented'], additional(names), 'a template of an object');
}

/** A template of an object with additional fields. */
/* @__NO_SIDE_EFFECTS__ */
function additional(names: TemplateNames): Schema<Template> {
  const json = { type: 'object' };
  return template(names, { expected: 'an object of templates', isValid: isRecord, json });
}

/** The templates of headers by name. Null removes a header, unless they are those of a webhook. */
/* @__NO_SIDE_EFFECTS__ */
function headerTemplates(
  names: readonly string[],
  isOfWebhook = false,
): Schema<Readonly<Record<string, string | null>>> {
  const expected = isOfWebhook ? 'text' : 'text, or null to remove the header';
  const json = { type: 'string', pattern: headerText.source };
  const findProblems = (value: unknown): string[] => {
    if (typeof value !== 'string') return [];
    if (headerText.test(value)) return findTemplateProblems(value, { names }, PLACE);
    return [`${PLACE} must be visible ASCII characters, with spaces and tabs only between them`];
  };
  const isValid = (value: unknown): value is string | null =>
    (!isOfWebhook && value === null) || (typeof value === 'string' && findProblems(value).length === 0);
  const item = convert<string | null>(
    expected,
    (value) => (isValid(value) ? value : undefined),
    isOfWebhook ? json : { anyOf: [json, { type: 'null' }] },
    findProblems,
  );
  const named = keyedBy(item, headerName, { form: "of letters, digits and any of !#$%&'*+-.^_`|~" });
  return refine(named, (value) => {
    const refused = Object.keys(value).find((name) => isRefusedHeader(name, isOfWebhook));
    return refused === undefined
      ? undefined
      : `${PLACE} must not have the header ${refused}: the sandbox and HTTP decide on it`;
  });
}

const row = object<RowTemplate>({
  of: oneOf(rowKinds),
  row: template(templatePlaces.row),
});

const page = choiceOf<object>(
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

const refusal = choiceOf<object>({
  status: whole(400, 599),
  type: text(),
  message: text(),
  body: template(templatePlaces.refusal),
  headers: headerTemplates(errorNames),
});

const timestamp = object<object>({
  digits: whole(0, 9),
  zone: text("'Z' or an offset from '-12:00' to '+14:00', such as '+01:00'", { pattern: zonePattern }),
});

/** The form of an id, which starts with a prefix. */
/* @__NO_SIDE_EFFECTS__ */
function idForm(names: readonly string[], expected: string, prefix = ''): Schema<string> {
  const form = template<string>({ names, hasLengths: true }, { expected, isValid: isText });
  const isValid = (value: unknown): boolean => {
    const parsed = parseAs(form, value);
    return parsed !== undefined && parsed.startsWith(prefix) && isUnique(parsed);
  };
  const findProblems = (value: unknown): string[] =>
    isText(value) ? findTemplateProblems(value as string, { names, hasLengths: true }, PLACE) : [];
  return convert(
    expected,
    (value) => (isValid(value) ? (value as string) : undefined),
    { type: 'string' },
    findProblems,
  );
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

const operationNames = Object.keys(operations) as OperationId[];
const headers = choiceOf<object>(
  Object.fromEntries(
    [...operationNames, 'replayPayment', 'all'].map((name) => [
      name,
      headerTemplates(headerNames[name] ?? []),
    ]),
  ),
);

/** Values for some profile settings. Other settings do not change. */
export type ProfileChoice = Partial<Profile>;

const link = text('a URL or a path of visible ASCII characters without < and >', { pattern: '^[!-;=?-~]+$' });
const dates = choiceOf<object>({ link }, { deprecated: time, sunset: time });

/** The schema of each setting: a row with the values that it can have. The defaults and the texts are in `Profile`. */
export const settings: Fields = {
  ...Object.fromEntries(
    Object.entries(profileSettings).map(([name, values]) => [name, oneOf<string | number>(values)]),
  ),
  durations: choiceOf<StatusDurations>({
    pending: durationRange,
    processing: durationRange,
    under_review: durationRange,
    completed: durationRange,
  }),
  outcomes: listOf(outcomeRule, 'a list of rules such as { account: { suffix: "0000" }, outcome: "fail" }'),
  extraStatuses: extraStatusList,
  retrySchedule: nameOr(['default', 'none'], listOf(delay, "a list of delays such as ['5s', '1m']")),
  rateLimit: nameOr(
    ['none'],
    choiceOf<ProfileRateLimit>({ method: oneOf(['GET', 'POST']) }, { requests: whole(0), window: delay }),
  ),
  readLag: choiceOf<ReadLag>({
    payments: statusDuration,
    balance: statusDuration,
    transactions: statusDuration,
  }),
  latency: durationRange,
  deliveryFaults: nameOr(
    ['none'],
    choiceOf<DeliveryFaults>({ duplicates: probability, reorder: probability, delay: durationRange }),
  ),
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
  events: listOf(oneOf(statuses), `a list of any of ${statuses.join(', ')}`),
  timestamps: nameOr(profileSettings.timestamps, timestamp, '{ digits, zone }'),
  transactionShape: nameOr(profileSettings.transactionShape, listOf(row), 'a list of { of, row }'),
  pagination: nameOr(
    profileSettings.pagination,
    page,
    '{ data, beside?, headers?, by?, parameter?, first?, query? }',
  ),
  errorShape: nameOr(profileSettings.errorShape, refusal, '{ body?, status?, type?, message?, headers? }'),
  refusals: choiceOf(
    Object.fromEntries([...refusals, ...issueKinds].map((name) => [name, refusal])),
    {},
    { expected: 'an object of refusals' },
  ),
  issues: choiceOf<object>(
    Object.fromEntries(issueKinds.map((kind) => [kind, listOf(template(templatePlaces.issue))])),
  ),
  problems: choiceOf<ProblemOrder>({
    listed: oneOf(['all', 'first']),
    fields: listOf(text()),
    first: listOf(oneOf(issueKinds)),
    last: listOf(oneOf(issueKinds)),
  }),
  envelope: additional(templatePlaces.envelope),
  beside: choiceOf<object>(
    Object.fromEntries(besideOperations.map((name) => [name, additional(templatePlaces.beside)])),
  ),
  quoteShape: shape(templatePlaces.quoteShape),
  paymentShape: shape(templatePlaces.paymentShape),
  balanceShape: shape(templatePlaces.balanceShape),
  eventShape: shape(templatePlaces.eventShape),
  eventHeaders: headerTemplates(eventHeaderNames, true),
  headers,
  ids: choiceOf<object>({
    payment: idForm(
      idParts,
      "text that starts with 'pay_{mode}_' and has a part that differs, such as '{base62 24}'",
      'pay_{mode}_',
    ),
    transaction: idForm(
      idParts.filter((name) => name !== 'date'),
      "text with a part that differs, such as '{number}'",
    ),
  }),
  deprecation: nameOr(['none'], dates, '{ deprecated, sunset, link? } with ISO 8601 times with an offset'),
};

/** Settings of a profile, also in the spelling of an earlier version. */
export const profileChoice: Schema<ProfileChoice> = keep(
  choiceOf(settings, {}, { expected: 'an object of settings', title: 'ProfileSettings' }),
  (value) => (isRecord(value) ? upgradeProfile(value) : value),
);

/** Completes a stored profile. Leaves out headers and settings that this release refuses, and names them. */
export function repairProfile(stored: object): {
  readonly profile: Profile;
  readonly dropped: readonly string[];
} {
  const { profile, dropped } = dropHeaders(upgradeProfile(stored) as JsonObject);
  const given = Object.entries(profile);
  const invalid = given.flatMap(([name, value]) =>
    Object.hasOwn(settings, name) && parseAs(settings[name] ?? anything, value) === undefined ? [name] : [],
  );
  const kept = Object.fromEntries(given.filter(([name]) => !invalid.includes(name)));
  return { profile: { ...defaultProfile, ...kept }, dropped: [...dropped, ...invalid] };
}

/** Applies a choice of settings to a profile. */
export function applyChoice(profile: Profile, chosen: ProfileChoice): Profile {
  const given = Object.entries(upgradeProfile(chosen)).filter(([, value]) => value !== undefined);
  return { ...profile, ...structuredClone(Object.fromEntries(given) as ProfileChoice) };
}
