import type { Balance, Beneficiary, components, Mode, Quote, Wallet } from '@service/contract';

export type { Balance, Beneficiary, Mode, Quote, Wallet };

/** The status of a payment: a documented one, or a later one, which is not final. */
export type PaymentStatus = components['schemas']['PaymentStatus'] | (string & Record<never, never>);

/** A payment as the service sent it. Optional fields that were absent are null. */
export type Payment = Omit<components['schemas']['Payment'], 'status'> & {
  /** `completed` and `failed` are final, but a completed payment can still fail if the bank returns it. */
  status: PaymentStatus;
};

/**
 * One movement of a wallet. All fields of the row stay as received. The service does not document the fields,
 * so a value under another common name, such as `from_currency`, is also available under the name of this
 * type.
 */
export type Transaction = Omit<
  components['schemas']['Transaction'],
  'id' | 'status' | 'type' | 'fee' | 'balance_after' | 'payment_id' | 'reference'
> & {
  /** The id as text, with all digits of a numeric id. Null if the row has none. */
  id: string | null;
  /** The state of the movement. Handle unknown values: the service may add some. */
  status: components['schemas']['TransactionStatus'] | (string & Record<never, never>);
  /** The kind of movement, such as `'payment'`. Handle unknown values: the service may add some. */
  type: components['schemas']['TransactionType'] | (string & Record<never, never>);
  /** The fee included in the amount. Null without one, and if the service omits it. */
  fee: number | null;
  /** The balance of the wallet after the transaction. Null if the service omits it. */
  balance_after: number | null;
  /** The id of the payment that caused the transaction. Null without one, and if the service omits it. */
  payment_id: string | null;
  /** The `purpose` of the payment. Null without one, and if the service omits it. */
  reference: string | null;
};

/** One page of transactions, newest first. */
export interface TransactionPage {
  /** The rows of the page, newest first. */
  transactions: Transaction[];
  /** The position of the page in the list. Values that the service omits are null. */
  pagination: {
    /** The number of this page, as the service counts. */
    current_page: number;
    /** The number of rows of a page. */
    per_page: number | null;
    /** The number of rows of all pages. */
    total: number | null;
    /** The number of pages. */
    total_pages: number | null;
    /** False if the service states that this is the last page, else true. */
    has_more: boolean;
  };
}

/** The fields of a quote request. */
export type QuoteInput = Omit<components['schemas']['QuoteRequest'], 'amount'> & {
  /**
   * The amount to send, in `from_currency`, such as `'100.00'`. More than 0, at most 2 decimals and 15 significant
   * digits, no exponent. A string is sent digit by digit.
   */
  amount: number | string;
};

/** The fields of a payment to create. An optional field may be absent, undefined or null. */
export type PaymentInput = {
  [Name in keyof Omit<components['schemas']['PaymentRequest'], 'amount'>]:
    | components['schemas']['PaymentRequest'][Name]
    | (undefined extends components['schemas']['PaymentRequest'][Name] ? undefined : never);
} & Pick<QuoteInput, 'amount'>;

/** The fields of a request as text, under their names in the request. An absent field was not sent. */
export type SentFields = { readonly [Name in keyof PaymentInput]?: string | undefined };

/** A field of a create, under its name in the request. */
export type SentField = keyof PaymentInput;

/** The fields of a value that was received and not checked. A field that the contract does not have is an error. */
export type Unchecked<T> = { readonly [Name in keyof T]?: unknown };
