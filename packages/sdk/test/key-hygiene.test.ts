import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createManualClock } from './manual-clock.ts';
import { createStubClient, json, paymentInput, catchRejection, testKey } from './service.ts';

/** Formats a value in every way in which it could be printed, logged or traversed. */
function formatAll(value: unknown): string {
  const shown = [
    inspect(value, { depth: null, showHidden: true, getters: true }),
    JSON.stringify(value),
    String(value),
  ];
  for (let error = value; error instanceof Error; error = error.cause) {
    shown.push(
      error.message,
      error.stack ?? '',
      inspect(error, { depth: null, showHidden: true, getters: true }),
    );
    shown.push(JSON.stringify(Reflect.get(error, 'raw')) ?? '');
  }
  return shown.join('\n');
}

class LeakyError extends Error {
  readonly request: Request;
  readonly config = { headers: { Authorization: `Bearer ${testKey}` } };
  readonly code = 'ELEAK';
  constructor(request: Request) {
    super(`could not send with Authorization: Bearer ${testKey}`);
    this.request = request;
    this.cause = new Error(`inner ${testKey}`);
  }
}

const leak =
  (makeError: (request: Request) => unknown) =>
  async (request: Request): Promise<Response> => {
    throw makeError(request);
  };

const leaky: [string, (request: Request) => Response | Promise<Response>][] = [
  ['an error that contains the header', leak((request) => new LeakyError(request))],
  ['an error that contains the request', leak((request) => Object.assign(new Error('x'), { request }))],
  [
    'an error that contains headers',
    leak((request) => Object.assign(new Error('x'), { headers: request.headers })),
  ],
  ['an AggregateError', leak(() => new AggregateError([new Error(testKey)], testKey))],
  ['a plain object', leak((request) => ({ request, note: testKey }))],
  ['a string', leak(() => `failed with ${testKey}`)],
  ['a map', leak(() => new Map([['key', testKey]]))],
  ['a function', leak(() => Object.assign(() => {}, { testKey }))],
  ['an error with a symbol property', leak(() => Object.assign(new Error('x'), { [Symbol('k')]: testKey }))],
  [
    'an error with the API key as a property name',
    leak(() => Object.assign(new Error('x'), { [testKey]: 1 })),
  ],
  ['a DOMException', leak(() => new DOMException(testKey, 'NetworkError'))],
  [
    'a JSON response that repeats it',
    () => json({ success: false, error: { type: 'authentication_error', message: `No ${testKey}` } }, 401),
  ],
  [
    'an HTML response that repeats it',
    () => new Response(`<pre>Authorization: Bearer ${testKey}</pre>`, { status: 500 }),
  ],
  [
    'an unreadable 200 response that contains it',
    () => json({ success: false, [testKey]: [{ key: testKey }] }),
  ],
  [
    'a response that contains it with escapes',
    () => new Response(`{"error":{"message":"\\u0073${testKey.slice(1)}"}}`, { status: 400 }),
  ],
  ['a response of the other mode', () => json({ success: true, mode: 'live', data: { key: testKey } })],
];

describe('a client', () => {
  it('never shows its API key', () => {
    for (const apiKey of [testKey, () => testKey]) {
      const { client } = createStubClient([], { apiKey });
      const shown =
        inspect(client, { depth: null, showHidden: true, getters: true }) + JSON.stringify(client);
      expect(shown).not.toContain('4f9c1d2e3b');
      expect(shown).toContain('payments');
    }
  });
});

describe('the API key', () => {
  it.each(leaky)('is in no error of a call after %s', async (_, respond) => {
    const clock = createManualClock();
    const { client } = createStubClient([respond], {}, clock);
    const created = await catchRejection(client.payments.create(paymentInput));
    expect(formatAll(created)).not.toContain(paymentInput.beneficiary_account);
    const waiting = catchRejection(client.payments.waitFor('pay_test_a', { timeout: 1_000 }));
    await clock.advance(1_000);
    const errors = [created, await waiting, await catchRejection(client.balance.retrieve())];
    for (const error of errors)
      expect(error instanceof Error ? formatAll(error) : '').not.toContain('4f9c1d2e3b');
  });
});

describe('a deeply nested response', () => {
  it('is reported as an error', async () => {
    const { client } = createStubClient([
      new Response(`${'['.repeat(50_000)}${']'.repeat(50_000)}`, { status: 404 }),
    ]);
    expect(await catchRejection(client.balance.retrieve())).toMatchObject({
      name: 'NotFoundError',
      outcome: 'unknown',
    });
  });
});

describe('the cause of an error', () => {
  it('is left out or copied if it cannot be read', async () => {
    const hostile: unknown[] = [
      Object.defineProperty(new Error('x'), 'trap', {
        get: () => {
          throw new Error('no');
        },
      }),
      Object.assign(new Error('x'), { proxy: new Proxy({}, { ownKeys: () => [testKey] }) }),
      Object.assign(new Error(testKey), { errors: Array.from({ length: 100 }, () => new Error(testKey)) }),
    ];
    const loop = new Error(testKey);
    loop.cause = loop;
    const many: Record<string, unknown> = {};
    for (let n = 0; n < 50; n += 1) many[`n${n}`] = many;
    for (const thrown of [...hostile, loop, many, Object.assign(new Error('x'), { many })]) {
      const { client } = createStubClient([leak(() => thrown)]);
      const error = await catchRejection(client.balance.retrieve());
      expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
      expect(formatAll(error)).not.toContain('4f9c1d2e3b');
    }
  });

  it('is kept as it is if it contains no API key', async () => {
    const inner = Object.assign(new Error('read ECONNRESET'), {
      code: 'ECONNRESET',
      errno: -104,
      syscall: 'read',
    });
    const cause = new TypeError('fetch failed', { cause: inner });
    const { client } = createStubClient([cause]);
    expect(await catchRejection(client.balance.retrieve())).toHaveProperty('cause', cause);
  });

  it('is copied without the API key, with its class and code', async () => {
    const { client } = createStubClient([leak((request) => new LeakyError(request))]);
    const { cause } = (await catchRejection(client.balance.retrieve())) as { cause: LeakyError };
    expect(cause).toBeInstanceOf(LeakyError);
    expect(cause.message).toBe('could not send with Authorization: Bearer [redacted key]');
    expect(cause.code).toBe('ELEAK');
    expect(cause.cause).toMatchObject({ message: 'inner [redacted key]' });
    expect(cause.request).toBe(undefined);
  });
});

describe('an API key with unusual characters', () => {
  it('is removed from errors', async () => {
    const key = 'service_test_a.b~c"d\\e';
    const { client } = createStubClient([new Error(`no ${key}`)], { apiKey: key });
    expect(formatAll(await catchRejection(client.balance.retrieve()))).not.toContain('b~c');
  });
});
