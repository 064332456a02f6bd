import type { Currency, Mode } from '@service/contract';
import type { Example, RowMoment } from '@service/internal';
import { fillExample, type Value } from './example.ts';
import { type Instant, type Json, toAmount, toRate } from './json.ts';
import type { Minor } from './money.ts';
import { formatOptional, type Payment } from './payment.ts';
import type { rowPlaceholders } from './placeholders.ts';
import type { Profile } from './profile.ts';

/** A movement of a wallet, or an event of a payment that moves no money. */
export interface Movement {
  readonly moment: RowMoment;
  readonly currency: Currency;
  /** The change of the wallet. Without one, that of the debit of the payment. */
  readonly amount: Minor;
  readonly balance_before: Minor;
  readonly balance_after: Minor;
  readonly payment_id: string | null;
  readonly created_at: Instant;
}

/** A row of the transaction list. */
export interface ListedRow extends Movement {
  readonly example: Example;
  /** The index in the list, from 0, oldest first. */
  readonly number: number;
  readonly id: string;
  readonly mode: Mode;
  readonly payment: Payment | undefined;
}

/** Writes a row, or another example, with the values of a row (docs/contract.md#transactions). */
export function fillRow(row: ListedRow, profile: Profile, example: Example = row.example): Json {
  return fillExample(example, (name) => rowValues[name as keyof typeof rowValues](row, profile), profile);
}

type ReadRow = (row: ListedRow, profile: Profile) => Value;

/** Returns the reader of an amount of a payment. */
function amountOf(read: (payment: Payment) => Minor): ReadRow {
  return ({ payment }) => (payment ? toAmount(read(payment)) : null);
}

/** Returns the reader of an optional text of a payment. */
function textOf(read: (payment: Payment) => string | null): ReadRow {
  return ({ payment }, { absent }) => formatOptional(payment === undefined ? null : read(payment), absent);
}

/** Returns the part of a movement that is the fee of its payment, with the sign of the movement. */
function feeOf({ amount, payment }: ListedRow): Minor {
  const fee = payment?.fee ?? 0n;
  return amount < 0n ? -fee : fee;
}

/** The values of a row. Those of a payment are null in other rows. */
const rowValues: Readonly<Record<keyof typeof rowPlaceholders, ReadRow>> = {
  id: ({ id }) => id,
  number: ({ number }) => number + 1,
  payment_id: ({ payment_id }, { absent }) => formatOptional(payment_id, absent),
  status: ({ payment }) => payment?.status ?? 'completed',
  mode: ({ mode }) => mode,
  currency: ({ currency }) => currency,
  amount: ({ amount }) => toAmount(amount),
  balance_after: ({ balance_after }) => toAmount(balance_after),
  balance_before: ({ balance_before }) => toAmount(balance_before),
  balance_before_fee: (row) => toAmount(row.balance_after - feeOf(row)),
  balance_after_fee: (row) => toAmount(row.balance_before + feeOf(row)),
  send_amount: amountOf(({ send_amount }) => send_amount),
  fee: amountOf(({ fee }) => fee),
  debit: amountOf(({ debit }) => debit),
  net: amountOf(({ send_amount, fee }) => send_amount - fee),
  receive_amount: amountOf(({ receive_amount }) => receive_amount),
  rate: ({ payment }) => (payment ? toRate(payment.rate) : null),
  from_currency: ({ payment }) => payment?.from_currency ?? null,
  to_currency: ({ payment }) => payment?.to_currency ?? null,
  purpose: textOf(({ purpose }) => purpose),
  beneficiary_name: textOf(({ beneficiary }) => beneficiary.name),
  beneficiary_bank: textOf(({ beneficiary }) => beneficiary.bank),
  beneficiary_account: textOf(({ beneficiary }) => beneficiary.account),
  beneficiary_country: textOf(({ beneficiary }) => beneficiary.country),
  created_at: ({ created_at }) => new Date(created_at),
  payment_created_at: ({ payment }) => (payment ? new Date(payment.history.pending) : null),
};
