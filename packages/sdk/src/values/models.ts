import type {
  Balance,
  Beneficiary,
  Mode,
  Pagination as DocumentedPagination,
  Payment as DocumentedPayment,
  PaymentRequest,
  PaymentStatus as DocumentedStatus,
  Quote,
  QuoteRequest,
  Transaction as DocumentedTransaction,
  TransactionStatus as DocumentedTransactionStatus,
  TransactionType as DocumentedTransactionType,
  Wallet,
} from '@service/contract';
import { type JsonObject, isRecord } from '@service/internal';
import { createValidationError } from '../errors/error-classes.ts';
import { type AmountSource, readMoney } from './money.ts';

export type { Balance, Beneficiary, DocumentedStatus, Mode, Quote, Wallet };

/** A value that the service may add later. Editors still complete the documented values. */
type Undocumented = string & Record<never, never>;

/** The status of a payment: a documented one, or a later one, which is not final. */
export type PaymentStatus = DocumentedStatus | Undocumented;

/** A payment as the service sent it. Optional fields that were absent are null. */
export type Payment = Omit<DocumentedPayment, 'status'> & { status: PaymentStatus };

/** The status of a transaction: a documented one, or a later one. */
export type TransactionStatus = DocumentedTransactionStatus | Undocumented;

/** The type of a transaction: a documented one, or a later one. */
export type TransactionType = DocumentedTransactionType | Undocumented;

type Details = 'fee' | 'balance_after' | 'payment_id' | 'reference';

/**
 * One movement of a wallet. All fields of the row stay as received. The service does not document the fields,
 * so a value under another common name, such as `from_currency`, is also available under the name of this
 * type.
 *
 * A service may omit `fee`, `balance_after`, `payment_id` and `reference`. If one row of a page has a payment
 * id or a reference, all rows of the page have all four fields, null if unknown.
 */
export type Transaction = Omit<DocumentedTransaction, 'id' | 'status' | 'type' | Details> & {
  [Name in Details]?: DocumentedTransaction[Name] | null;
} & {
  /** The id as text, with all digits of a numeric id. Null if the row has none. */
  id: string | null;
  status: TransactionStatus;
  type: TransactionType;
};

/**
 * The position of a page. Values that the service omits are null. `has_more` is false if the service states
 * that this is the last page, else true.
 */
export type Pagination = {
  [Name in keyof Omit<DocumentedPagination, 'current_page' | 'has_more'>]: DocumentedPagination[Name] | null;
} & Pick<DocumentedPagination, 'current_page' | 'has_more'>;

/** One page of transactions, newest first. */
export interface TransactionPage {
  transactions: Transaction[];
  pagination: Pagination;
}

/**
 * An amount of money. Prefer a decimal string such as `'100.00'`: it is sent digit by digit. More than 0, at
 * most 2 decimals and 15 significant digits, no exponent.
 */
export type AmountInput = number | string;

/** The fields of a quote request. */
export type QuoteInput = Omit<QuoteRequest, 'amount'> & { amount: AmountInput };

/** The fields of a payment to create. An optional field may be absent, undefined or null. */
export type PaymentInput = {
  [Name in keyof Omit<PaymentRequest, 'amount'>]: undefined extends PaymentRequest[Name]
    ? PaymentRequest[Name] | undefined
    : PaymentRequest[Name];
} & { amount: AmountInput };

/** The fields of a request as text. */
export type SentFields = { readonly [Name in keyof PaymentRequest]?: string };

/** The fields of a value that was received and not checked. A field that the contract does not have is an error. */
export type Unchecked<T> = { readonly [Name in keyof T]?: unknown };

/** Returns null for an optional field that is absent, null or empty (docs/contract.md#profile-settings). */
export function orNull(value: unknown): unknown {
  return value === '' ? null : (value ?? null);
}

/**
 * Converts `data` to a payment of the requested mode. Optional fields that are absent or empty become null.
 */
export function readPayment(
  raw: Unchecked<Payment>,
  { asked, source }: { readonly asked: Mode; readonly source: AmountSource },
): Payment | undefined {
  const { id, status, beneficiary, purpose } = raw;
  if (modeOfPaymentId(id) !== asked || typeof status !== 'string') return undefined;
  const record: JsonObject = { ...raw, purpose: orNull(purpose) };
  if (isRecord(beneficiary)) {
    const { bank, account, country }: Unchecked<Beneficiary> = beneficiary;
    const optional = { bank: orNull(bank), account: orNull(account), country: orNull(country) };
    record.beneficiary = { ...beneficiary, ...optional };
  }
  return readMoney<Payment>({ record, source }, ['send_amount', 'rate', 'receive_amount']);
}

/**
 * Returns the mode of a payment id, or undefined for a value that is not a payment id
 * (docs/contract.md#payments).
 */
export function modeOfPaymentId(id: unknown): Mode | undefined {
  if (typeof id !== 'string') return undefined;
  return /^pay_(test|live)_[\w-]+$/.exec(id)?.[1] as Mode | undefined;
}

/**
 * Checks the form of a payment id and, if given, its mode.
 *
 * @throws {ValidationError} when the form or the mode is wrong.
 */
export function checkId(id: unknown, mode?: Mode): string {
  const found = modeOfPaymentId(id);
  if (found === undefined)
    throw createValidationError("A payment id must have the form 'pay_test_…' or 'pay_live_…'.");
  if (mode !== undefined && found !== mode) {
    throw createValidationError(`The payment is in ${found} mode, but the API key is in ${mode} mode.`);
  }
  return String(id);
}
