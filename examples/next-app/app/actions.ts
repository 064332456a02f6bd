'use server';

import { redirect } from 'next/navigation';
import { getPayer } from '../lib/service';

/** Pays the invoice of a supplier once, and opens the page of the payment. */
export async function pay(form: FormData): Promise<void> {
  const invoice = readText(form, 'invoice');
  const payment = await getPayer().pay(invoice, {
    from_currency: 'USD',
    to_currency: 'EUR',
    amount: readText(form, 'amount'),
    beneficiary_name: readText(form, 'supplier'),
    purpose: invoice,
  });
  redirect(`/payments/${payment.id}`);
}

function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
