import { expectTypeOf, test } from 'vitest';
import {
  createClient,
  type Hooks,
  type Logger,
  type LogLevel,
  type Operation,
  type ServiceError,
} from '../src/index.ts';

const apiKey = 'service_test_abc';

test('tell of a request, and let headers be added', () => {
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
      // @ts-expect-error where it goes is settled
      request.url = 'https://elsewhere.example.test';
      // @ts-expect-error the body is not shown
      void request.body;
    },
  });
});

test('tell of an answer', () => {
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

test('tell of a retry', () => {
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

test('know the operations of the contract', () => {
  expectTypeOf<Operation>().toEqualTypeOf<
    'createQuote' | 'createPayment' | 'getPayment' | 'getBalance' | 'listTransactions' | 'api'
  >();
});

test('are three', () => {
  expectTypeOf<keyof Hooks>().toEqualTypeOf<'onRequest' | 'onResponse' | 'onRetry'>();
  // @ts-expect-error it is onRequest
  createClient({ apiKey, onrequest: () => {} });
});

test('take a log with four levels', () => {
  expectTypeOf<LogLevel>().toEqualTypeOf<'off' | 'error' | 'warn' | 'info' | 'debug'>();
  expectTypeOf<keyof Logger>().toEqualTypeOf<'error' | 'warn' | 'info' | 'debug'>();
  expectTypeOf<Console>().toExtend<Logger>();
  // @ts-expect-error it cannot warn
  createClient({ apiKey, logger: { error: () => {}, info: () => {}, debug: () => {} } });
  // @ts-expect-error there is no such level
  createClient({ apiKey, logLevel: 'trace' });
});
