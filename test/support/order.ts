/** The body of a payment. */
export const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  beneficiary_account: 'DE89370400440532013000',
  purpose: 'INV-42',
} as const;
