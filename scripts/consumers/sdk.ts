// Uses @service/sdk as a program does. Compiled with every supported version of TypeScript.
import * as sdk from '@service/sdk';
import { createApi } from '@service/sdk/api';
import * as payers from '@service/sdk/payer';
import { readTransactionPage } from '@service/sdk/transactions';

const baseUrl = 'https://api.example.test/api/v1';

export const options: sdk.ClientOptions = {
  apiKey: async () => 'service_test_1',
  baseUrl,
  fetch: async () => new Response(),
  keyRetention: 86_400_000,
  onRequest: ({ attempt, headers }) => headers.set('x-attempt', String(attempt)),
  onResponse: async ({ status, duration, headers }) => [status, duration, headers.get('date')],
  onWarning: ({ code, message }) => void [code, message],
};
// Options accept undefined with `exactOptionalPropertyTypes`.
export const withUndefined = (apiKey: string | undefined): sdk.Client =>
  sdk.createClient({ apiKey, baseUrl: undefined, timeout: undefined, onRequest: undefined });
// @ts-expect-error the option is baseUrl
export const misspelled = sdk.createClient({ apiKey: 'service_test_1', baseURL: baseUrl });

export const testing: sdk.Client = sdk.createClient({ apiKey: 'service_test_1', baseUrl });
export const live: sdk.Client = sdk.createClient({ apiKey: async () => 'service_live_1' as const });
export const parts = {
  quotes: testing.quotes satisfies sdk.Client['quotes'],
  payments: live.payments satisfies sdk.Payments,
  balance: sdk.createClient().balance satisfies sdk.Client['balance'],
  transactions: sdk.createClient(options).transactions satisfies sdk.Client['transactions'],
};

const input: sdk.PaymentInput = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  beneficiary_bank: undefined,
  beneficiary_country: null,
};

export async function pay(signal: AbortSignal): Promise<string> {
  const { data, mode } = await testing.payments.create(input, { signal }).withResponse();
  const shown: sdk.Mode | undefined = mode;
  // @ts-expect-error the field is beneficiary_account
  void live.payments.create({ ...input, beneficary_account: 'DE89370400440532013000' });
  // @ts-expect-error beneficiary_name is required
  void live.payments.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
  const { status } = await live.payments.waitFor(data.id, { until: 'processing', signal });
  // @ts-expect-error a status is not an amount
  void sdk.rawAmount(data, 'status');
  return sdk.rawAmount(data, 'receive_amount') ?? `${status} ${shown}`;
}

export async function list(): Promise<number> {
  const query: sdk.TransactionQuery = { per_page: 100, status: 'failed', type: 'a new type' };
  let total = (await testing.balance.retrieve()).balances.length;
  for await (const { amount } of testing.transactions.list(query)) total += amount;
  for await (const { pagination } of testing.transactions.list().pages()) total += pagination.current_page;
  const page = readTransactionPage({ text: '{}', headers: new Headers() });
  return 'problem' in page ? total : total + page.items.length;
}

/** Narrows errors and results. */
export async function explain(error: unknown): Promise<string> {
  if (error instanceof sdk.PaymentOutcomeUnknownError) {
    const found = await live.payments.reconcile(error);
    if (found.result === 'found') return found.payment.id;
    if (found.result === 'ambiguous') return found.payments.map(({ id }) => id).join();
    const open: 'not_found_yet' | 'cannot_tell' = found.result;
    return `${open} ${error.phase} ${error.paymentId}`;
  }
  if (error instanceof sdk.WaitTimeoutError) return error.last?.status ?? 'no status';
  if (error instanceof sdk.RateLimitError) return `${error.retryDelay}`;
  return error instanceof sdk.ServiceError
    ? `${error.outcome} ${error.requestId}`
    : 'not an error of the client';
}

export async function payAll(client: sdk.Client, signal: AbortSignal): Promise<payers.Intent | undefined> {
  const store = payers.memoryStore();
  const payer = payers.createPayer(client, { store, concurrency: 8 });
  const paid: sdk.Payment = await payer.pay('order-41', input, { signal });
  // @ts-expect-error a payer needs a store
  void (() => payers.createPayer(client));
  void paid.id;
  const { version } = await payer.plan('order-42', input);
  for await (const { conflict } of payer.run())
    if (conflict !== undefined)
      await payer.resolve('order-42', { version, by: 'Ada', because: 'checked', paymentId: 'pay_test_1' });
  return store.read('order-42');
}

export async function direct(client: sdk.Client): Promise<string | undefined> {
  const api = createApi(client);
  const params = { path: { payment_id: 'pay_test_1' } };
  const { data, error } = await api.GET('/payments/{payment_id}', { params });
  // @ts-expect-error the path is unknown
  void api.GET('/keys');
  return data?.data.id ?? error?.error.message;
}
