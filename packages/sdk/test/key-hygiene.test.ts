import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createManualClock } from './manual-clock.ts';
import { clientAnswering, json, paymentInput, rejection, testKey } from './service.ts';

/** Everything that printing, logging or walking a value could show. */
function everything(value: unknown): string {
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
  ['an error that tells the header', leak((request) => new LeakyError(request))],
  ['an error that carries the request', leak((request) => Object.assign(new Error('x'), { request }))],
  [
    'an error that carries headers',
    leak((request) => Object.assign(new Error('x'), { headers: request.headers })),
  ],
  ['a bundle of errors', leak(() => new AggregateError([new Error(testKey)], testKey))],
  ['a plain object', leak((request) => ({ request, note: testKey }))],
  ['a text', leak(() => `failed with ${testKey}`)],
  ['a map', leak(() => new Map([['key', testKey]]))],
  ['a function', leak(() => Object.assign(() => {}, { testKey }))],
  ['a property that is a symbol', leak(() => Object.assign(new Error('x'), { [Symbol('k')]: testKey }))],
  ['a name that is the key', leak(() => Object.assign(new Error('x'), { [testKey]: 1 }))],
  ['a DOMException', leak(() => new DOMException(testKey, 'NetworkError'))],
  [
    'an answer that echoes it',
    () => json({ success: false, error: { type: 'authentication_error', message: `No ${testKey}` } }, 401),
  ],
  [
    'a page that echoes it',
    () => new Response(`<pre>Authorization: Bearer ${testKey}</pre>`, { status: 500 }),
  ],
  ['a success that cannot be read', () => json({ success: false, [testKey]: [{ key: testKey }] })],
  [
    'an answer that escapes it',
    () => new Response(`{"error":{"message":"\\u0073${testKey.slice(1)}"}}`, { status: 400 }),
  ],
  ['an answer of the other mode', () => json({ success: true, mode: 'live', data: { key: testKey } })],
];

test('a client shows nobody its key', () => {
  for (const apiKey of [testKey, () => testKey]) {
    const { service } = clientAnswering([], { apiKey });
    const shown =
      inspect(service, { depth: null, showHidden: true, getters: true }) + JSON.stringify(service);
    expect(shown).not.toContain('4f9c1d2e3b');
    expect(shown).toContain('payments');
  }
});

describe.each(leaky)('given %s, the key stays in', (_, answer) => {
  test('of a read', async () => {
    const { service } = clientAnswering([answer]);
    const error = await rejection(service.balance.retrieve());
    expect(everything(error)).not.toContain('4f9c1d2e3b');
  });

  test('of a create', async () => {
    const { service } = clientAnswering([answer], { auth: 'x-api-key' });
    const error = await rejection(service.payments.create(paymentInput));
    expect(everything(error)).not.toContain('4f9c1d2e3b');
    expect(everything(error)).not.toContain(paymentInput.beneficiary_account);
  });

  test('of a wait', async () => {
    const clock = createManualClock();
    const { service } = clientAnswering([answer], {}, clock);
    const waiting = rejection(service.payments.waitFor('pay_test_a', { timeout: 1_000 }));
    await clock.advance(1_000);
    expect(everything(await waiting)).not.toContain('4f9c1d2e3b');
  });

  test('of the client beneath', async () => {
    const { service } = clientAnswering([answer]);
    const thrown = await service.api.GET('/balance').then(undefined, (error: unknown) => error);
    expect(thrown instanceof Error ? everything(thrown) : '').not.toContain('4f9c1d2e3b');
  });
});

test('a cause that defies reading is left out or copied, and the error still arrives', async () => {
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
    const { service } = clientAnswering([leak(() => thrown)]);
    const error = await rejection(service.balance.retrieve());
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    expect(everything(error)).not.toContain('4f9c1d2e3b');
  }
});

test('an answer that is nested without end is reported, not choked on', async () => {
  const { service } = clientAnswering([
    new Response(`${'['.repeat(50_000)}${']'.repeat(50_000)}`, { status: 404 }),
  ]);
  expect(await rejection(service.balance.retrieve())).toMatchObject({
    name: 'NotFoundError',
    outcome: 'unknown',
  });
});

test('a cause that holds no key is kept as it is', async () => {
  const inner = Object.assign(new Error('read ECONNRESET'), {
    code: 'ECONNRESET',
    errno: -104,
    syscall: 'read',
  });
  const cause = new TypeError('fetch failed', { cause: inner });
  const { service } = clientAnswering([cause]);
  expect(await rejection(service.balance.retrieve())).toHaveProperty('cause', cause);
});

test('a cause that holds the key is copied without it, and still tells what it was', async () => {
  const { service } = clientAnswering([leak((request) => new LeakyError(request))]);
  const { cause } = (await rejection(service.balance.retrieve())) as { cause: LeakyError };
  expect(cause).toBeInstanceOf(LeakyError);
  expect(cause.message).toBe('could not send with Authorization: Bearer [redacted key]');
  expect(cause.code).toBe('ELEAK');
  expect(cause.cause).toMatchObject({ message: 'inner [redacted key]' });
  expect(cause.request).toBe(undefined);
});

test('a key of letters that only this service knows is struck out as well', async () => {
  const key = 'service_test_a.b~c"d\\e';
  const { service } = clientAnswering([new Error(`no ${key}`)], { apiKey: key });
  expect(everything(await rejection(service.balance.retrieve()))).not.toContain('b~c');
});

test('a failing key function does not tell a key', async () => {
  const apiKey = (): never => {
    throw new Error(`cannot use ${testKey}`);
  };
  const { service } = clientAnswering([], { apiKey });
  expect(everything(await rejection(service.balance.retrieve()))).not.toContain('4f9c1d2e3b');
});
