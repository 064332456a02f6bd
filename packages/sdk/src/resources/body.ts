import type { PaymentRequest, QuoteRequest } from '@service/contract';
import { parseAmount } from '../values/amount.ts';
import { check, pickKnown, type Rule, type Rules } from '../options/check.ts';
import { refuse } from '../errors/refuse.ts';

/** Reads the code of a currency. */
export const currencyRule: Rule<string> = [
  "a 3-letter ISO 4217 code such as 'USD'",
  (value) => (typeof value === 'string' && /^[a-z]{3}$/i.test(value) ? value.toUpperCase() : undefined),
];
const text: Rule<string> = [
  'a string that is not empty; leave it out when it is optional and there is none',
  (value) => (typeof value === 'string' && value.trim() !== '' ? value : undefined),
];
/** What is read apart: its text depends on how many decimals are allowed. */
const amount: Rule = ['', (value) => value];

/** Holds what the fields of a quote must be (spec §4). */
export const quoteRules: Readonly<Record<keyof QuoteRequest, Rule>> = {
  from_currency: currencyRule,
  to_currency: currencyRule,
  amount: amount,
};

/** Holds what the fields of a payment must be (spec §4). */
export const paymentRules: Readonly<Record<keyof PaymentRequest, Rule>> = {
  ...quoteRules,
  beneficiary_name: text,
  beneficiary_bank: text,
  beneficiary_account: text,
  beneficiary_country: text,
  purpose: text,
};

const required: ReadonlySet<string> = new Set(['from_currency', 'to_currency', 'amount', 'beneficiary_name']);

/** Holds a body that was checked: the text of its fields, and the JSON to send. */
export type Body = { readonly fields: Readonly<Record<string, string>>; readonly json: string };

/**
 * Checks the body of a request, field by field, and writes it. The amount is written by its decimal text (`'100.00'` becomes
 * `100.00`): it passes through no float.
 *
 * @throws ValidationError (`not_sent`) naming the first bad field.
 */
export function prepareBody(input: unknown, rules: Rules, maxDecimals: number): Body {
  const table = { what: 'The body', rules, refuse };
  const given = pickKnown(input, table);
  const fields: Record<string, string> = {};
  let members = '';
  for (const name of Object.keys(rules)) {
    const value = given[name] ?? undefined;
    if (value === undefined && !required.has(name)) continue;
    if (value === undefined) throw refuse(`${name} is required.`);
    const isAmount = name === 'amount';
    const field = (fields[name] = isAmount
      ? parseAmount(value, maxDecimals)
      : String(check(name, value, table)));
    members += `${members && ','}"${name}":${isAmount ? field : JSON.stringify(field)}`;
  }
  return { fields, json: `{${members}}` };
}
