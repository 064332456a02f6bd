import { describe, expectTypeOf, it } from 'vitest';
import { type ClientOptions, createClient, type Fetch, type Warning } from '../src/index.ts';
import {
  createMemoryStore,
  createPayer,
  type IntentState,
  type IntentStore,
  type Payer,
} from '../src/entries/intents.ts';

const apiKey = 'service_test_abc';

describe('ClientOptions', () => {
  it('has exactly the documented options', () => {
    expectTypeOf<keyof ClientOptions>().toEqualTypeOf<
      | 'apiKey'
      | 'baseUrl'
      | 'fetch'
      | 'timeout'
      | 'totalTimeout'
      | 'maxRetries'
      | 'readLag'
      | 'idempotencyKeys'
      | 'keyRetention'
      | 'onRequest'
      | 'onResponse'
      | 'onRetry'
      | 'headers'
      | 'allowBrowser'
      | 'allowInsecureHttp'
      | 'onWarning'
    >();
  });

  it('accepts undefined for every option', () => {
    expectTypeOf<{ [Name in keyof ClientOptions]-?: undefined }>().toExtend<ClientOptions>();
  });

  it('accepts a fetch that takes a URL and options', () => {
    expectTypeOf<Parameters<Fetch>[1]['headers']>().toEqualTypeOf<Record<string, string>>();
    expectTypeOf<Awaited<ReturnType<Fetch>>['status']>().toEqualTypeOf<number>();
    expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>();
    // @ts-expect-error fetch returns a Response
    createClient({ apiKey, fetch: () => new Response('') });
  });

  it('accepts API keys as strings and as functions', () => {
    expectTypeOf<ClientOptions['apiKey']>().toEqualTypeOf<
      string | (() => string | Promise<string>) | undefined
    >();
    createClient({ apiKey: async () => apiKey });
    // @ts-expect-error an API key is a string
    createClient({ apiKey: 5 });
    // @ts-expect-error the function returns a string
    createClient({ apiKey: () => null });
  });

  it('reports warnings with documented codes', () => {
    expectTypeOf<Warning>().toEqualTypeOf<{
      readonly code:
        | 'deprecated'
        | 'inexact_money'
        | 'other_amount'
        | 'unreadable_row'
        | 'unclear_amount'
        | 'store_failed'
        | 'reference_conflict';
      readonly message: string;
    }>();
    createClient({ apiKey, onWarning: (warning) => expectTypeOf(warning).toEqualTypeOf<Warning>() });
  });
});

describe('createPayer', () => {
  it('accepts any store with compare-and-set', () => {
    const store = createMemoryStore();
    const client = createClient({ apiKey });
    expectTypeOf(store).toEqualTypeOf<IntentStore>();
    expectTypeOf(
      createPayer(client, { store: { ...store, swap: async () => 'done' } }),
    ).toEqualTypeOf<Payer>();
    expectTypeOf<IntentState>().toEqualTypeOf<
      'planned' | 'sending' | 'unknown' | 'created' | 'rejected' | 'abandoned'
    >();
    // @ts-expect-error swap is required
    createPayer(client, { store: { ...store, swap: undefined } });
    // @ts-expect-error swap returns a SwapResult
    createPayer(client, { store: { ...store, swap: async () => true } });
  });
});
