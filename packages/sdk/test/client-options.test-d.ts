import { expectTypeOf, test } from 'vitest';
import {
  type ClientOptions,
  createClient,
  createDuplicateGuard,
  createMemoryStore,
  type DuplicateGuard,
  type IntentState,
  type IntentStore,
  type Fetch,
  type Warning,
} from '../src/index.ts';

const apiKey = 'service_test_abc';

test('knows exactly the documented options', () => {
  expectTypeOf<keyof ClientOptions>().toEqualTypeOf<
    | 'apiKey'
    | 'auth'
    | 'baseUrl'
    | 'fetch'
    | 'timeout'
    | 'totalTimeout'
    | 'maxRetries'
    | 'readLag'
    | 'idempotencyKeys'
    | 'keyRetention'
    | 'serviceIdempotency'
    | 'maxDecimals'
    | 'duplicateGuard'
    | 'onRequest'
    | 'onResponse'
    | 'onRetry'
    | 'responseValidation'
    | 'responseSchemas'
    | 'logger'
    | 'logLevel'
    | 'headers'
    | 'allowBrowser'
    | 'allowInsecureHttp'
    | 'onWarning'
  >();
});

test('lets every option be undefined, as one that is only perhaps set', () => {
  expectTypeOf<{ [Name in keyof ClientOptions]-?: undefined }>().toExtend<ClientOptions>();
});

test('takes numbers as numbers', () => {
  expectTypeOf<ClientOptions['timeout']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<ClientOptions['totalTimeout']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<ClientOptions['maxRetries']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<ClientOptions['maxDecimals']>().toEqualTypeOf<number | undefined>();
  // @ts-expect-error decimals are counted
  createClient({ apiKey, maxDecimals: '3' });
  // @ts-expect-error milliseconds are a number
  createClient({ apiKey, timeout: '5s' });
  // @ts-expect-error retries are counted
  createClient({ apiKey, maxRetries: false });
});

test('says in words what to do with idempotency keys, and what the service does', () => {
  expectTypeOf<ClientOptions['idempotencyKeys']>().toEqualTypeOf<'send' | 'omit' | undefined>();
  expectTypeOf<ClientOptions['serviceIdempotency']>().toEqualTypeOf<
    'unknown' | 'replayed' | 'conflict' | 'ignored' | undefined
  >();
  expectTypeOf<ClientOptions['keyRetention']>().toEqualTypeOf<number | undefined>();
  // @ts-expect-error it has to be said in words
  createClient({ apiKey, idempotencyKeys: true });
});

test('says allowances as true or false', () => {
  expectTypeOf<ClientOptions['allowBrowser']>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<ClientOptions['allowInsecureHttp']>().toEqualTypeOf<boolean | undefined>();
  // @ts-expect-error it is no flag
  createClient({ apiKey, allowBrowser: 'yes' });
});

test('carries requests by what takes a Request', () => {
  expectTypeOf<Fetch>().toEqualTypeOf<(request: Request) => Promise<Response>>();
  expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>();
  // @ts-expect-error an answer is promised
  createClient({ apiKey, fetch: () => new Response('') });
});

test('gives headers as texts', () => {
  expectTypeOf<ClientOptions['headers']>().toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
  createClient({ apiKey, headers: { 'User-Agent': 'shop/1.0' } });
  // @ts-expect-error a header is text
  createClient({ apiKey, headers: { 'X-Version': 1 } });
});

test('gives keys as text or functions of it', () => {
  expectTypeOf<ClientOptions['apiKey']>().toEqualTypeOf<
    string | (() => string | Promise<string>) | undefined
  >();
  createClient({ apiKey: async () => apiKey });
  // @ts-expect-error a key is text
  createClient({ apiKey: 5 });
  // @ts-expect-error a function gives text
  createClient({ apiKey: () => null });
});

test('tells warnings by documented codes', () => {
  expectTypeOf<Warning>().toEqualTypeOf<{
    readonly code:
      | 'deprecated'
      | 'inexact_money'
      | 'other_amount'
      | 'unexpected_answer'
      | 'list_cut_short'
      | 'unreadable_row'
      | 'guard_failed'
      | 'guard_conflict';
    readonly message: string;
  }>();
  createClient({ apiKey, onWarning: (warning) => expectTypeOf(warning).toEqualTypeOf<Warning>() });
});

test('takes a guard that was made over a store', () => {
  expectTypeOf(createMemoryStore()).toEqualTypeOf<IntentStore>();
  expectTypeOf(createDuplicateGuard(createMemoryStore())).toEqualTypeOf<DuplicateGuard>();
  createClient({ apiKey, duplicateGuard: createDuplicateGuard(createMemoryStore()) });
  // @ts-expect-error a store is not yet a guard
  createClient({ apiKey, duplicateGuard: createMemoryStore() });
});

test('takes any store with compare-and-set', () => {
  const store = createMemoryStore();
  createDuplicateGuard({ ...store, swap: async () => 'done' });
  expectTypeOf<IntentState>().toEqualTypeOf<
    'planned' | 'sending' | 'unknown' | 'created' | 'rejected' | 'abandoned'
  >();
  // @ts-expect-error a store also swaps
  createDuplicateGuard({ ...store, swap: undefined });
  // @ts-expect-error a swap answers in words
  createDuplicateGuard({ ...store, swap: async () => true });
});
