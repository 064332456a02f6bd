import { createClient, PaymentOutcomeUnknownError } from '@service/sdk';

const service = createClient(); // SERVICE_API_KEY and SERVICE_BASE_URL, or { apiKey, baseUrl }
const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '1000.00',
  beneficiary_name: 'Acme Supplies Ltd',
};
try {
  const payment = await service.payments.create({ ...order, purpose: 'INV-2026-0042' });
  const { status } = await service.payments.waitFor(payment.id);
  if (status === 'failed') throw new Error('The payment failed and was refunded.');
} catch (error) {
  if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
  // The payment may exist: `service.payments.reconcile(error)` searches for it and never creates one.
}
