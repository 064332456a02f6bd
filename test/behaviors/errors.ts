import { expect } from 'vitest';
import {
  AuthenticationError,
  ModeMismatchError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from '@service/sdk';
import { type Behavior, errorOf, exchange, isTyped, order, outcomeOf, expectedRejection } from './context.ts';

const unknownId = `pay_test_${'0'.repeat(24)}`;

/** Behaviors with error responses and failures. */
export const errors: readonly Behavior[] = [
  {
    name: 'an unknown API key gives AuthenticationError without the key',
    async run({ open, profile }) {
      const error = await errorOf(open({ apiKey: 'service_test_unknownkey0001' }).balance.retrieve());
      expect(error instanceof AuthenticationError).toBe(true);
      expect(error).toMatchObject({
        status: 401,
        outcome: outcomeOf(profile, 'authentication'),
        attempts: 1,
      });
      expect(JSON.stringify(error)).not.toContain('unknownkey0001');
    },
  },
  {
    name: 'a function as apiKey is called for each request',
    async run({ open, mock }) {
      let apiKey = mock.account.testKey;
      const service = open({ apiKey: async () => apiKey });
      await service.balance.retrieve();
      apiKey = mock.sandbox.accounts.create({}).testKey;
      const { balances } = await service.balance.retrieve();
      expect(balances.length).toBeGreaterThan(0);
    },
  },
  {
    name: 'the API key is sent as a bearer token',
    async run({ open, fetch: originalFetch }) {
      const headers: (readonly [boolean, boolean])[] = [];
      const fetch = async (request: Request): Promise<Response> => {
        headers.push([request.headers.has('authorization'), request.headers.has('x-api-key')]);
        return originalFetch(request);
      };
      await open({ fetch }).balance.retrieve();
      expect(headers).toEqual([[true, false]]);
    },
  },
  {
    name: 'an unknown payment gives NotFoundError',
    async run({ service, profile }) {
      const error = await errorOf(service.payments.retrieve(unknownId));
      expect(error instanceof NotFoundError).toBe(true);
      expect(error).toMatchObject({
        status: 404,
        outcome: outcomeOf(profile, 'unknown_payment'),
        type: isTyped(profile, 'unknown_payment') ? 'not_found' : undefined,
        attempts: 1,
      });
    },
  },
  {
    name: 'a payment of another account gives PermissionError or NotFoundError',
    async run({ open, service, mock, profile }) {
      const { id } = await service.payments.create(order);
      const other = open({ apiKey: mock.sandbox.accounts.create({}).testKey });
      const error = await errorOf(other.payments.retrieve(id));
      const isForbidden = profile.refusals.foreign_payment?.status === 403;
      expect([error instanceof PermissionError, error instanceof NotFoundError]).toEqual([
        isForbidden,
        !isForbidden,
      ]);
    },
  },
  {
    name: 'a suspended account gets PermissionError',
    async run({ service, mock, profile, posts }) {
      mock.sandbox.accounts.suspend();
      expect((await errorOf(service.balance.retrieve())) instanceof PermissionError).toBe(true);
      // The mock refuses it as it does payments of other accounts.
      expect(await errorOf(service.payments.create(order))).toMatchObject(
        expectedRejection(profile, { name: 'PermissionError', status: 403 }, 'unknown_payment'),
      );
      expect(posts()).toBe(1);
    },
  },
  {
    name: 'reads are sent up to three times after 429 and 5xx',
    async run({ service, mock }) {
      for (const status of [429, 500, 502, 503, 504]) {
        mock.sandbox.faults.inject({
          operation: 'getBalance',
          kind: 'status',
          status,
          retryAfter: 0,
          times: 2,
        });
        const { attempts } = await service.balance.retrieve().withResponse();
        expect({ status, attempts }).toEqual({ status, attempts: 3 });
      }
    },
  },
  {
    name: 'reads reject with the last error after three attempts',
    async run({ service, mock }) {
      const fail = (status: number): unknown =>
        mock.sandbox.faults.inject({
          operation: 'getBalance',
          kind: 'status',
          status,
          retryAfter: 0,
          times: 3,
        });
      fail(503);
      const failed = await errorOf(service.balance.retrieve());
      expect([failed instanceof ServerError, failed.attempts, failed.outcome]).toEqual([true, 3, 'unknown']);
      fail(429);
      const limited = await errorOf(service.balance.retrieve());
      expect([limited instanceof RateLimitError, limited.attempts]).toEqual([true, 3]);
    },
  },
  {
    name: 'RateLimitError has the Retry-After of the service',
    async run({ service, mock, profile, posts }) {
      mock.sandbox.profile.set({ rateLimit: { requests: 1, window: '30s' } });
      await service.balance.retrieve();
      const error = await errorOf(service.payments.create(order, { maxRetries: 0 }));
      expect(error).toMatchObject(
        expectedRejection(profile, { name: 'RateLimitError', status: 429 }, 'rate_limit'),
      );
      expect(error.retryDelay).toBe(30_000);
      expect(posts()).toBe(1);
    },
  },
  {
    name: 'a Retry-After beyond the timeout is not waited for',
    async run({ service, mock }) {
      mock.sandbox.faults.inject({ operation: 'getBalance', kind: 'rate_limit', retryAfter: 3_600 });
      expect(await errorOf(service.balance.retrieve())).toMatchObject({
        name: 'RateLimitError',
        retryDelay: 3_600_000,
        attempts: 1,
      });
    },
  },
  {
    name: 'redirects are not followed',
    async run({ open, profile, posts, fetch: originalFetch }) {
      const fetch = async (request: Request): Promise<Response> =>
        originalFetch(new Request(`${request.url}/`, request));
      const service = open({ fetch });
      const { similar } = profile.paths;
      if (similar === 'lenient') {
        expect((await service.balance.retrieve()).balances.length).toBeGreaterThan(0);
        return;
      }
      const isRedirect = similar === 'redirect';
      expect(await errorOf(service.balance.retrieve())).toMatchObject({
        name: isRedirect ? 'UnreadableResponseError' : 'NotFoundError',
        attempts: 1,
      });
      const error = await errorOf(service.payments.create(order));
      if (isRedirect) expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', attempts: 1 });
      else
        expect(error).toMatchObject(
          expectedRejection(profile, { name: 'NotFoundError', status: 404 }, 'unknown_path'),
        );
      expect(posts()).toBe(0);
    },
  },
  {
    name: 'a request body damaged in flight gives ValidationError without a retry',
    async run({ open, profile, fetch: originalFetch }) {
      const fetch = async (request: Request): Promise<Response> => {
        const { url, method, headers } = request;
        const body = (await request.text()).slice(0, -1);
        return originalFetch(new Request(url, { method, headers, body }));
      };
      const { malformed } = profile.requestBody;
      const { status = 400 } = profile.refusals.malformed_body ?? {};
      const error = await errorOf(open({ fetch }).quotes.create(exchange));
      // A body that is read as an empty object lacks its fields.
      const expected = malformed === 'empty' ? {} : { status };
      expect(error).toMatchObject({ name: 'ValidationError', ...expected, attempts: 1 });
    },
  },
  {
    name: 'a response of the other mode gives ModeMismatchError',
    async run({ open, mock, fetch: originalFetch }) {
      const fetch = async (request: Request): Promise<Response> => {
        const headers = new Headers(request.headers);
        headers.set('authorization', `Bearer ${mock.account.liveKey}`);
        return originalFetch(new Request(request, { headers }));
      };
      const service = open({ fetch });
      const error = await errorOf(service.balance.retrieve());
      expect([error instanceof ModeMismatchError, error.attempts]).toEqual([true, 1]);
    },
  },
];
