import { describe, expectTypeOf, it } from 'vitest';
import type { Operation } from '../src/options.ts';
import { createClient, type ServiceError } from '../src/index.ts';

const apiKey = 'service_test_abc';

describe('RequestHook', () => {
  it('receives a request and may add headers', () => {
    createClient({
      apiKey,
      onRequest: (request) => {
        expectTypeOf(request).toEqualTypeOf<
          {
            readonly operation: Operation;
            readonly method: string;
            readonly url: string;
            readonly attempt: number;
          } & { readonly headers: Headers }
        >();
        // @ts-expect-error the URL is read-only
        request.url = 'https://elsewhere.example.test';
        // @ts-expect-error the body is not available
        void request.body;
      },
    });
  });
});

describe('ResponseHook', () => {
  it('receives a response', () => {
    createClient({
      apiKey,
      onResponse: ({ operation, status, duration, requestId, headers }) => {
        expectTypeOf(operation).toEqualTypeOf<Operation>();
        expectTypeOf(status).toEqualTypeOf<number>();
        expectTypeOf(duration).toEqualTypeOf<number>();
        expectTypeOf(requestId).toEqualTypeOf<string | undefined>();
        expectTypeOf(headers).toEqualTypeOf<Headers>();
      },
    });
  });
});

describe('RetryHook', () => {
  it('receives the error and the delay', () => {
    createClient({
      apiKey,
      onRetry: async ({ operation, attempt, error, delay }) => {
        expectTypeOf(operation).toEqualTypeOf<Operation>();
        expectTypeOf(attempt).toEqualTypeOf<number>();
        expectTypeOf(error).toEqualTypeOf<ServiceError>();
        expectTypeOf(delay).toEqualTypeOf<number>();
      },
    });
  });
});

describe('Operation', () => {
  it('lists the operations of the contract', () => {
    expectTypeOf<Operation>().toEqualTypeOf<
      'createQuote' | 'createPayment' | 'getPayment' | 'getBalance' | 'listTransactions' | 'api'
    >();
  });
});
