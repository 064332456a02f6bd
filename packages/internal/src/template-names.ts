import { listPlaceholders, type Placeholder, type Template } from './template.ts';

/** The values of an exchange, of quotes and payments. */
export const exchangeNames: readonly string[] = [
  'from_currency',
  'to_currency',
  'send_amount',
  'fee',
  'debit',
  'rate',
  'receive_amount',
];

/** The values of payments. */
export const paymentNames: readonly string[] = [
  'id',
  'status',
  'mode',
  ...exchangeNames,
  'beneficiary_name',
  'beneficiary_bank',
  'beneficiary_account',
  'beneficiary_country',
  'purpose',
  'created_at',
  'updated_at',
  'processing_at',
  'completed_at',
  'failed_at',
  'previous_status',
];

/** The values of rows of the transaction list. */
export const rowNames: readonly string[] = [
  ...paymentNames,
  'payment_status',
  'payment_created_at',
  'number',
  'type',
  'currency',
  'amount',
  'sign',
  'row_fee',
  'balance_after',
  'payment_id',
  'reference',
];

/** The values of pages of the transaction list. */
export const pageNames: readonly string[] = [
  'page',
  'per_page',
  'total',
  'total_pages',
  'last_page',
  'count',
  'offset',
  'has_more',
  'has_previous',
  'next_page',
  'previous_page',
  'next_offset',
  'next_cursor',
  'previous_cursor',
  'next_path',
  'previous_path',
  'next_url',
  'previous_url',
  'first_path',
  'first_url',
  'last_path',
  'last_url',
  'list_path',
  'list_url',
  'from',
  'to',
];

/** The words that select the form of a value. Others are replacements, such as `completed=posted`. */
const formWords = [
  'abs',
  'negative',
  'cents',
  'text',
  'fixed',
  'whole',
  'number',
  'unix',
  'unix_ms',
  'http',
  'omit',
  'empty',
  'upper',
  'lower',
  'spaced',
  'camel',
  'capital',
  'compact',
  'html',
  'uuid',
  'ulid',
] as const;

/** The values and lists that a template may use. */
export interface TemplateNames {
  readonly names: readonly string[];
  /** Whether words are lengths, as in `{hex 24}`. */
  readonly hasLengths?: boolean;
  /** The values of the items of each list. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

/** Returns the problems of the placeholders of a template. `path` is the name of the template. */
export function findTemplateProblems(template: Template, content: TemplateNames, path: string): string[] {
  return listPlaceholders(template).flatMap((each) => {
    const problem = explainPlaceholder(each, content);
    return problem === undefined ? [] : [`${path}${each.path}: ${problem}`];
  });
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

function isFormWord(word: string): boolean {
  return formWords.some((known) => known === word) || /^[^=]+=/.test(word);
}
