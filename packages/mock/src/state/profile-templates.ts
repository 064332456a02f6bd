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
  keyedBy,
  listOf,
  nameOr,
  nullable,
  object,
  oneOf,
  refine,
  text,
  whole,
} from '../domain/schema.ts';
import type { Value, ValueFields } from '../domain/value.ts';
import { idParts } from './ids.ts';

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

/** A template with some values. */
/* @__NO_SIDE_EFFECTS__ */
function template(content: TemplateNames): Value<Template> {
  const findProblems = (value: unknown, name: string): string[] =>
    findTemplateProblems(value as Template, content, name);
  return {
    expected: 'JSON with values such as "{id}"',
    parse: (value) =>
      value !== undefined && findProblems(value, '').length === 0 ? (value as Template) : undefined,
    findProblems,
    json: {},
  };
}

/** The documented fields, or a template of an object. */
/* @__NO_SIDE_EFFECTS__ */
function shape(names: TemplateNames): Value<Template> {
  return nameOr(['documented'], additional(names), 'a template of an object');
}

/** A template of an object with additional fields. */
/* @__NO_SIDE_EFFECTS__ */
function additional(names: TemplateNames): Value<Template> {
  const any = template(names);
  return {
    ...any,
    expected: 'an object of templates',
    parse: (value) => (isRecord(value) ? any.parse(value) : undefined),
    json: { type: 'object' },
  };
}

/** A template of a text: a header or an id. */
/* @__NO_SIDE_EFFECTS__ */
function textTemplate(names: readonly string[], hasLengths = false): Value<string> {
  const any = template({ names, hasLengths });
  return {
    ...any,
    expected: 'text',
    parse: (value) => (typeof value === 'string' && any.parse(value) !== undefined ? value : undefined),
    findProblems: (value, name) => (typeof value === 'string' ? (any.findProblems?.(value, name) ?? []) : []),
    json: { type: 'string' },
  };
}

/** The templates of headers by name. Null removes a header, unless they are those of a webhook. */
/* @__NO_SIDE_EFFECTS__ */
function headerTemplates(
  names: readonly string[],
  isOfWebhook = false,
): Value<Readonly<Record<string, string | null>>> {
  const any = textTemplate(names);
  const { findProblems = () => [] } = any;
  const given: Value<string> = {
    ...any,
    parse: (value) => (headerText.test(String(value)) ? any.parse(value) : undefined),
    findProblems: (value, name) =>
      typeof value === 'string' && !headerText.test(value)
        ? [`${name} must be visible ASCII characters, with spaces and tabs only between them`]
        : findProblems(value, name),
    json: { type: 'string', pattern: headerText.source },
  };
  const item: Value<string | null, never> = isOfWebhook
    ? given
    : {
        ...nullable(given),
        expected: 'text, or null to remove the header',
        findProblems: (value: unknown, name: string) => given.findProblems?.(value, name) ?? [],
      };
  const named = keyedBy<string | null>(item, headerName, "of letters, digits and any of !#$%&'*+-.^_`|~");
  return refine(named, (value, path) => {
    const refused = isRecord(value)
      ? Object.keys(value).find((name) => isRefusedHeader(name, isOfWebhook))
      : undefined;
    return refused === undefined
      ? undefined
      : `${path} must not have the header ${refused}: the sandbox and HTTP decide on it`;
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

const paymentId: Value<string> = {
  ...textTemplate(idParts, true),
  expected: "text that starts with 'pay_{mode}_' and has a part that differs, such as '{base62 24}'",
};
const idForm = (given: Value<string>, prefix: string): Value<string> => ({
  ...given,
  parse: (value) => {
    const parsed = given.parse(value);
    return parsed?.startsWith(prefix) && isUnique(parsed) ? parsed : undefined;
  },
});

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
export const templateSettings: ValueFields = {
  timestamps: nameOr(profileSettings.timestamps, timestamp, '{ digits, zone }'),
  transactionShape: nameOr(profileSettings.transactionShape, listOf(row), 'a list of { of, row }'),
  pagination: nameOr(
    profileSettings.pagination,
    page,
    '{ data, beside?, headers?, by?, parameter?, first?, query? }',
  ),
  errorShape: nameOr(profileSettings.errorShape, refusal, '{ body?, status?, type?, message?, headers? }'),
  refusals: {
    ...choiceOf(Object.fromEntries([...refusals, ...issueKinds].map((name) => [name, refusal]))),
    expected: 'an object of refusals',
  },
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
    payment: idForm(paymentId, 'pay_{mode}_'),
    transaction: idForm(
      {
        ...textTemplate(
          idParts.filter((name) => name !== 'date'),
          true,
        ),
        expected: "text with a part that differs, such as '{number}'",
      },
      '',
    ),
  }),
};
