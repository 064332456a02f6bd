import { describe, expectTypeOf, it } from 'vitest';
import type {
  Balance,
  Call,
  CallResult,
  Client,
  Mode,
  Payment,
  TransactionPage,
  Warning,
} from '../src/index.ts';
import type { CallOptions } from '../src/options.ts';

declare const client: Client;
declare const perhaps: string | undefined;
const input = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', beneficiary_name: 'Acme' };

describe('CallOptions', () => {
  it('has exactly the documented options', () => {
    expectTypeOf<CallOptions>().toEqualTypeOf<{
      readonly signal?: AbortSignal | undefined;
      readonly timeout?: number | undefined;
      readonly totalTimeout?: number | undefined;
      readonly maxRetries?: number | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      readonly idempotencyKey?: string | undefined;
    }>();
  });

  it('is accepted by every call', () => {
    const options = {
      signal: AbortSignal.abort(),
      maxRetries: 0,
      idempotencyKey: perhaps,
    };
    expectTypeOf(options).toExtend<CallOptions>();
    void client.quotes.create(input, options);
    void client.payments.create(input, options);
    void client.payments.retrieve('pay_test_a', options);
    void client.balance.retrieve(options);
    void client.transactions.list({}, options);
  });

  it('rejects misspelled options', () => {
    expectTypeOf<{ retries: number }>().not.toExtend<CallOptions>();
    // @ts-expect-error the option is maxRetries
    void client.balance.retrieve({ retries: 0 });
    // @ts-expect-error the option is idempotencyKey
    void client.payments.create(input, { idempotency_key: 'a' });
    // @ts-expect-error a controller is not a signal
    void client.payments.retrieve('pay_test_a', { signal: new AbortController() });
    // @ts-expect-error milliseconds are a number
    void client.transactions.list({}, { timeout: '5s' });
  });
});

describe('a call', () => {
  it('returns the data, or the data with its response', async () => {
    const call = client.payments.create(input);
    expectTypeOf(call).toEqualTypeOf<Call<Payment>>();
    expectTypeOf(await call).toEqualTypeOf<Payment>();
    expectTypeOf(await call.withResponse()).toEqualTypeOf<CallResult<Payment>>();
    expectTypeOf(client.balance.retrieve().withResponse()).resolves.toEqualTypeOf<CallResult<Balance>>();
    expectTypeOf(client.transactions.list().withResponse()).resolves.toEqualTypeOf<
      CallResult<TransactionPage>
    >();
  });
});

describe('CallResult', () => {
  it('has exactly the documented fields', () => {
    expectTypeOf<CallResult<Payment>>().toEqualTypeOf<{
      readonly data: Payment;
      readonly response: Response;
      readonly requestId: string | undefined;
      readonly mode: Mode | undefined;
      readonly attempts: number;
      readonly warnings: readonly Warning[];
    }>();
  });
});

describe('payments.waitFor', () => {
  it('has no response, because it sends several requests', () => {
    expectTypeOf(client.payments.waitFor('pay_live_a')).toEqualTypeOf<Promise<Payment>>();
    // @ts-expect-error waitFor returns a plain promise
    void client.payments.waitFor('pay_live_a').withResponse();
  });
});
