'use server';

import { PaymentOutcomeUnknownError, type PaymentInput } from '@service/sdk';
import { redirect } from 'next/navigation';
import { getClient } from '../lib/service';

/** Pays a supplier and opens the page of the payment. */
export async function pay(form: FormData): Promise<void> {
  const order = {
    from_currency: 'USD',
    to_currency: 'EUR',
    amount: readText(form, 'amount'),
    beneficiary_name: readText(form, 'supplier'),
    purpose: readText(form, 'invoice'),
  };
  redirect(`/payments/${await createPayment(order)}`);
}

function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** Creates a payment and returns its id. */
async function createPayment(order: PaymentInput): Promise<string> {
  const { payments } = getClient();
  try {
    return (await payments.create(order)).id;
  } catch (error) {
    if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    // The payment may exist: search for it, and never create it again.
    const found = await payments.reconcile(error);
    if (found.result !== 'found') throw error;
    return found.payment.id;
  }
}
