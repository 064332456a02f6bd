import { setupServer, type SetupServer } from 'msw/node';
import { test as base, describe, expect, it, type MockInstance, vi } from 'vitest';
import { createMock, type Mock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { createFixtures } from '@service/mock/vitest';
import { createClient } from '@service/sdk';
import { createCaller, order } from './support.ts';

const wish = order() as never;
const test = base.extend(createFixtures({ clock: 'manual', seed: 42 }));
const poor = base.extend(createFixtures({ balances: { USD: '10.00' } }));
const single = base.extend(createFixtures({ scope: 'test', clock: 'manual', start: '2026-01-31T12:00:00Z' }));
const mine = createMock({ clock: 'manual' });
const own = base.extend(createFixtures({ mock: mine, balances: { EUR: 5 } }));
const intercepted = base.extend(createFixtures({ clock: 'manual' })).extend<{ server: SetupServer }>({
  server: [
    async ({ mock }, use) => {
      const server = setupServer(...createHandlers(mock));
      server.listen({ onUnhandledFrame: 'error' });
      await use(server);
      server.close();
    },
    { scope: 'file', auto: true },
  ],
});

describe('createFixtures', () => {
  const met = new Set<string>();
  const mocks = new Set<unknown>();

  test('creates a working client', async ({ clientOptions, mock }) => {
    const service = createClient(clientOptions);
    const { id } = await service.payments.create(wish);
    await mock.sandbox.clock.advance('4s');
    expect((await service.payments.retrieve(id)).status).toBe('completed');
  });

  describe.concurrent.each([1, 2, 3])('concurrent test %i of createFixtures', () => {
    test('has its own account', async ({ account, clientOptions, mock, expect: expectHere }) => {
      met.add(account.id);
      mocks.add(mock);
      await createClient(clientOptions).payments.create(wish);
      const { balances } = await createClient(clientOptions).balance.retrieve();
      expectHere(balances).toContainEqual({ currency: 'USD', balance: 99_000 });
      expectHere(clientOptions.apiKey).toBe(account.testKey);
    });
  });

  test('shares one mock per file', ({ mock }) => {
    mocks.add(mock);
    expect([mocks.size, met.size]).toEqual([1, 3]);
  });

  test('names the account after the test, so that its ids do not depend on the order', ({ account }) => {
    const name =
      'createFixtures > names the account after the test, so that its ids do not depend on the order';
    const alone = createMock({ clock: 'manual', seed: 42 }).sandbox.accounts.create({ name });
    expect(account).toEqual(alone);
  });

  const names: string[] = [];
  test('creates another account for a retry', { retry: 1 }, ({ account }) => {
    names.push(account.name);
    expect(names).toHaveLength(2);
    expect(names[1]).toBe(`${names[0]} (2)`);
  });

  let before: { id: string } | undefined;
  test('opens an endpoint', async ({ account, mock }) => {
    before = account;
    mock.sandbox.webhooks.setEndpoint({ account, url: 'http://127.0.0.1:9/' });
    mock.sandbox.webhooks.setEndpoint({ account, mode: 'live', url: 'http://127.0.0.1:9/' });
    expect(mock.sandbox.webhooks.rotateSecret({ account }).secret).toMatch(/^\S{20,}$/);
  });

  test('removes the endpoints of a finished test', ({ mock }) => {
    for (const mode of ['test', 'live'] as const) {
      expect(() => mock.sandbox.webhooks.rotateSecret({ account: before!, mode })).toThrow(
        /There is no endpoint/,
      );
    }
  });

  test('creates no account for tests that do not use one', ({ task, mock }) => {
    expect(mock.sandbox.accounts.list().map(({ name }) => name)).not.toContain(
      `createFixtures > ${task.name}`,
    );
  });
});

test('', ({ account }) => {
  expect(account.name).toMatch(/^account-\d+$/);
});

describe('createFixtures with balances', () => {
  poor('opens every account with them', async ({ clientOptions }) => {
    const { balances } = await createClient(clientOptions).balance.retrieve();
    expect(balances).toEqual([{ currency: 'USD', balance: 10 }]);
  });
});

describe("createFixtures with scope: 'test'", () => {
  const mocks = new Set<unknown>();

  single.for([1, 2])(
    'gives test %i a clock and a rate limit of its own',
    async (_, { mock, clientOptions }) => {
      mocks.add(mock);
      expect(mock.sandbox.clock.now()).toEqual(new Date('2026-01-31T12:00:00Z'));
      mock.sandbox.profile.set({ rateLimit: { requests: 0, window: '1h' } });
      await mock.sandbox.clock.advance('1s');
      expect((await createCaller(mock, clientOptions.apiKey).get('/balance')).status).toBe(429);
    },
  );

  it('creates a mock for each test', () => {
    expect(mocks.size).toBe(2);
  });
});

describe('createFixtures with a given mock', () => {
  own('opens the accounts there', ({ mock, account }) => {
    expect(mock).toBe(mine);
    expect(mine.sandbox.accounts.get(account)).toEqual(account);
  });
});

describe('the mock of createFixtures', () => {
  // Vitest expects a fixture and its options as a pair.
  type Pair = [run: (context: object, use: (mock: Mock) => Promise<void>) => Promise<void>, options: object];

  it.each([
    [{}, true],
    [{ scope: 'test' as const }, true],
    [{ mock: mine }, false],
  ])('is closed at the end unless it was given: %#', async (options, closes) => {
    const [run] = createFixtures(options).mock as unknown as Pair;
    let close: MockInstance | undefined;
    await run({}, async (mock) => void (close = vi.spyOn(mock, 'close')));
    expect(close).toHaveBeenCalledTimes(closes ? 1 : 0);
  });
});

describe('createFixtures, extended', () => {
  intercepted('stands behind MSW', async ({ account, mock }) => {
    const headers = { authorization: `Bearer ${account.testKey}` };
    expect((await fetch(`${mock.baseUrl}/balance`, { headers })).status).toBe(200);
  });
});

describe('createFixtures rejects', () => {
  it.each([
    [null, 'createFixtures: options must be an object with named fields.'],
    [{ scope: 'worker' }, "createFixtures: scope must be 'file' or 'test'."],
    [{ mock: {} }, 'createFixtures: mock must be from createMock.'],
    [{ mock: null }, 'createFixtures: mock must be from createMock.'],
    [
      { mock: createMock(), seed: 1, clock: 'manual' },
      'createFixtures: seed, clock cannot be combined with mock. Pass them to createMock.',
    ],
    [
      { mock: createMock(), scope: 'test' },
      "createFixtures: scope 'test' creates a mock for each test and cannot be combined with mock.",
    ],
  ])('%j', (options, message) => {
    expect(() => createFixtures(options as never)).toThrow(
      expect.objectContaining({ name: 'SandboxError', message }),
    );
  });
});
