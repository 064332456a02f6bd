import { createClient, PaymentOutcomeUnknownError, ServiceError } from '@service/sdk';
import { DurableObject } from 'cloudflare:workers';
import type { Environment } from './environment.js';

export interface Invoice {
  readonly invoice: string;
  readonly amount: string;
  readonly supplier: string;
  readonly account: string;
}

export interface PayoutRecord {
  readonly invoice: string;
  /** Null while the outcome of the create is unknown. */
  readonly payment_id: string | null;
}

/** The service did not create the payment, so the invoice can be paid later. */
export interface NotPaid {
  readonly error: string;
  readonly status: 422 | 502;
}

/** One invoice. All requests for it, from any location, reach the same object. */
export class Payout extends DurableObject<Environment> {
  async read(): Promise<PayoutRecord | undefined> {
    return this.ctx.storage.get<PayoutRecord>('payout');
  }

  /** Pays the invoice at most once, also if it is called twice or the worker ends in between. */
  async pay(order: Invoice): Promise<PayoutRecord | NotPaid> {
    const earlier = await this.read();
    if (earlier !== undefined) return earlier;
    const { invoice } = order;
    // Storage is durable before the object sends the request of the payment.
    await this.ctx.storage.put('payout', { invoice, payment_id: null });
    try {
      const payout = { invoice, payment_id: await this.#createPayment(order) };
      await this.ctx.storage.put('payout', payout);
      return payout;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.outcome === 'unknown') throw error;
      await this.ctx.storage.delete('payout');
      // A value, because the caller would receive an error without its class.
      return { error: error.message, status: error.outcome === 'rejected' ? 422 : 502 };
    }
  }

  /** Creates the payment. Returns null if nothing proves that it exists: a person must ask the service. */
  async #createPayment({ invoice, amount, supplier, account }: Invoice): Promise<string | null> {
    const { SERVICE_API_KEY: apiKey, SERVICE_BASE_URL: baseUrl } = this.env;
    const client = createClient({ apiKey, baseUrl });
    try {
      const payment = await client.payments.create({
        from_currency: 'USD',
        to_currency: 'EUR',
        amount,
        beneficiary_name: supplier,
        beneficiary_account: account,
        purpose: invoice,
      });
      return payment.id;
    } catch (error) {
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
      const found = await client.payments.reconcile(error);
      return found.result === 'found' ? found.payment.id : null;
    }
  }
}
