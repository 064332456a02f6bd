import { isCurrency, parseCents } from './money.ts';

type Input = Readonly<Record<string, unknown>>;
type Rule = (value: unknown, attribute: string) => string | undefined;

/** Messages by field, as Laravel writes them. */
export type Messages = Record<string, string[]>;

const string: Rule = (value, name) =>
  typeof value === 'string' ? undefined : `The ${name} field must be a string.`;
const max =
  (length: number): Rule =>
  (value, name) =>
    String(value).length > length
      ? `The ${name} field must not be greater than ${length} characters.`
      : undefined;
const currency: Rule = (value, name) =>
  typeof value === 'string' && isCurrency(value) ? undefined : `The selected ${name} is invalid.`;
const numeric: Rule = (value, name) =>
  (typeof value === 'number' || typeof value === 'string') && Number.isFinite(Number(value))
    ? undefined
    : `The ${name} field must be a number.`;
const positive: Rule = (value, name) =>
  Number(value) < 0.01 ? `The ${name} field must be at least 0.01.` : undefined;
const decimal: Rule = (value, name) =>
  Number(value) >= 0.01 && parseCents(String(value)) === undefined
    ? `The ${name} field must have 0-2 decimal places.`
    : undefined;
const integer: Rule = (value, name) =>
  /^-?\d+$/.test(String(value)) ? undefined : `The ${name} field must be an integer.`;
const between =
  (low: number, high: number): Rule =>
  (value, name) =>
    Number(value) >= low && Number(value) <= high
      ? undefined
      : `The ${name} field must be between ${low} and ${high}.`;
const oneOf =
  (...values: readonly string[]): Rule =>
  (value, name) =>
    values.includes(String(value)) ? undefined : `The selected ${name} is invalid.`;

interface Field {
  readonly required?: boolean;
  readonly rules: readonly Rule[];
}

const sum: Readonly<Record<string, Field>> = {
  from_currency: { required: true, rules: [string, currency] },
  to_currency: { required: true, rules: [string, currency] },
  amount: { required: true, rules: [numeric, positive, decimal] },
};
const text: Field = { rules: [string, max(255)] };

export const quoteRules = sum;
export const paymentRules: Readonly<Record<string, Field>> = {
  ...sum,
  beneficiary_name: { ...text, required: true },
  beneficiary_bank: text,
  beneficiary_account: text,
  beneficiary_country: text,
  purpose: text,
};
export const listRules: Readonly<Record<string, Field>> = {
  page: { rules: [integer, between(1, 1_000_000)] },
  per_page: { rules: [integer, between(1, 100)] },
  status: { rules: [oneOf('pending', 'processing', 'completed', 'failed')] },
  type: { rules: [oneOf('supplier_payment', 'top_up')] },
};

/** Trims texts and drops empty ones, like the middlewares TrimStrings and ConvertEmptyStringsToNull. */
export function clean(input: unknown): Input {
  if (typeof input !== 'object' || input === null) return {};
  const trimmed = Object.entries(input).map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' ? value.trim() : value,
  ]);
  return Object.fromEntries(trimmed.filter(([, value]) => value !== '' && value !== null));
}

export function validate(input: Input, fields: Readonly<Record<string, Field>>): Messages | undefined {
  const messages: Messages = {};
  for (const [name, { required = false, rules }] of Object.entries(fields)) {
    const attribute = name.replaceAll('_', ' ');
    const value = input[name];
    if (value === undefined && required) messages[name] = [`The ${attribute} field is required.`];
    if (value === undefined) continue;
    const broken = rules.map((rule) => rule(value, attribute)).filter((message) => message !== undefined);
    if (broken.length > 0) messages[name] = broken;
  }
  return Object.keys(messages).length > 0 ? messages : undefined;
}

/** Returns the message of a response, which is the first one and the number of the others. */
export function summarize(messages: Messages): string {
  const [first = '', ...others] = Object.values(messages).flat();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} more error${others.length > 1 ? 's' : ''})`;
}
