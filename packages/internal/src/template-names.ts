import { parseDurationText } from './duration.ts';
import { listPlaceholders, type Placeholder, type Template } from './template.ts';

/** Maximum size of a response of the service, in bytes. */
export const MAX_RESPONSE_BYTES = 5_000_000;

/** Maximum number of rows of a page (docs/contract.md#transactions). */
export const MAX_PER_PAGE = 100;

/** Matches the UTC offsets that zones have, from -12:00 to +14:00. */
export const zonePattern = '^(?:Z|-(?:0\\d|1[01]):?[0-5]\\d|-12:?00|\\+(?:0\\d|1[0-3]):?[0-5]\\d|\\+14:?00)$';

/** The values of an exchange, of quotes and payments. */
export const exchangeNames: readonly string[] =
  'from_currency to_currency send_amount fee debit rate receive_amount net'.split(' ');

/** The values of payments. */
export const paymentNames: readonly string[] = [
  ...'id status mode'.split(' '),
  ...exchangeNames,
  ...'beneficiary_name beneficiary_bank beneficiary_account beneficiary_country purpose'.split(' '),
  ...'created_at updated_at processing_at completed_at failed_at previous_status'.split(' '),
];

/** The values of rows of the transaction list. */
export const rowNames: readonly string[] = [
  ...paymentNames,
  ...'payment_status payment_created_at number type currency amount sign row_fee balance_after'.split(' '),
  ...'payment_id reference'.split(' '),
];

/** The values of pages of the transaction list. */
export const pageNames: readonly string[] = (
  'page per_page total total_pages last_page count offset has_more has_previous next_page previous_page next_offset ' +
  'next_cursor previous_cursor next_path previous_path next_url previous_url first_path first_url last_path last_url ' +
  'other_first_path other_first_url other_last_path other_last_url ' +
  'list_path list_url from to'
).split(' ');

/** The words that select the form of a value. Others are replacements, such as `completed=posted`. */
const formWords = (
  'abs negative cents text fixed whole number unix unix_ms http day omit empty upper lower spaced camel capital compact ' +
  'html uuid ulid'
).split(' ');

/** The values and lists that a template may use. */
export interface TemplateNames {
  readonly names: readonly string[];
  /** Whether words are lengths, as in `{hex 24}`. */
  readonly hasLengths?: boolean;
  /** The values of the items of each list. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The values that are known when a response is sent: its id and time, and the method, the path, the target and the origin of its
 * request. The target is the path with the query (RFC 9112, section 3.2.1).
 */
export const responseNames: readonly string[] = ['request_id', 'now', 'method', 'path', 'target', 'origin'];

/** Returns whether the random parts of the form of an id are too long for two equal ids. */
export function isUniqueForm(form: string): boolean {
  const parts = listPlaceholders(form);
  const has = (...names: readonly string[]): boolean => parts.some(({ name }) => names.includes(name));
  // A digit tells fewer ids apart than a letter.
  const sizes = parts.map(
    ({ name, words: [length = 0] }) => Number(length) * ({ digits: 0.6, hex: 0.75 }[name] ?? 1),
  );
  // Ids with the date can only be equal on one day.
  const least = has('date') ? 7 : 9;
  return has('uuid', 'ulid', 'number') || sizes.reduce((sum, size) => sum + size, 0) >= least;
}

/** The values of an invalid field: its name, the text about it, and its value in the request, whose body is `request`. */
const problemNames = ['field', 'problem', 'value', 'request'];
const limitNames = ['limit', 'remaining', 'reset', 'reset_at'];
/** The values of refusals. */
export const errorNames: readonly string[] = [
  ...'type message status mode key_mode'.split(' '),
  ...limitNames,
  ...exchangeNames,
  ...responseNames,
  ...'available shortfall payment_id allow'.split(' '),
  ...problemNames,
];

/** The values of the response headers of each operation, of those of all operations, and of the headers of webhooks. */
export const headerNames: Readonly<Record<string, readonly string[]>> = {
  createQuote: [],
  createPayment: [...paymentNames, 'origin'],
  replayPayment: [...paymentNames, 'origin'],
  getPayment: [...paymentNames, 'origin'],
  getBalance: [],
  listTransactions: pageNames,
  all: [...limitNames, ...responseNames],
  event: 'delivery event_key attempt_key id status attempt sent_at'.split(' '),
};

const refusedHeader =
  /^(?:connection|content-encoding|content-length|http2-settings|keep-alive|proxy-.*|set-cookie2?|te|trailer|transfer-encoding|upgrade|access-control-.*)$/i;
const refusedInWebhooks = /^(?:authorization|cookie2?|expect|host|x-service-signature)$/i;

/**
 * Returns whether a template must not write a header: one of the connection or the framing of a message (RFC 9110, section
 * 7.6.1), a cookie, or one that decides which pages can read a response. Those of a webhook also have other owners.
 */
export function isRefusedHeader(name: string, isOfWebhook: boolean): boolean {
  return refusedHeader.test(name) || (isOfWebhook && refusedInWebhooks.test(name));
}

/** Matches a header name (RFC 9110, section 5.1). */
export const headerName: RegExp = /^[\w!#$%&'*+.^`|~-]+$/;

/** Matches the text of a header: visible ASCII, and spaces and tabs inside (RFC 9110, section 5.5). */
export const headerText: RegExp = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/;

/** The values and lists of the templates of a profile that are JSON. */
export const templatePlaces: Readonly<
  Record<
    | 'envelope'
    | 'beside'
    | 'row'
    | 'page'
    | 'refusal'
    | 'issue'
    | `${'quote' | 'payment' | 'balance' | 'event'}Shape`,
    TemplateNames
  >
> = {
  envelope: { names: responseNames },
  beside: { names: [...paymentNames, ...responseNames] },
  quoteShape: { names: [...exchangeNames, ...responseNames] },
  paymentShape: { names: [...paymentNames, 'origin'] },
  balanceShape: {
    names: responseNames,
    lists: { wallets: 'currency balance available reserved open total'.split(' ') },
  },
  eventShape: { names: [...paymentNames, 'event_key', 'at', 'renewed_at'] },
  row: { names: rowNames },
  page: { names: [...pageNames, ...responseNames], lists: { rows: ['row'] } },
  refusal: {
    names: errorNames,
    lists: { fields: [...problemNames, 'issue', 'issues'], issues: [...problemNames, 'issue'] },
  },
  issue: { names: problemNames },
};

/** Returns the problems of the placeholders of a template. `path` is the name of the template. */
export function findTemplateProblems(template: Template, content: TemplateNames, path: string): string[] {
  const placeholders = listPlaceholders(template);
  const problems = placeholders.flatMap((each) => {
    const problem = explainPlaceholder(each, content);
    return problem === undefined ? [] : [`${path}${each.path}: ${problem}`];
  });
  const lists = placeholders
    .filter(({ name }) => name === 'each')
    .map((each) => ({ list: each.words[0], place: each.path.replace(/\[0\]$/, '') }));
  const nested = lists.find(({ place }) => lists.some((other) => isInside(place, other.place)));
  if (nested !== undefined)
    problems.push(
      `${path}: {each ${nested.list}} must not be inside another {each}, which would repeat it again`,
    );
  const rows = lists.some(({ list }) => list === 'rows') ? MAX_PER_PAGE : 1;
  if (JSON.stringify([template]).length * rows > MAX_RESPONSE_BYTES)
    problems.push(`${path}: a response with ${MAX_PER_PAGE} rows would be larger than 5 MB`);
  return problems;
}

/** Returns whether a path leads to a part of the value at another one. */
function isInside(path: string, other: string): boolean {
  return path.startsWith(other) && /^[.[]/.test(path.slice(other.length));
}

function explainPlaceholder(
  { name, words }: Placeholder,
  { names, lists = {}, hasLengths = false }: TemplateNames,
): string | undefined {
  if (name === 'each')
    return Object.hasOwn(lists, words[0] ?? '')
      ? undefined
      : `{each ${words.join(' ')}} repeats ${Object.keys(lists).join(' or ') || 'no list'} here`;
  const known = [...names, ...Object.values(lists).flat()];
  const value = name === 'case' ? (words[0] ?? '') : name;
  if (!known.includes(value)) return `{${value}} is no value here; there is ${known.join(', ')}`;
  const instead = words.flatMap((word) => (word.startsWith('or=') ? [word.slice(3)] : []));
  const missing = instead.find((each) => !known.includes(each));
  if (missing !== undefined) return `{${name} or=${missing}} has no such value; there is ${known.join(', ')}`;
  if (name === 'case') return undefined;
  const unknown = words.find((word) => (hasLengths ? !/^\d{1,2}$/.test(word) : !isFormWord(word)));
  return unknown === undefined
    ? undefined
    : `{${name} ${unknown}} has an unknown form; there is ${formWords.join(', ')}, digits=N, fraction=N, zone=+00:00, plus=30s, hex=N, else=text, or=value and value=replacement`;
}

/** Maximum time that a form adds to a time, in milliseconds. */
const MAX_LATER = 365 * 86_400_000;

function isFormWord(word: string): boolean {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
  if (name === undefined) return formWords.includes(word);
  // Without a limit, a short template would write any number of digits, or a time that does not exist.
  if (['digits', 'fraction', 'base62', 'lower', 'upper', 'hex'].includes(name))
    return /^\d{1,2}$/.test(value);
  if (name === 'zone') return new RegExp(zonePattern).test(value);
  return name !== 'plus' || parseDurationText(value) <= MAX_LATER;
}
