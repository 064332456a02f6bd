import type { PaymentRequest, QuoteRequest } from '@service/contract';
import { parseAmount } from './amount.ts';
import { refuse } from './errors/refuse.ts';
import { copyOwn, isRecord } from './json.ts';
import type { PaymentInput, QuoteInput } from './models.ts';
import { describeUnknown } from './nearest.ts';

type FieldRule = 'amount' | 'currency' | 'text' | 'optional text';

const quoteFields = {
  from_currency: 'currency',
  to_currency: 'currency',
  amount: 'amount',
} as const satisfies Record<keyof QuoteRequest, FieldRule>;

const paymentFields = {
  from_currency: 'currency',
  to_currency: 'currency',
  amount: 'amount',
  beneficiary_name: 'text',
  beneficiary_bank: 'optional text',
  beneficiary_account: 'optional text',
  beneficiary_country: 'optional text',
  purpose: 'optional text',
} as const satisfies Record<keyof PaymentRequest, FieldRule>;

/** Holds a body that was checked: its fields as the contract types them, the amount as text, and the JSON to send. */
export type Body<Fields> = { readonly fields: Fields; readonly amount: string; readonly json: string };

/** Checks the body of a quote (spec §4). @throws ValidationError (`not_sent`) naming the first bad field. */
export function prepareQuote(input: QuoteInput, maxDecimals: number): Body<QuoteRequest> {
  return prepare(quoteFields, input, maxDecimals);
}

/** Checks the body of a payment (spec §4). @throws ValidationError (`not_sent`) naming the first bad field. */
export function preparePayment(input: PaymentInput, maxDecimals: number): Body<PaymentRequest> {
  return prepare(paymentFields, input, maxDecimals);
}

function prepare<Fields extends object>(
  rules: Record<string, FieldRule>,
  input: unknown,
  maxDecimals: number,
): Body<Fields> {
  if (!isRecord(input)) throw refuse('The body must be an object with the fields of the request.');
  const given = copyOwn(input);
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(rules, name)) throw refuse(describeUnknown(name, Object.keys(rules)));
  }
  const texts = Object.entries(rules).flatMap(([name, rule]) => {
    const text = checkField({ name, rule, maxDecimals }, given[name]);
    return text === undefined ? [] : [[name, text] as const];
  });
  const fields = Object.fromEntries(texts);
  const amount = fields.amount ?? '';
  return {
    fields: { ...fields, amount: Number(amount) } as unknown as Fields,
    amount,
    json: writeJson(fields),
  };
}

/** Writes the amount as a number by its decimal text (`'100.00'` becomes `100.00`): it passes through no float. */
function writeJson(fields: Record<string, string>): string {
  const members = Object.entries(fields).map(
    ([name, text]) => `${JSON.stringify(name)}:${name === 'amount' ? text : JSON.stringify(text)}`,
  );
  return `{${members.join(',')}}`;
}

type Field = { readonly name: string; readonly rule: FieldRule; readonly maxDecimals: number };

function checkField(field: Field, value: unknown): string | undefined {
  const { name, rule } = field;
  if (value !== undefined && value !== null) return checks[rule](field, value);
  if (rule === 'optional text') return undefined;
  throw refuse(`${name} is required.`);
}

const checks: Record<FieldRule, (field: Field, value: unknown) => string> = {
  amount: ({ maxDecimals }, value) => parseAmount(value, maxDecimals),
  currency: parseCurrency,
  text: (field, value) => parseText(field, value),
  'optional text': (field, value) => parseText(field, value, '; leave it out when there is none'),
};

function parseCurrency({ name }: Field, value: unknown): string {
  if (typeof value === 'string' && /^[A-Za-z]{3}$/.test(value)) return value.toUpperCase();
  throw refuse(`${name} must be a 3-letter ISO 4217 code such as 'USD'.`);
}

function parseText({ name }: Field, value: unknown, hint = ''): string {
  if (typeof value !== 'string') throw refuse(`${name} must be a string.`);
  if (value.trim() === '') throw refuse(`${name} must not be empty${hint}.`);
  return value;
}
