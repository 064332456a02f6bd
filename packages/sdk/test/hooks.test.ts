import { describe, expect, test, vi } from 'vitest';
import { createManualClock } from './manual-clock.ts';
import { clientAnswering, failure, payment, paymentInput, rejection, success, testKey } from './service.ts';

const balance = { balances: [] };

describe('hooks', () => {
  test('see each request and answer, without the key, and may add headers', async () => {
    const seen: unknown[] = [];
    const { service, requests } = clientAnswering([new Response(null, { status: 503 }), success(balance)], {
      maxRetries: 1,
      onRequest: ({ headers, ...facts }: { headers: Headers }) => {
        seen.push(['request', facts, headers.get('authorization')]);
        headers.set('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
        headers.set('authorization', 'Bearer mine');
      },
      onResponse: ({ status, attempt, requestId }: Record<string, unknown>) =>
        seen.push(['response', status, attempt, requestId]),
      onRetry: ({ attempt, error, delay }: { attempt: number; error: Error; delay: number }) =>
        seen.push(['retry', attempt, error.name, typeof delay]),
    });
    await service.balance.retrieve();
    const url = 'http://localhost:4010/api/v1/balance';
    const facts = { operation: 'getBalance', method: 'GET', url };
    expect(seen).toEqual([
      ['request', { ...facts, attempt: 1 }, null],
      ['response', 503, 1, undefined],
      ['retry', 1, 'ServerError', 'number'],
      ['request', { ...facts, attempt: 2 }, null],
      ['response', 200, 2, 'req_1'],
    ]);
    expect(requests[1]?.headers.get('traceparent')).toContain('0af7651916cd43dd8448eb211c80319c');
    expect(requests[1]?.headers.get('authorization')).toBe(`Bearer ${testKey}`);
  });

  test('that throw before the request reject the call, and nothing is sent', async () => {
    const onRequest = (): never => {
      throw new Error(`no ${testKey}`);
    };
    const { service, requests } = clientAnswering([success(payment)], { onRequest });
    const error = await rejection(service.payments.create(paymentInput));
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'not_sent',
      message: 'The onRequest hook failed.',
    });
    expect(String((error as Error).cause)).not.toContain(testKey);
    expect(requests).toHaveLength(0);
  });

  test('that throw after a create leave it in doubt, with the id that came', async () => {
    const onResponse = async (): Promise<never> => Promise.reject(new Error('metrics are down'));
    const { service, requests } = clientAnswering([success(payment, 201)], { onResponse, maxRetries: 2 });
    expect(await rejection(service.payments.create(paymentInput))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      salvagedId: payment.id,
      cause: { name: 'ConfigurationError', cause: { message: 'metrics are down' } },
    });
    expect(requests).toHaveLength(1);
  });

  test('that throw at a retry end the call', async () => {
    const onRetry = (): never => {
      throw new Error('enough');
    };
    const { service, requests } = clientAnswering([new Response(null, { status: 503 })], {
      onRetry,
      maxRetries: 2,
    });
    expect(await rejection(service.balance.retrieve())).toMatchObject({ cause: { message: 'enough' } });
    expect(requests).toHaveLength(1);
  });

  test('that hang at a retry are ended by the signal, and by the time of the call', async () => {
    const clock = createManualClock();
    const onRetry = (): Promise<void> => new Promise(() => {});
    const options = { onRetry, maxRetries: 2, totalTimeout: 5_000 };
    const { service } = clientAnswering([new Response(null, { status: 503 })], options, clock);
    const controller = new AbortController();
    const aborted = rejection(service.balance.retrieve({ signal: controller.signal }));
    const late = rejection(service.balance.retrieve());
    await clock.advance(1);
    controller.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError' });
    await clock.advance(5_000);
    expect(await late).toMatchObject({ name: 'ServerError', status: 503 });
    expect(clock.pending()).toBe(0);
  });

  test('that hang are ended by the timeout', async () => {
    const clock = createManualClock();
    const onRequest = (): Promise<void> => new Promise(() => {});
    const { service } = clientAnswering([success(balance)], { onRequest }, clock);
    const failed = rejection(service.balance.retrieve());
    await clock.advance(30_000);
    expect(await failed).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
  });

  test('hear of calls on the client beneath as well', async () => {
    const onRequest = vi.fn<(facts: { operation: string }) => void>();
    const { service } = clientAnswering([success(balance)], { onRequest });
    await service.api.GET('/balance');
    expect(onRequest.mock.calls[0]?.[0]).toMatchObject({ operation: 'api', method: 'GET', attempt: 1 });
  });
});

describe('the log', () => {
  const listen = (): { lines: string[]; logger: object } => {
    const lines: string[] = [];
    const write = (level: string) => (message: string, fields: object) =>
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const [debug, info, warn, error] = ['debug', 'info', 'warn', 'error'].map(write);
    return { lines, logger: { debug, info, warn, error } };
  };

  test('is silent unless told otherwise', async () => {
    const { lines, logger } = listen();
    const { service } = clientAnswering([failure(500, 'server_error')], { logger });
    await rejection(service.payments.create(paymentInput));
    expect(lines).toEqual([]);
  });

  test('tells of requests, answers and retries, and never who is paid or with what key', async () => {
    const { lines, logger } = listen();
    const { service } = clientAnswering(
      [failure(429, 'rate_limit_error', { 'retry-after': '0' }), success(payment, 201)],
      {
        logger,
        logLevel: 'debug',
        maxRetries: 1,
      },
    );
    await service.payments.create(paymentInput);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['debug', 'info', 'warn', 'debug', 'info']);
    expect(lines.join()).toContain('"purpose":"INV-42"');
    expect(lines.join()).toContain('"beneficiary_account":"[masked]"');
    expect(lines.join()).not.toMatch(/Acme|DE89/);
    expect(lines.join()).not.toContain(testKey);
  });

  test('may fail without failing a call', async () => {
    const logger = new Proxy({}, { get: () => () => expect.fail('the log is full') });
    const { service } = clientAnswering([success(payment, 201)], { logger, logLevel: 'debug' });
    expect(await service.payments.create(paymentInput)).toEqual(payment);
  });
});

describe('a warning', () => {
  test('tells of a payment that was taken with another amount', async () => {
    const { service } = clientAnswering([success({ ...payment, send_amount: 100.01 }, 201)], {
      logLevel: 'off',
    });
    const { data, warnings } = await service.payments.create(paymentInput).withResponse();
    expect(data.send_amount).toBe(100.01);
    expect(warnings).toEqual([
      { code: 'other_amount', message: 'The service took the amount as 100.01; it was sent as 100.00.' },
    ]);
  });

  test('goes to the process where nobody was named to hear it', async () => {
    const heard: Error[] = [];
    const hear = (warning: Error): unknown => heard.push(warning);
    process.on('warning', hear);
    const others = process.listeners('warning').filter((one) => one !== hear);
    for (const other of others) process.off('warning', other);
    const { service } = clientAnswering([success({ ...payment, send_amount: 1 }, 201)], {
      onWarning: undefined,
    });
    await service.payments.create(paymentInput);
    await expect.poll(() => heard).toMatchObject([{ name: 'ServiceWarning', code: 'other_amount' }]);
    process.off('warning', hear);
    for (const other of others) process.on('warning', other);
  });
});

describe('maxDecimals', () => {
  test('lets finer amounts through where the caller says so', async () => {
    const { service, requests } = clientAnswering([success({ ...payment, send_amount: 1.005 }, 201)], {
      maxDecimals: 3,
    });
    await service.payments.create({ ...paymentInput, amount: '1.005' });
    expect(await requests[0]?.text()).toContain('"amount":1.005,');
    const error = await rejection(service.payments.create({ ...paymentInput, amount: '1.0005' }));
    expect(String(error)).toContain('at most 3 decimals');
  });
});

describe('notify', () => {
  const at = (status: string): Response => success({ ...payment, status });

  test('has a waiter look at once', async () => {
    const clock = createManualClock();
    const { service, requests } = clientAnswering([at('pending'), at('completed')], {}, clock);
    const waiting = service.payments.waitFor(payment.id, { pollInterval: 60_000, timeout: 600_000 });
    await clock.advance(1_000);
    service.payments.notify({ data: { id: 'pay_test_another' } });
    await clock.advance(1_000);
    expect(requests).toHaveLength(1);
    service.payments.notify({ data: { id: payment.id } });
    expect(await waiting).toMatchObject({ status: 'completed' });
    expect([requests.length, clock.now(), clock.pending()]).toEqual([2, 2_000, 0]);
  });

  test('during a look has the waiter look again', async () => {
    const clock = createManualClock();
    let answer: (response: Response) => void = () => {};
    const first = (): Promise<Response> => new Promise((resolve) => (answer = resolve));
    const { service } = clientAnswering([first, at('failed')], {}, clock);
    const waiting = service.payments.waitFor(payment.id, { pollInterval: 60_000, timeout: 600_000 });
    await clock.advance(1);
    service.payments.notify({ data: { id: payment.id } });
    answer(at('pending'));
    expect(await waiting).toMatchObject({ status: 'failed' });
    expect(clock.now()).toBe(1);
  });

  test('bears what is no news', () => {
    const { service } = clientAnswering([at('pending')]);
    for (const news of [undefined, {}, { data: null }]) {
      expect(() => service.payments.notify(news as never)).not.toThrow();
    }
  });
});
