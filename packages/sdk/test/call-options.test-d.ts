import { expectTypeOf, test } from 'vitest';
import type {
  Answered,
  Balance,
  Call,
  CallOptions,
  Client,
  Mode,
  Payment,
  TransactionPage,
  Warning,
} from '../src/index.ts';

declare const either: Client;
declare const live: Client<'live'>;
declare const perhaps: string | undefined;
const input = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', beneficiary_name: 'Acme' };

test('knows exactly the documented options', () => {
  expectTypeOf<CallOptions>().toEqualTypeOf<{
    readonly signal?: AbortSignal | undefined;
    readonly timeout?: number | undefined;
    readonly totalTimeout?: number | undefined;
    readonly maxRetries?: number | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly idempotencyKey?: string | undefined;
    readonly reference?: string | undefined;
  }>();
});

test('takes them with every call', () => {
  const options = { signal: AbortSignal.abort(), maxRetries: 0, idempotencyKey: perhaps, reference: perhaps };
  expectTypeOf(options).toExtend<CallOptions>();
  void either.quotes.create(input, options);
  void either.payments.create(input, options);
  void either.payments.retrieve('pay_test_a', options);
  void either.balance.retrieve(options);
  void either.transactions.list({}, options);
});

test('refuses misspelt ones', () => {
  expectTypeOf<{ retries: number }>().not.toExtend<CallOptions>();
  // @ts-expect-error it is maxRetries
  void either.balance.retrieve({ retries: 0 });
  // @ts-expect-error it is idempotencyKey
  void either.payments.create(input, { idempotency_key: 'a' });
  // @ts-expect-error a signal, not its controller
  void either.payments.retrieve('pay_test_a', { signal: new AbortController() });
  // @ts-expect-error milliseconds are a number
  void either.transactions.list({}, { timeout: '5s' });
});

test('promises the data, or the data with its response', async () => {
  const call = live.payments.create(input);
  expectTypeOf(call).toEqualTypeOf<Call<Payment, 'live'>>();
  expectTypeOf(await call).toEqualTypeOf<Payment>();
  expectTypeOf(await call.withResponse()).toEqualTypeOf<Answered<Payment, 'live'>>();
  expectTypeOf(live.balance.retrieve().withResponse()).resolves.toEqualTypeOf<Answered<Balance, 'live'>>();
  expectTypeOf(live.transactions.list().withResponse()).resolves.toEqualTypeOf<
    Answered<TransactionPage, 'live'>
  >();
});

test('holds exactly what came along', () => {
  expectTypeOf<Answered<Payment>>().toEqualTypeOf<{
    readonly data: Payment;
    readonly response: Response;
    readonly requestId: string | undefined;
    readonly mode: Mode | undefined;
    readonly attempts: number;
    readonly warnings: readonly Warning[];
  }>();
  expectTypeOf<Answered<Payment, 'live'>['mode']>().toEqualTypeOf<'live' | undefined>();
});

test('has no response of a wait, which is several calls', () => {
  expectTypeOf(live.payments.waitFor('pay_live_a')).toEqualTypeOf<Promise<Payment>>();
  // @ts-expect-error a wait is a promise alone
  void live.payments.waitFor('pay_live_a').withResponse();
});
