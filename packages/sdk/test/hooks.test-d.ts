import { describe, expectTypeOf, it } from 'vitest';
import type { OperationId } from '@service/contract';
import { createClient, type RequestFacts, type ServiceError } from '../src/index.ts';

type Operation = RequestFacts['operation'];

const apiKey = 'service_test_abc';

describe('onRequest', () => {
  it('receives a request and may add headers', () => {
    createClient({
      apiKey,
      onRequest: (request) => {
        expectTypeOf(request).toEqualTypeOf<RequestFacts & { readonly headers: Headers }>();
        expectTypeOf<RequestFacts>().toEqualTypeOf<{
          readonly operation: Operation;
          readonly method: string;
          readonly url: string;
          readonly attempt: number;
        }>();
        // @ts-expect-error the URL is read-only
        request.url = 'https://elsewhere.example.test';
        // @ts-expect-error the body is not available
        void request.body;
      },
    });
  });
});

describe('onResponse', () => {
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

describe('onRetry', () => {
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

describe('the operation of a request', () => {
  it('is one of the operations of the contract', () => {
    expectTypeOf<Operation>().toEqualTypeOf<OperationId | 'api'>();
  });
});
