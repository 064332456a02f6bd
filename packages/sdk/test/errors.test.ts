import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as sdk from '../src/index.ts';
import { ServiceError, RateLimitError } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import { createStubClient, failedFetch, failure, json, payment, catchRejection } from './service.ts';

async function failed(response: Response): Promise<ServiceError> {
  const { client } = createStubClient([response], {}, createManualClock());
  const error = await catchRejection(client.payments.retrieve(payment.id));
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}

const byType: [number, string, string][] = [
  [401, 'authentication_error', 'AuthenticationError'],
  [403, 'permission_error', 'PermissionError'],
  [404, 'not_found', 'NotFoundError'],
  [422, 'validation_error', 'ValidationError'],
  [400, 'invalid_request_error', 'ValidationError'],
  [405, 'method_not_allowed', 'ValidationError'],
  [413, 'payload_too_large', 'ValidationError'],
  [415, 'unsupported_media_type', 'ValidationError'],
  [422, 'insufficient_funds', 'InsufficientFundsError'],
  [409, 'idempotency_error', 'IdempotencyError'],
  [422, 'idempotency_error', 'IdempotencyError'],
  [429, 'rate_limit_error', 'RateLimitError'],
  [500, 'server_error', 'ServerError'],
  [503, 'service_unavailable', 'ServerError'],
];

const byStatus: [number, string][] = [
  [400, 'ValidationError'],
  [401, 'AuthenticationError'],
  [403, 'PermissionError'],
  [404, 'NotFoundError'],
  [405, 'ValidationError'],
  [413, 'ValidationError'],
  [415, 'ValidationError'],
  [422, 'ValidationError'],
  [429, 'RateLimitError'],
  [500, 'ServerError'],
  [599, 'ServerError'],
  [402, 'ServiceError'],
  [408, 'ServiceError'],
  [409, 'ServiceError'],
  [425, 'ServiceError'],
];

describe.each(byStatus)(
  'an error of the service without a documented type, with status %i, is classified as %s',
  (status, name) => {
    const responses: [string, Response, string | undefined][] = [
      ['an unknown type', failure(status, 'brand_new'), 'brand_new'],
      ['the name of an inherited property', failure(status, 'constructor'), 'constructor'],
      ['a bare message', json({ message: 'No.' }, status), undefined],
      ['fields of other types', json({ error: { type: 5, message: {} } }, status), undefined],
      ['an array', json([], status), undefined],
      ['HTML', new Response('<h1>no</h1>', { status }), undefined],
      ['an empty body', new Response(null, { status }), undefined],
    ];
    it.each(responses)('for %s', async (_, response, type) => {
      expect(await failed(response.clone())).toMatchObject({ name, status, type, attempts: 1 });
    });
  },
);

describe('an error of the service', () => {
  it.each(byType)('with %i %s is classified as %s', async (status, type, name) => {
    const error = await failed(failure(status, type));
    expect(error).toMatchObject({ name, type, status, mode: 'test', requestId: 'req_1', attempts: 1 });
    expect(error.message).toBe(`It is ${type}.`);
    expect(error.raw).toEqual({ success: false, mode: 'test', error: { type, message: `It is ${type}.` } });
  });

  it('has the message of a body without an envelope', async () => {
    expect((await failed(json({ message: 'No such thing.' }, 404))).message).toBe('No such thing.');
  });
});

describe('UnreadableResponseError', () => {
  it.each([
    ['status 304', new Response(null, { status: 304 })],
    ['an empty body', new Response('')],
    ['an array', json([])],
    ['null', json(null)],
    ['success of another type', json({ success: 'true', data: {} })],
    ['data that is not an object', json({ success: true, data: [] })],
  ])('reports a response with %s', async (_, response) => {
    expect(await failed(response)).toMatchObject({ name: 'UnreadableResponseError', outcome: 'unknown' });
  });

  it('reports an opaque redirect of a browser, and a response that was redirected', async () => {
    const opaque = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
    });
    const good = json({ success: true, data: { balances: [] } });
    const redirected = Object.defineProperty(good, 'redirected', { value: true });
    for (const response of [opaque, redirected]) {
      const { client } = createStubClient([() => response]);
      expect(await catchRejection(client.balance.retrieve())).toMatchObject({
        name: 'UnreadableResponseError',
        message: expect.stringContaining('redirect') as unknown,
      });
    }
  });
});

describe('ConnectionError', () => {
  it.each([undefined, null, {}, { status: 200 }, Response.error()])(
    'reports a fetch that returns %o',
    async (response) => {
      const { client } = createStubClient([() => response as Response]);
      expect(await catchRejection(client.balance.retrieve())).toMatchObject({
        name: 'ConnectionError',
        outcome: 'unknown',
      });
    },
  );

  it.each([
    ['http://localhost:4010/secret-path/api/v1', 'http://localhost:4010'],
    ['https://api.example.com/api/v1', 'https://api.example.com'],
    ['http://[::1]:8080/api/v1', 'http://[::1]:8080'],
  ])('for %s has the scheme, host and port in its message and address', async (baseUrl, address) => {
    for (const [code, outcome] of [
      ['ECONNREFUSED', 'not_sent'],
      ['ECONNRESET', 'unknown'],
    ] as const) {
      const fetch = async (): Promise<never> => Promise.reject(failedFetch(code));
      const client = sdk.createClient({ apiKey: 'service_test_4f9c1d2e3b', baseUrl, fetch, maxRetries: 0 });
      const error = await catchRejection(client.transactions.list({ status: 'failed' }));
      expect(error).toMatchObject({ name: 'ConnectionError', outcome, address });
      expect((error as Error).message).toContain(` ${address} `);
      expect(`${JSON.stringify(error)} ${String(error)}`).not.toMatch(/secret-path|status=failed/);
    }
  });
});

const kinds = Object.entries(sdk).filter(([name]) => name.endsWith('Error') && !name.startsWith('is')) as [
  string,
  typeof ServiceError,
][];

describe.each(kinds)('%s', (name, Class) => {
  const facts = { phase: 'waiting', message: 'x' };
  const error = new (Class as unknown as new (...parts: unknown[]) => ServiceError)(
    ...(name === 'PaymentOutcomeUnknownError' ? [{ ...facts, sent: {} }] : ['x', {}]),
  );

  it('has a literal name and one base class, and is distinguished from every other class', () => {
    expect(error.name).toBe(name);
    expect(String(error)).toMatch(new RegExp(`^${name}: `));
    expect(error.stack).toMatch(new RegExp(`^${name}: `));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toBeInstanceOf(Class);
    expect({ name }).not.toBeInstanceOf(Class);
    const matching = kinds.filter(([, Other]) => error instanceof Other).map(([other]) => other);
    expect(new Set(matching)).toEqual(new Set([name, 'ServiceError']));
  });
});

describe('instanceof', () => {
  it('accepts errors of another realm and another copy, and nothing else', () => {
    const brand = Symbol.for('@service/sdk/error');
    const foreign = runInNewContext(
      'class E extends Error { get name() { return "NotFoundError" } }; E.prototype[brand] = true; new E("x")',
      { brand },
    );
    expect(foreign).not.toBeInstanceOf(Error);
    expect(foreign instanceof ServiceError).toBe(true);
    expect(foreign instanceof sdk.NotFoundError).toBe(true);
    expect(foreign instanceof RateLimitError).toBe(false);
    for (const value of [undefined, null, 5, 'NotFoundError', {}, new Error('x')]) {
      expect(value instanceof ServiceError).toBe(false);
    }
  });

  it('tells a class of the caller from its base class', () => {
    class TooMany extends RateLimitError {}
    expect(new TooMany('x')).toBeInstanceOf(RateLimitError);
    expect(new TooMany('x')).toBeInstanceOf(TooMany);
    expect(new RateLimitError('x')).not.toBeInstanceOf(TooMany);
  });
});

describe('ServiceError', () => {
  it('has a JSON form without raw, cause and stack', async () => {
    const error = await failed(failure(404, 'not_found'));
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'NotFoundError',
      message: 'It is not_found.',
      type: 'not_found',
      status: 404,
      mode: 'test',
      requestId: 'req_1',
      outcome: 'rejected',
      attempts: 1,
      docs: 'https://docs.example.com/payments-kit/sdk/errors#notfounderror',
    });
  });
});
