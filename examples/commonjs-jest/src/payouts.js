const { PaymentOutcomeUnknownError } = require('@service/sdk');

/** Pays an invoice. The result is `created`, or `unknown` if nothing proves that the payment exists. */
async function payInvoice(client, { invoice, amount, supplier, account }) {
  try {
    const payment = await client.payments.create({
      from_currency: 'USD',
      to_currency: 'EUR',
      amount,
      beneficiary_name: supplier,
      beneficiary_account: account,
      purpose: invoice,
    });
    return { result: 'created', payment };
  } catch (error) {
    if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    // The payment may exist: search for it, and never create it again.
    const found = await client.payments.reconcile(error);
    return found.result === 'found' ? { result: 'created', payment: found.payment } : { result: 'unknown' };
  }
}

module.exports = { payInvoice };
