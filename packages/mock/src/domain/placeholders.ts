import { type Example, type Placeholder, splitText } from '@service/internal';

// The values that the examples of a profile can have in place of constants: of rows, pages and refusals.

/** The forms of each kind of value. */
export const valueForms = {
  amount: ['positive', 'negative', 'cents', 'text', 'fixed', 'number'],
  time: ['unix', 'unix_ms'],
  text: ['upper', 'value=word'],
  count: ['text'],
  flag: [],
  target: ['url'],
  list: [],
} as const;

/** The kind of a value, which decides on its forms. */
type ValueKind = keyof typeof valueForms;

/** The placeholders of rows of the transaction list, and the kinds of their values. */
export const rowPlaceholders = {
  id: 'text',
  number: 'count',
  payment_id: 'text',
  status: 'text',
  mode: 'text',
  currency: 'text',
  amount: 'amount',
  balance_after: 'amount',
  balance_before: 'amount',
  balance_before_fee: 'amount',
  balance_after_fee: 'amount',
  send_amount: 'amount',
  fee: 'amount',
  debit: 'amount',
  net: 'amount',
  receive_amount: 'amount',
  rate: 'amount',
  from_currency: 'text',
  to_currency: 'text',
  purpose: 'text',
  beneficiary_name: 'text',
  beneficiary_bank: 'text',
  beneficiary_account: 'text',
  beneficiary_country: 'text',
  created_at: 'time',
  payment_created_at: 'time',
} as const;

/** The placeholders of pages of the transaction list, and the kinds of their values. */
export const pagePlaceholders = {
  rows: 'list',
  page: 'count',
  per_page: 'count',
  total: 'count',
  total_pages: 'count',
  last_page: 'count',
  count: 'count',
  offset: 'count',
  from: 'count',
  to: 'count',
  next_page: 'count',
  previous_page: 'count',
  next_offset: 'count',
  next_cursor: 'text',
  has_more: 'flag',
  has_previous: 'flag',
  next: 'target',
  previous: 'target',
  first: 'target',
  last: 'target',
  mode: 'text',
  request_id: 'text',
  now: 'time',
} as const;

/** The placeholders of the bodies of refusals, and the kinds of their values. */
export const refusalPlaceholders = {
  type: 'text',
  message: 'text',
  status: 'count',
  mode: 'text',
  request_id: 'text',
  now: 'time',
  path: 'text',
} as const;

/** The placeholders of an example, and the kinds of their values. */
export type PlaceholderTable = Readonly<Record<string, ValueKind>>;

/** Returns the placeholders of an example. */
export function listPlaceholders(example: Example | undefined): readonly Placeholder[] {
  if (typeof example === 'string') return splitText(example).filter((part) => typeof part !== 'string');
  if (typeof example !== 'object' || example === null) return [];
  return Object.values(example).flatMap((value: Example) => listPlaceholders(value));
}

/** Returns the problems of the placeholders of an example as clauses. */
export function findExampleProblems(example: Example, placeholders: PlaceholderTable): readonly string[] {
  return listPlaceholders(example).flatMap(({ name, forms }) => {
    const kind = Object.hasOwn(placeholders, name) ? placeholders[name] : undefined;
    if (kind === undefined) return [`has no value {${name}}; it has ${Object.keys(placeholders).join(', ')}`];
    const known: readonly string[] = valueForms[kind];
    const isKnown = (form: string): boolean =>
      known.includes(form) || (kind === 'text' && /^[^=]+=[^=]+$/.test(form));
    const unknown = forms.find((form) => !isKnown(form));
    const others = known.length === 0 ? 'it has no forms' : `its forms are ${known.join(', ')}`;
    return unknown === undefined ? [] : [`has {${name} ${unknown}}; ${others}`];
  });
}
