// The surroundings of the table of methods.
import { PaymentOutcomeUnknownError } from '@service/sdk';
import { events } from '@service/webhooks/testing';
import { body, client, mock } from './common.ts';

export * from './common.ts';
export { checkStatement } from '@service/sdk/statement';
export const { quotes, payments, balance, transactions } = client;
export const reference = 'invoice-42';
export const options = { timeout: 60_000 };
export const { from_currency, to_currency, amount } = body;
export const query = { type: 'payment' } as const;
export const records: readonly [] = [];
export const day = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
/** The id of a payment, its event, and the error of a create whose response was lost. */
export let id = '';
export let event: Parameters<typeof payments.handleEvent>[0] = events.completed();
export let error: PaymentOutcomeUnknownError;

async function createPayments(): Promise<void> {
  ({ id } = await payments.create(body));
  event = events.completed({ data: { id } });
  mock.sandbox.faults.inject({ operation: 'createPayment', kind: 'reset_after_commit' });
  await payments.create(body).catch((reason: unknown) => {
    if (reason instanceof PaymentOutcomeUnknownError) error = reason;
  });
}
export const ready: Promise<unknown> = createPayments();
