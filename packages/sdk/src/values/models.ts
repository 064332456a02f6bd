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

export type { Balance, Beneficiary, DocumentedStatus, Mode, Quote, Wallet };

/** Stands for a value that the service may add some day; the documented ones still complete in an editor. */
type Undocumented = string & Record<never, never>;

/** Names where a payment stands: the documented statuses, or one that came later and is not final (spec §3). */
export type PaymentStatus = DocumentedStatus | Undocumented;

/** Holds a payment as the service sent it; optional fields that were absent are null (spec §2). */
export type Payment = Omit<DocumentedPayment, 'status'> & { status: PaymentStatus };

/** Names the status of a transaction (contract.md 4). */
export type TransactionStatus = DocumentedTransactionStatus | Undocumented;

/** Names what moved a wallet (contract.md 4). */
export type TransactionType = DocumentedTransactionType | Undocumented;

type Details = 'fee' | 'balance_after' | 'payment_id' | 'reference';

/**
 * One movement of a wallet. The service's document does not show its fields, so values that a service sends under another
 * common name, such as `from_currency`, are also given under the names here; all fields of the row stay as received.
 * A service may leave out `fee`, `balance_after`, `payment_id` and `reference`. Where a row of a page names a payment or a
 * reference, all rows of the page have all four, null where there is none.
 */
export type Transaction = Omit<DocumentedTransaction, 'id' | 'status' | 'type' | Details> & {
  [Name in Details]?: DocumentedTransaction[Name] | null;
} & {
  /** The id as sent, the digits of a number included; null where the row has none. */
  id: string | null;
  status: TransactionStatus;
  type: TransactionType;
};

/**
 * Says which page this is. Figures that the service does not give are null. `has_more` is false where the service says so,
 * and true where it says so or says nothing of it.
 */
export type Pagination = {
  [Name in keyof Omit<DocumentedPagination, 'current_page' | 'has_more'>]: DocumentedPagination[Name] | null;
} & Pick<DocumentedPagination, 'current_page' | 'has_more'>;

/** Holds one page of transactions, newest first (contract.md 4). */
export type TransactionPage = { transactions: Transaction[]; pagination: Pagination };

/**
 * Gives an amount of money: a number, or better a decimal string such as `'100.00'`, which reaches the wire digit by
 * digit. More than 0, at most 2 decimals and 15 significant digits, no exponent.
 */
export type AmountInput = number | string;

/** Lists the fields of a quote request (spec §4). */
export type QuoteInput = Omit<QuoteRequest, 'amount'> & { amount: AmountInput };

/** Lists the fields of a payment to create (spec §4); an optional field may be absent, undefined or null. */
export type PaymentInput = {
  [Name in keyof Omit<PaymentRequest, 'amount'>]: undefined extends PaymentRequest[Name]
    ? PaymentRequest[Name] | undefined
    : PaymentRequest[Name];
} & { amount: AmountInput };
