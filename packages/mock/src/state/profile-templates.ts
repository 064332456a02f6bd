import {
  besideOperations,
  errorNames,
  eventHeaderNames,
  findTemplateProblems,
  firstPages,
  headerName,
  headerNames,
  headerText,
  isRecord,
  isRefusedHeader,
  issueKinds,
  linkQueries,
  listPlaceholders,
  pageNames,
  pagePositions,
  paymentNames,
  type Placeholder,
  type ProblemOrder,
  profileSettings,
  quoteNames,
  refusals,
  responseNames,
  rowKinds,
  rowNames,
  type RowTemplate,
  type Template,
  type TemplateNames,
  templatePlaces,
  zonePattern,
} from '@service/internal';
import { type OperationId, operations } from '@service/contract';
import {
  choiceOf,
  convert,
  type Fields,
  type JsonSchema,
  keyedBy,
  listOf,
  nameOr,
  object,
  oneOf,
  parseAs,
  PLACE,
  refine,
  type Schema,
  text,
  whole,
} from '../domain/schema.ts';
import { idParts } from '../domain/ids.ts';

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

/** The schemas of the settings that are templates. */
export const templateSettings: Fields = {
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
};
