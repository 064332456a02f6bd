// Regression tests: faulty environments and dependencies that once broke a guarantee of the client.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createManualClock } from './manual-clock.ts';
import {
  createStubClient,
  failure,
  json,
  payment,
  paymentInput,
  polluteObjectPrototype,
  catchRejection,
  expectRefused,
  success,
  testKey,
} from './service.ts';

describe('payments.create', () => {
  it.each([{ code: 'ECONNREFUSED' }, { syscall: 'connect' }])(
    'sends one request if a polluted prototype adds %o to every failure',
    async (fields) => {
      const { client, requests } = createStubClient([new Error('reset')], { maxRetries: 2 });
      polluteObjectPrototype(fields);
      const error = await catchRejection(client.payments.create(paymentInput));
      expect(error).toMatchObject({ outcome: 'unknown' });
      expect(requests).toHaveLength(1);
    },
  );

  it('keeps one idempotency key and its own headers, whatever a hook sets', async () => {
    const clock = createManualClock();
    let count = 0;
    const onRequest = ({ headers }: { headers: Headers }): void => {
      headers.set('idempotency-key', `mine-${(count += 1)}`);
      headers.set('content-length', '3');
      headers.set('content-type', 'text/plain');
      headers.set('x-trace', `trace-${count}`);
    };
    const options = {
      keyRetention: 86_400_000,
      maxRetries: 2,
      onRequest,
    };
    const { client, requests } = createStubClient([failure(503, 'x'), success(payment, 201)], options, clock);
    const made = client.payments.create(paymentInput);
    await clock.advance(60_000);
    await made;
    expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['unique-1', 'unique-1']);
    expect(requests.map(({ headers }) => headers.get('content-type'))).toEqual(
      Array(2).fill('application/json'),
    );
    expect(requests.map(({ headers }) => headers.get('x-trace'))).toEqual(['trace-1', 'trace-2']);
  });

  it('names the missing Web Crypto, which generates idempotency keys', async () => {
    vi.stubGlobal('crypto', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    const { client, requests } = createStubClient([success(payment, 201)]);
    const error = await catchRejection(client.payments.create(paymentInput));
    expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
    expect(String(error)).toContain("idempotencyKeys: 'omit'");
    expect(requests).toHaveLength(0);
    await client.payments.create(paymentInput, { idempotencyKey: 'order-42' });
    expect(requests).toHaveLength(1);
  });
});

describe('a call', () => {
  it('runs no hooks after a timeout before its request', async () => {
    const clock = createManualClock();
    const onRequest = vi.fn<() => void>();
    let giveKey: ((key: string) => void) | undefined;
    const apiKey = (): Promise<string> => new Promise((resolve) => (giveKey = resolve));
    const options = { apiKey, onRequest, timeout: 100 };
    const { client, requests } = createStubClient([success(payment)], options, clock);
    const failed = catchRejection(client.balance.retrieve());
    await clock.advance(100);
    expect(await failed).toMatchObject({
      name: 'TimeoutError',
      outcome: 'not_sent',
      attempts: 0,
      message: expect.stringContaining('nothing was sent') as unknown,
    });
    giveKey?.(testKey);
    await clock.advance(0);
    expect(requests).toHaveLength(0);
    expect(onRequest).not.toHaveBeenCalled();
  });
});

describe('an API key', () => {
  const key = 'service_test_ab.cd/EF+TAIL==';

  it('is removed from the cause of a failed apiKey function and from option names', async () => {
    const apiKey = (): never => {
      throw new Error(`cannot use ${key}`);
    };
    const { client } = createStubClient([], { apiKey });
    const error = (await catchRejection(client.balance.retrieve())) as Error;
    expect(String(error.cause)).not.toContain('TAIL');
    expect(() => createStubClient([], { [key]: true })).toThrow(expect.not.stringContaining('TAIL'));
  });

  it('is removed from a request id', async () => {
    const respond = (): Response => json({ error: {} }, 404, { 'x-request-id': `req ${testKey}` });
    const { client } = createStubClient([respond]);
    expect(JSON.stringify(await catchRejection(client.balance.retrieve()))).not.toContain(testKey);
  });
});

describe('listeners of a client', () => {
  it('may reject without ending the process', async () => {
    const failing = (): Promise<never> => Promise.reject(new Error('no'));
    const { client } = createStubClient([success({ ...payment, send_amount: 100.01 }, 201)], {
      onWarning: failing,
    });
    expect(await client.payments.create(paymentInput)).toMatchObject({ id: payment.id });
  });
});

describe('a response of more than 8 MiB', () => {
  it('is rejected in a runtime without streams', async () => {
    const big = success({ balances: [], filler: 'x'.repeat(9 * 1024 * 1024) });
    const { client } = createStubClient([() => Object.defineProperty(big, 'body', { value: undefined })]);
    expect(await catchRejection(client.balance.retrieve())).toMatchObject({
      name: 'UnreadableResponseError',
    });
  });
});

describe('a rejection of a create', () => {
  it.each(['idempoten', 'idempoten_a', 'other ', 'A '])('is read quickly if it repeats %o', async (word) => {
    const message = word.repeat(50_000);
    const { client } = createStubClient([
      json({ success: false, error: { type: 'validation_error', message } }, 422),
    ]);
    const error = await catchRejection(client.payments.create(paymentInput));
    expect(error).toMatchObject({ name: 'ValidationError', outcome: 'rejected' });
  });
});

describe('a 404 response', () => {
  it('suggests a check of baseUrl for a path, and not for a payment', async () => {
    const { client } = createStubClient([failure(404, 'not_found')]);
    const asked = [
      client.balance.retrieve(),
      client.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 }),
    ];
    for (const call of asked)
      expect(String(await catchRejection(call))).toMatch(/[^.]\. Check that baseUrl is right/);
    expect(String(await catchRejection(client.payments.retrieve(payment.id)))).not.toContain('baseUrl');
  });
});

describe('an error of another realm', () => {
  it('is kept as the cause', async () => {
    const foreign = Object.assign(Object.create(null) as object, {
      message: 'socket hang up',
      code: 'ECONNRESET',
    });
    Object.defineProperty(foreign, Symbol.toStringTag, { value: 'Error' });
    const { client } = createStubClient([
      () => {
        throw foreign as unknown as Error;
      },
    ]);
    expect(await catchRejection(client.balance.retrieve())).toMatchObject({ cause: { code: 'ECONNRESET' } });
  });
});

describe('payments.reconcile', () => {
  it('rejects invalid input before sending', async () => {
    const intent = {
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: 100,
      purpose: 'a',
      since: '2026-01-01T00:00:00Z',
    };
    const changes = [
      [null, 'The argument of reconcile must be an object'],
      [{ from_currency: 5 }, 'from_currency must be a 3-letter'],
      [{ since: 5 }, 'since must be a Date'],
      [{ purpose: 5 }, 'purpose must be a string or null'],
      [{ amount: true }, 'plain decimal'],
      [{ amount: '0x64' }, 'plain decimal'],
      [{ ammount: 100 }, '"ammount" is unknown'],
      [{ since: undefined }, 'reconcile requires'],
    ] as const;
    const rows = changes.map(([change, message]) => [change && { ...intent, ...change }, message] as const);
    await expectRefused((client, lost) => client.payments.reconcile(lost), rows);
  });
});
