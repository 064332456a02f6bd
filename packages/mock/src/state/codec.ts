import type { Transaction } from '../domain/ledger.ts';
import type { Payment } from '../domain/payment.ts';
import type { Terms } from '../domain/profile.ts';

/** A record whose amounts are text. */
type Encoded<Record, Amounts extends keyof Record> = Omit<Record, Amounts> & {
  readonly [Amount in Amounts]: string;
};

type PaymentAmounts = 'send_amount' | 'fee' | 'rate' | 'receive_amount';

/** A payment in a snapshot. Its terms are an index into the list of profiles. */
export type EncodedPayment = Omit<Encoded<Payment, PaymentAmounts>, 'terms'> & {
  /** The index of its profile settings in `profiles`. */
  readonly terms: number;
};

/** A row of the transaction history in a snapshot. */
export type EncodedTransaction = Encoded<Transaction, 'amount' | 'balance_after'>;

/** The distinct profiles of a snapshot. */
export interface ProfileList {
  readonly profiles: readonly Terms[];
  /** Returns the index of a profile. Adds a new one to the list. */
  readonly indexOf: (profile: Terms) => number;
}

/** Creates a list of profiles. */
export function createProfileList(initial: readonly Terms[] = []): ProfileList {
  const profiles = [...initial];
  const indexes = new Map(profiles.map((profile, index) => [JSON.stringify(profile), index]));
  const known = new WeakMap<Terms, number>();
  const add = (profile: Terms): number => {
    const text = JSON.stringify(profile);
    const index = indexes.get(text) ?? profiles.push(profile) - 1;
    indexes.set(text, index);
    known.set(profile, index);
    return index;
  };
  return { profiles, indexOf: (profile) => known.get(profile) ?? add(profile) };
}

/** Encodes a payment for a snapshot. */
export function encodePayment(payment: Payment, terms: number): EncodedPayment {
  return {
    ...payment,
    send_amount: String(payment.send_amount),
    fee: String(payment.fee),
    rate: String(payment.rate),
    receive_amount: String(payment.receive_amount),
    terms,
  };
}

/** Decodes a payment of a snapshot. */
export function decodePayment(encoded: EncodedPayment, terms: Terms): Payment {
  return {
    ...encoded,
    send_amount: BigInt(encoded.send_amount),
    fee: BigInt(encoded.fee),
    rate: BigInt(encoded.rate),
    receive_amount: BigInt(encoded.receive_amount),
    next: encoded.next ?? null,
    terms,
  };
}

/** Encodes a row of the transaction history for a snapshot. */
export function encodeTransaction(row: Transaction): EncodedTransaction {
  return { ...row, amount: String(row.amount), balance_after: String(row.balance_after) };
}

/** Decodes a row of the transaction history of a snapshot. */
export function decodeTransaction(encoded: EncodedTransaction): Transaction {
  return { ...encoded, amount: BigInt(encoded.amount), balance_after: BigInt(encoded.balance_after) };
}
