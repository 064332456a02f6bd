import { expect } from 'vitest';
import { AuthenticationError, NotFoundError, PermissionError } from '@service/sdk';
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
];
