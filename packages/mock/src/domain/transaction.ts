import type { Mode } from '@service/contract';
import type { Example, RowMoment } from '@service/internal';
import { fillExample, type Value } from './example.ts';
import { type Json, toAmount, toRate } from './json.ts';
import type { Transaction } from './ledger.ts';
import type { Minor } from './money.ts';
import { formatOptional, type Payment } from './payment.ts';
import type { rowPlaceholders } from './placeholders.ts';
import type { Profile } from './profile.ts';

/** A change of a wallet, or an event of a payment that moves no money, with the amount of its debit. */
export interface Movement extends Transaction {
  readonly event?: 'create' | 'completion' | 'failure';
}

/** Returns the event that leaves the rows of a movement. */
export function momentOf({ event, type }: Pick<Movement, 'event' | 'type'>): RowMoment {
  return event ?? (type === 'payment' ? 'debit' : type);
}

/** A row of the transaction list. */
export interface ListedRow {
  readonly movement: Movement;
  readonly example: Example;
  /** The index in the list, from 0, oldest first. */
  readonly number: number;
  /** Derives the id of a row from its number. */
  readonly toId: (number: number) => string;
  readonly mode: Mode;
  readonly payment: Payment | undefined;
}

/** Writes a row (docs/contract.md#transactions). */
export function fillRow(row: ListedRow, profile: Profile): Json {
  const read = (name: string): Value => rowValues[name as keyof typeof rowValues](row, profile);
  return fillExample(row.example, read, profile);
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

/** Returns the balance before a movement. */
function balanceBefore({ event, balance_after, amount }: Movement): Minor {
  return event === undefined ? balance_after - amount : balance_after;
}

/** Returns the part of a movement that is the fee of its payment, with the sign of the movement. */
function feeOf({ movement, payment }: ListedRow): Minor {
  const fee = payment?.fee ?? 0n;
  return movement.amount < 0n ? -fee : fee;
}

/** The values of a row. Those of a payment are null in other rows. */
const rowValues: Readonly<Record<keyof typeof rowPlaceholders, ReadRow>> = {
  id: ({ toId, number }) => toId(number),
  number: ({ number }) => number + 1,
  payment_id: ({ movement }, { absent }) => formatOptional(movement.payment_id, absent),
  status: ({ payment }) => payment?.status ?? 'completed',
  mode: ({ mode }) => mode,
  currency: ({ movement }) => movement.currency,
  amount: ({ movement }) => toAmount(movement.amount),
  balance_after: ({ movement }) => toAmount(movement.balance_after),
  balance_before: ({ movement }) => toAmount(balanceBefore(movement)),
  balance_before_fee: (row) => toAmount(row.movement.balance_after - feeOf(row)),
  balance_after_fee: (row) => toAmount(balanceBefore(row.movement) + feeOf(row)),
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
  created_at: ({ movement }) => new Date(movement.created_at),
  payment_created_at: ({ payment }) => (payment ? new Date(payment.history.pending) : null),
};
