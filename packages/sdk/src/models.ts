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

/** A value that the service may add later. Editors still complete the documented values. */
type Undocumented = string & Record<never, never>;

/** The status of a payment: a documented one, or a later one, which is not final. */
export type PaymentStatus = DocumentedStatus | Undocumented;

/** A payment as the service sent it. Optional fields that were absent are null. */
export type Payment = Omit<DocumentedPayment, 'status'> & {
  /** `completed` and `failed` are final, but a completed payment can still fail if the bank returns it. */
  status: PaymentStatus;
};

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
  /** The state of the movement. Handle unknown values: the service may add some. */
  status: TransactionStatus;
  /** The kind of movement, such as `'payment'`. Handle unknown values: the service may add some. */
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
  /** The rows of the page, newest first. */
  transactions: Transaction[];
  /** The position of the page in the list. */
  pagination: Pagination;
}

/**
 * An amount of money. Prefer a decimal string such as `'100.00'`: it is sent digit by digit. More than 0, at
 * most 2 decimals and 15 significant digits, no exponent.
 */
export type AmountInput = number | string;

/** The fields of a quote request. */
export type QuoteInput = Omit<QuoteRequest, 'amount'> & {
  /** The amount to send, in `from_currency`, such as `'100.00'`. */
  amount: AmountInput;
};

/** The fields of a payment to create. An optional field may be absent, undefined or null. */
export type PaymentInput = {
  [Name in keyof Omit<PaymentRequest, 'amount'>]: undefined extends PaymentRequest[Name]
    ? PaymentRequest[Name] | undefined
    : PaymentRequest[Name];
} & {
  /** The amount to send, in `from_currency`, such as `'100.00'`. More than 0, at most 2 decimals. */
  amount: AmountInput;
};

/** The fields of a request as text. */
export type SentFields = { readonly [Name in keyof PaymentRequest]?: string | undefined };

/** A field of a create, under its name in the request. */
export type SentField = keyof PaymentRequest;

/**
 * How a service returned the fields of creates: `exact` if each response showed the field as sent, `changed` if one
 * did not. A field that no create has had is absent.
 */
export type ReturnedFields = { readonly [Name in SentField]?: 'exact' | 'changed' | undefined };

/** The fields of a value that was received and not checked. A field that the contract does not have is an error. */
export type Unchecked<T> = { readonly [Name in keyof T]?: unknown };
