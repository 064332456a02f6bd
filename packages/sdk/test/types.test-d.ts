// What the reports in packages/sdk/api do not show: inference, narrowing, and types without a public name.
import { createApi } from '../src/api.ts';
import { describe, expectTypeOf, it } from 'vitest';
import { createPayer, memoryStore, type Payer } from '../src/entries/payer.ts';
import * as sdk from '../src/index.ts';
import type { OperationId, Pagination } from '@service/contract';
import type { CallOptions } from '../src/options.ts';

declare const client: sdk.Client;
declare const apiKey: string;
declare const perhaps: string | undefined;
declare const error: unknown;
declare const unknownOutcome: sdk.PaymentOutcomeUnknownError;
declare const payment: sdk.Payment;
declare const reconciliation: sdk.Reconciliation;
const baseUrl = 'https://api.example.test/api/v1';
const input = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', beneficiary_name: 'Acme' };

describe('createClient', () => {
  it('takes a key as a literal, a string or a function, or from the environment', () => {
    expectTypeOf(sdk.createClient({ apiKey: 'service_live_abc', baseUrl })).toEqualTypeOf<sdk.Client>();
    expectTypeOf(sdk.createClient({ apiKey: perhaps })).toEqualTypeOf<sdk.Client>();
    expectTypeOf(sdk.createClient({ apiKey: () => apiKey, baseUrl })).toEqualTypeOf<sdk.Client>();
    expectTypeOf(sdk.createClient()).toEqualTypeOf<sdk.Client>();
    expectTypeOf<sdk.Mode>().toEqualTypeOf<'test' | 'live'>();
  });

  it('accepts undefined for every option, and rejects others', () => {
    expectTypeOf<{ [Name in keyof sdk.ClientOptions]-?: undefined }>().toExtend<sdk.ClientOptions>();
    // @ts-expect-error the option is baseUrl
    sdk.createClient({ apiKey, baseURL: baseUrl });
    // @ts-expect-error an API key is a string
    sdk.createClient({ apiKey: 5 });
    // @ts-expect-error the function returns a string
    sdk.createClient({ apiKey: () => null });
  });

  it('accepts a fetch that takes a URL and options', () => {
    expectTypeOf<typeof globalThis.fetch>().toExtend<sdk.Fetch>();
    // @ts-expect-error fetch returns a promise
    sdk.createClient({ apiKey, fetch: () => new Response('') });
  });

  it('passes documented facts to its hooks', () => {
    expectTypeOf<sdk.Warning['code']>().toEqualTypeOf<
      'inexact_money' | 'other_amount' | 'unreadable_row' | 'store_failed' | 'reference_conflict'
    >();
    expectTypeOf<sdk.RequestFacts['operation']>().toEqualTypeOf<OperationId | 'api'>();
    sdk.createClient({
      apiKey,
      onRequest: (request) => {
        expectTypeOf(request).toEqualTypeOf<sdk.RequestFacts & { readonly headers: Headers }>();
        // @ts-expect-error the URL is read-only
        request.url = 'https://elsewhere.example.test';
      },
    });
  });
});

describe('a call', () => {
  it('takes the documented options only', () => {
    const options = { signal: AbortSignal.abort(), idempotencyKey: perhaps };
    expectTypeOf(options).toExtend<CallOptions>();
    void client.quotes.create(input, options);
    void client.payments.create(input, options);
    void client.payments.retrieve('pay_test_a', options);
    void client.balance.retrieve(options);
    void client.transactions.list({}, options);
    // @ts-expect-error the option is maxRetries
    void client.balance.retrieve({ retries: 0 });
    // @ts-expect-error the option is idempotencyKey
    void client.payments.create(input, { idempotency_key: 'a' });
    // @ts-expect-error a controller is not a signal
    void client.payments.retrieve('pay_test_a', { signal: new AbortController() });
  });

  it('returns the data, or the data with its response', () => {
    expectTypeOf(client.quotes.create({ ...input, amount: 1 })).toEqualTypeOf<sdk.Call<sdk.Quote>>();
    expectTypeOf(client.payments.create({ ...input, purpose: null })).toEqualTypeOf<sdk.Call<sdk.Payment>>();
    expectTypeOf(client.payments.retrieve('pay_live_a')).resolves.toEqualTypeOf<sdk.Payment>();
    expectTypeOf(client.balance.retrieve().withResponse()).resolves.toEqualTypeOf<
      sdk.CallResult<sdk.Balance>
    >();
    expectTypeOf(client.transactions.list().withResponse()).resolves.toEqualTypeOf<
      sdk.CallResult<sdk.TransactionPage>
    >();
    expectTypeOf(client.payments.waitFor('pay_live_a')).toEqualTypeOf<Promise<sdk.Payment>>();
    expectTypeOf(client.payments.reconcile(unknownOutcome)).toEqualTypeOf<Promise<sdk.Reconciliation>>();
  });

  it('iterates over rows and pages', async () => {
    const list = client.transactions.list({ status: 'on_hold', type: 'refund' });
    for await (const transaction of list) expectTypeOf(transaction).toEqualTypeOf<sdk.Transaction>();
    for await (const page of list.pages()) expectTypeOf(page).toEqualTypeOf<sdk.TransactionPage>();
    expectTypeOf<keyof sdk.TransactionPage['pagination']>().toEqualTypeOf<keyof Pagination>();
    // @ts-expect-error the field is per_page
    void client.transactions.list({ perPage: 5 });
  });

  it('takes the documented fields only', () => {
    expectTypeOf<keyof sdk.QuoteInput>().toEqualTypeOf<'from_currency' | 'to_currency' | 'amount'>();
    expectTypeOf<keyof sdk.PaymentInput>().toEqualTypeOf<
      | keyof sdk.QuoteInput
      | 'beneficiary_name'
      | 'beneficiary_bank'
      | 'beneficiary_account'
      | 'beneficiary_country'
      | 'purpose'
    >();
    // @ts-expect-error an amount is a number or a decimal string
    void client.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1n });
    // @ts-expect-error the field is beneficiary_name
    void client.payments.create({ ...input, beneficary_name: 'A' });
    // @ts-expect-error beneficiary_name is required
    void client.payments.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
    // @ts-expect-error only optional fields may be null
    void client.payments.create({ ...input, beneficiary_name: null });
  });

  it('may return an undocumented status', () => {
    expectTypeOf<'completed' | 'under_review'>().toExtend<sdk.Payment['status']>();
    expectTypeOf<sdk.Payment['beneficiary']['bank']>().toEqualTypeOf<string | null>();
    expectTypeOf<Extract<sdk.TransactionQuery['status'], 'failed'>>().toEqualTypeOf<'failed'>();
  });
});

describe('payments.waitFor', () => {
  it('accepts only documented statuses', () => {
    expectTypeOf<sdk.WaitOptions['until']>().toEqualTypeOf<
      'final' | 'pending' | 'processing' | 'completed' | 'failed' | undefined
    >();
  });
});

describe('payments.reconcile', () => {
  it('has a payment only if one was found', () => {
    if (reconciliation.result === 'found') {
      expectTypeOf(reconciliation.payment).toEqualTypeOf<sdk.Payment>();
      expectTypeOf(reconciliation.evidence).toEqualTypeOf<'id' | 'purpose+beneficiary'>();
      return;
    }
    // @ts-expect-error this result has no payment
    void reconciliation.payment;
    if (reconciliation.result === 'ambiguous')
      expectTypeOf(reconciliation.evidence).toEqualTypeOf<'purpose+beneficiary' | 'purpose' | 'amount'>();
  });

  it('accepts the error of a create, or its body and time', () => {
    expectTypeOf(unknownOutcome.getBody()).toEqualTypeOf<sdk.SentFields>();
    void client.payments.reconcile({ ...input, since: unknownOutcome.sentAt });
    // @ts-expect-error since is required
    void client.payments.reconcile({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
    // @ts-expect-error a caught value must be narrowed first
    void client.payments.reconcile(error);
  });
});

describe('instanceof an error class', () => {
  it('narrows an unknown value', () => {
    if (error instanceof sdk.ServiceError) {
      expectTypeOf(error).toEqualTypeOf<sdk.ServiceError>();
      // @ts-expect-error only WaitTimeoutError has a last payment
      void error.last;
    }
    if (error instanceof sdk.PaymentOutcomeUnknownError) {
      expectTypeOf(error).toExtend<sdk.PaymentTrace>();
      expectTypeOf(error.phase).toEqualTypeOf<
        'waiting' | 'reading' | 'responded' | 'recorded' | 'searched'
      >();
    }
    if (error instanceof sdk.WaitTimeoutError) expectTypeOf(error).toEqualTypeOf<sdk.WaitTimeoutError>();
    if (error instanceof sdk.NotFoundError) expectTypeOf(error).toEqualTypeOf<sdk.NotFoundError>();
    else expectTypeOf(error).toBeUnknown();
    expectTypeOf<sdk.NotFoundError>().not.toExtend<sdk.RateLimitError>();
  });
});

type MoneyField<T extends object> = Parameters<typeof sdk.rawAmount<T>>[1];

describe('rawAmount', () => {
  it('accepts the money fields of each record', () => {
    expectTypeOf<MoneyField<sdk.Payment>>().toEqualTypeOf<'send_amount' | 'rate' | 'receive_amount'>();
    expectTypeOf<MoneyField<sdk.Quote>>().toEqualTypeOf<'send_amount' | 'fee' | 'rate' | 'receive_amount'>();
    expectTypeOf<MoneyField<sdk.Wallet>>().toEqualTypeOf<'balance'>();
    expectTypeOf<MoneyField<sdk.Transaction>>().toEqualTypeOf<'amount' | 'fee' | 'balance_after'>();
    expectTypeOf<MoneyField<{ status: string; note: string | null }>>().toBeNever();
    // @ts-expect-error status is not a money field
    sdk.rawAmount(payment, 'status');
  });
});

describe('createPayer', () => {
  it('accepts any store with compare-and-set', () => {
    const store = memoryStore();
    const swap = async () => 'done' as const;
    expectTypeOf(createPayer(client, { store: { ...store, swap } })).toEqualTypeOf<Payer>();
    // @ts-expect-error swap returns a SwapResult
    createPayer(client, { store: { ...store, swap: async () => true } });
  });
});

describe('createApi', () => {
  it('is typed by the contract', async () => {
    const { data } = await createApi(client).GET('/balance');
    expectTypeOf(data?.data).toEqualTypeOf<sdk.Balance | undefined>();
    // @ts-expect-error the path does not exist
    void createApi(client).GET('/keys');
    // @ts-expect-error the id is required
    void createApi(client).GET('/payments/{payment_id}');
  });
});
