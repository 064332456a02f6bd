// The documented responses as templates.
import type { ObjectTemplate } from '../template.ts';

/** The documented `data` of a quote. */
export const documentedQuote: ObjectTemplate = {
  from_currency: '{from_currency}',
  to_currency: '{to_currency}',
  send_amount: '{send_amount}',
  fee: '{fee}',
  rate: '{rate}',
  receive_amount: '{receive_amount}',
};

/** The documented `data` of a payment. */
export const documentedPayment: ObjectTemplate = {
  id: '{id}',
  status: '{status}',
  from_currency: '{from_currency}',
  to_currency: '{to_currency}',
  send_amount: '{send_amount}',
  rate: '{rate}',
  receive_amount: '{receive_amount}',
  beneficiary: {
    name: '{beneficiary_name}',
    bank: '{beneficiary_bank}',
    account: '{beneficiary_account}',
    country: '{beneficiary_country}',
  },
  purpose: '{purpose}',
  created_at: '{created_at}',
};

/** A documented row of the transaction list. */
export const documentedRow: ObjectTemplate = {
  id: '{id}',
  type: '{type}',
  status: '{status}',
  currency: '{currency}',
  amount: '{amount}',
  fee: '{row_fee}',
  balance_after: '{balance_after}',
  payment_id: '{payment_id}',
  reference: '{reference}',
  created_at: '{created_at}',
};

/** The documented `data` of the balance. */
export const documentedBalance: ObjectTemplate = {
  balances: ['{each wallets}', { currency: '{currency}', balance: '{balance}' }],
};

/** The documented body of a webhook. */
export const documentedEvent: ObjectTemplate = {
  event: 'payment.{status}',
  created_at: '{at}',
  data: {
    id: '{id}',
    status: '{status}',
    from_currency: '{from_currency}',
    to_currency: '{to_currency}',
    send_amount: '{send_amount}',
    receive_amount: '{receive_amount}',
    mode: '{mode}',
  },
};
