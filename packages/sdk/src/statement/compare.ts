import { toMicro } from '@service/internal';
import { sentFields } from '../body.ts';
import { comparePayment, fold, listDifferences, normalizeDecimal } from '../comparison.ts';
import type { Payment, SentField, SentFields } from '../models.ts';
import { rawAmount } from '../money.ts';

/** A record compared with a payment. */
export interface Pairing {
  /** The fields that the payment shows with another value. */
  readonly differing: readonly SentField[];
  /** The fields that the payment hides, cuts, adds or shows in another form. */
  readonly unconfirmed: readonly SentField[];
  /** Whether the equal fields identify the payment: the money, the purpose if there is one, and the name or account. */
  readonly isProven: boolean;
}

/** Compares a record with a payment: the amount digit by digit, texts without surplus spaces. */
export function compareRecord(fields: SentFields, payment: Payment): Pairing {
  const comparison = comparePayment(fields, payment);
  const amount = readAmount(payment);
  const differences = new Set(listDifferences(fields, comparison));
  if (amount !== undefined && amount !== fields.amount) differences.add('amount');
  const { name, account } = (payment.beneficiary as Partial<Payment['beneficiary']> | undefined) ?? {};
  const texts: Readonly<Record<string, unknown>> = {
    purpose: payment.purpose,
    beneficiary_name: name,
    beneficiary_account: account,
  };
  const isSame = (field: SentField): boolean =>
    comparison[field] === 'same' &&
    (field !== 'beneficiary_account' || hasSameGroups(fields[field], String(account)));
  // A service with a small character set changes letters and marks.
  const isEqual = (field: SentField): boolean =>
    isSame(field) ||
    (comparison[field] === 'changed' && fold(fields[field] ?? '') === fold(String(texts[field])));
  const unconfirmed = sentFields.filter((field) => !differences.has(field) && !isSame(field));
  const isStated =
    isEqual('beneficiary_name') ||
    (fields.beneficiary_account !== undefined && isEqual('beneficiary_account'));
  const isHidden = unconfirmed.some((field) => !field.startsWith('beneficiary') && !isEqual(field));
  return {
    differing: [...differences],
    unconfirmed,
    isProven: differences.size === 0 && isStated && !isHidden,
  };
}

/** Returns whether two equal account numbers differ only in separators that one of them lacks, or has between the same groups. */
function hasSameGroups(...accounts: readonly (string | undefined)[]): boolean {
  const [ours = [], shown = []] = accounts.map((text = '') => text.trim().split(/[^\p{L}\p{M}\p{N}]+/u));
  return (
    ours.length === 1 || shown.length === 1 || ours.every(({ length }, at) => length === shown[at]?.length)
  );
}

/** Returns whether a payment differs in at most one thing: the money, the beneficiary or the purpose. */
export function isSimilar({ differing }: Pairing): boolean {
  const things = differing.map((field) => /^(beneficiary|purpose)/.exec(field)?.[0] ?? 'money');
  return new Set(things).size <= 1;
}

/** Returns the amount of a payment in normal form, with all digits that the service sent. */
export function readAmount(payment: Payment): string | undefined {
  const { send_amount } = payment as Partial<Payment>;
  if (typeof send_amount !== 'number') return undefined;
  const digits = rawAmount(payment, 'send_amount') ?? '';
  // A longer text is the tail of a sum of doubles, which the number does not have.
  const isExact = toMicro(digits) !== undefined && !/\.\d{7}/.test(digits);
  return normalizeDecimal(isExact ? digits : String(send_amount));
}
