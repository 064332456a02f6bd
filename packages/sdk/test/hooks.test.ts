import { describe, expect, it } from 'vitest';
import type { Client } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import {
  createStubClient,
  payment,
  paymentInput,
  catchRefusal,
  catchRejection,
  success,
  testKey,
} from './service.ts';

const balance = { balances: [] };

describe('the hooks of a client', () => {
  it('receive each request and response without the API key, and may add headers', async () => {
    const seen: unknown[] = [];
    const { client, requests } = createStubClient([new Response(null, { status: 503 }), success(balance)], {
      maxRetries: 1,
      onRequest: ({ headers, ...facts }: { headers: Headers }) => {
        seen.push(['request', facts, headers.get('authorization')]);
        headers.set('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
        headers.set('authorization', 'Bearer mine');
      },
      onResponse: ({ status, attempt, requestId }: Record<string, unknown>) =>
        seen.push(['response', status, attempt, requestId]),
    });
    await client.balance.retrieve();
    const url = 'http://localhost:4010/api/v1/balance';
    const facts = { operation: 'getBalance', method: 'GET', url };
    expect(seen).toEqual([
      ['request', { ...facts, attempt: 1 }, null],
      ['response', 503, 1, undefined],
      ['request', { ...facts, attempt: 2 }, null],
      ['response', 200, 2, 'req_1'],
    ]);
    expect(requests[1]?.headers.get('traceparent')).toContain('0af7651916cd43dd8448eb211c80319c');
    expect(requests[1]?.headers.get('authorization')).toBe(`Bearer ${testKey}`);
  });

  it('reject the call without a request if onRequest throws', async () => {
    const onRequest = (): never => {
      throw new Error(`no ${testKey}`);
    };
    const error = await catchRefusal(({ payments }) => payments.create(paymentInput), { onRequest });
    expect(error).toMatchObject({ name: 'ConfigurationError', message: 'The onRequest hook failed.' });
    expect(String(error.cause)).not.toContain(testKey);
  });

  it('leave the outcome of a create unknown, with its id, if onResponse throws', async () => {
    const onResponse = async (): Promise<never> => Promise.reject(new Error('metrics are down'));
    const { client, requests } = createStubClient([success(payment, 201)], { onResponse, maxRetries: 2 });
    expect(await catchRejection(client.payments.create(paymentInput))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      paymentId: payment.id,
      cause: { name: 'ConfigurationError', cause: { message: 'metrics are down' } },
    });
    expect(requests).toHaveLength(1);
  });

  it('are ended by the timeout if onRequest hangs', async () => {
    const clock = createManualClock();
    const onRequest = (): Promise<void> => new Promise(() => {});
    const { client } = createStubClient([success(balance)], { onRequest }, clock);
    const failed = catchRejection(client.balance.retrieve());
    await clock.advance(30_000);
    expect(await failed).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
  });
});

describe('a warning', () => {
  it('reports a payment with another amount than the one sent', async () => {
    const { client } = createStubClient([success({ ...payment, send_amount: 100.01 }, 201)], {
      onWarning: () => {},
    });
    const { data, warnings } = await client.payments.create(paymentInput).withResponse();
    expect(data.send_amount).toBe(100.01);
    expect(warnings).toEqual([
      {
        code: 'other_amount',
        message: 'The service changed the amount: 100.00 was sent, and it used 100.01.',
      },
    ]);
  });

  it('is emitted by the process if nothing receives it', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', onWarning);
    const others = process.listeners('warning').filter((one) => one !== onWarning);
    for (const other of others) process.off('warning', other);
    const { client } = createStubClient([success({ ...payment, send_amount: 1 }, 201)], {
      onWarning: undefined,
    });
    await client.payments.create(paymentInput);
    await expect.poll(() => warnings).toMatchObject([{ name: 'ServiceWarning', code: 'other_amount' }]);
    process.off('warning', onWarning);
    for (const other of others) process.on('warning', other);
  });
});

describe('the control flow of a framework', () => {
  const digest = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' });
  const fail = (): never => {
    throw digest;
  };
  const retried = { maxRetries: 2 };

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['a read', ({ balance: { retrieve } }) => retrieve()],
    ['a quote', ({ quotes }) => quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: '1' })],
    ['a list', ({ transactions }) => transactions.list()],
    ['waitFor', ({ payments }) => payments.waitFor(payment.id)],
    ['reconcile', ({ payments }) => payments.reconcile({ ...paymentInput, since: new Date() })],
  ])('passes unchanged through %s, without a retry', async (_, call) => {
    const { client, requests } = createStubClient([digest], retried);
    expect(await catchRejection(call(client))).toBe(digest);
    expect(requests).toHaveLength(1);
  });

  it('is the cause of the unknown outcome of a create', async () => {
    const { client, requests } = createStubClient([digest], retried);
    const error = await catchRejection(client.payments.create(paymentInput));
    expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', phase: 'waiting', outcome: 'unknown' });
    expect((error as Error).cause).toBe(digest);
    expect(requests).toHaveLength(1);
  });

  it('passes unchanged through a create that was not sent', async () => {
    const refusal = Object.assign(new Error('Dynamic server usage', { cause: { code: 'ECONNREFUSED' } }), {
      digest: 'DYNAMIC_SERVER_USAGE',
    });
    const { client, requests } = createStubClient([refusal], retried);
    expect(await catchRejection(client.payments.create(paymentInput))).toBe(refusal);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['the apiKey function', { apiKey: fail }],
    ['the onRequest hook', { onRequest: fail }],
  ])('passes unchanged from %s', async (_, options) => {
    const { client, requests } = createStubClient([success(balance)], { ...retried, ...options });
    expect(await catchRejection(client.balance.retrieve())).toBe(digest);
    expect(await catchRejection(client.payments.create(paymentInput))).toBe(digest);
    expect(requests).toHaveLength(0);
  });

  it('from the onResponse hook leaves the outcome of a create unknown', async () => {
    const { client } = createStubClient([success(payment, 201)], { ...retried, onResponse: fail });
    expect(await catchRejection(client.balance.retrieve())).toBe(digest);
    expect(await catchRejection(client.payments.create(paymentInput))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      cause: digest,
    });
  });
});
