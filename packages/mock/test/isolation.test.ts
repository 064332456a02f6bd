import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '@service/mock';
import { createCaller, createStillMock, order } from './support.ts';

describe('determinism', () => {
  it('ends without a seed: keys and ids differ', async () => {
    const [one, other] = await Promise.all(
      [createMock(), createMock()].map(async (mock) => [
        mock.account.testKey,
        (await createCaller(mock).post('/payments', order())).body.data.id,
      ]),
    );
    expect(one!.filter((text) => other!.includes(text))).toEqual([]);
  });

  it('uses no ids for rejected requests', async () => {
    const ids = async (rejections: number): Promise<unknown> => {
      const { post } = createStillMock();
      for (let i = 0; i < rejections; i += 1) await post('/payments', order({ amount: 1e9 }));
      return (await post('/payments', order())).body.data;
    };
    expect(await ids(0)).toEqual(await ids(5));
  });
});

describe('two mocks in one process', () => {
  it('reject the keys of each other if their seeds differ', async () => {
    const keysOf = ({ account, sandbox }: Mock): string[] =>
      [account, ...Array.from({ length: 20 }, () => sandbox.accounts.create())].flatMap((each) => {
        const { testKey, liveKey } = sandbox.accounts.regenerateKey({ account: each });
        return [each.testKey, testKey, liveKey];
      });
    const [a, b] = [createMock({ seed: 1 }), createMock({ seed: 2 })];
    const [keysOfA, keysOfB] = [keysOf(a), keysOf(b)];
    const statuses = async (mock: Mock, keys: string[]): Promise<Set<number>> => {
      const ask = async (key: string): Promise<number> =>
        (await mock.fetch(`${mock.baseUrl}/balance`, { headers: { 'x-api-key': key } })).status;
      return new Set(await Promise.all(keys.map(ask)));
    };
    expect([await statuses(a, keysOfB), await statuses(b, keysOfA)]).toEqual([
      new Set([401]),
      new Set([401]),
    ]);
    const valid = keysOfA.filter((_, index) => index % 3 > 0);
    expect(await statuses(a, valid)).toEqual(new Set([200]));
  });

  it('differ in every id, key and secret when their seeds differ', async () => {
    const run = async (seed: string): Promise<string[]> => {
      const { mock, post, get } = createStillMock({ seed });
      const { secret } = mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
      await post('/payments', order());
      const { body } = await get('/transactions');
      const ids = JSON.stringify(body).match(/(?:pay|txn)_\w+/g) ?? [];
      return [...Object.values({ ...mock.account, name: '' }), secret, ...ids];
    };
    const [a, b] = await Promise.all([run('one'), run('two')]);
    expect(a.filter((text) => text !== '' && b.includes(text))).toEqual([]);
  });
});

describe('createMock', () => {
  it.each([
    [
      { clock: 'slow' },
      `createMock: clock must be 'real', 'manual' or { speed: <above 0, at most 1000000> }, not "slow".`,
    ],
    [
      { seeds: 1 },
      expect.stringMatching(/^createMock: has no field "seeds"; it takes initial, clock, start, seed, /),
    ],
    [{ accounts: 'any' }, `createMock: accounts must be 'strict' or 'open', not "any".`],
    ...['http://localhost/api', 'http://h/api/v1#x', 'ftp://h/api/v1', 'http://u:p@h/api/v1'].map(
      (baseUrl): [object, string] => [
        { baseUrl },
        'createMock: baseUrl must be an http or https address that ends in /api/v1.',
      ],
    ),
    [
      { start: '2026-03-01T12:00:00' },
      'createMock: start must be a Date or an ISO 8601 time with an offset, such as 2026-03-01T00:00:00Z, from 1970 to 9999, not "2026-03-01T12:00:00": add Z or an offset such as +01:00.',
    ],
    [null, expect.stringMatching(/^createMock takes an object with initial, clock, start, /)],
  ])('rejects the options %j', (options, message) => {
    expect(() => createMock(options as never)).toThrow(
      expect.objectContaining({ name: 'SandboxError', message }),
    );
  });

  it.each([
    [
      { balances: { USD: 'many' } },
      /many is not an amount of USD. Use a number or text with at most 2 decimals/,
    ],
    [{ balances: { USD: 0.001 } }, /is not an amount/],
    [{ balances: { XAU: 1 } }, /"XAU" is not a supported currency. Use another one, or add it to/],
    [{ name: 'default' }, /The account name "default" is taken/],
  ])('rejects account options %j and changes nothing', async (options, message) => {
    const { mock } = createStillMock();
    const before = await mock.sandbox.stateHash();
    expect(() => mock.sandbox.accounts.create(options)).toThrow(message);
    expect(await mock.sandbox.stateHash()).toBe(before);
  });

  type Control = ReturnType<typeof createMock>['sandbox'];
  it.each<[title: string, act: (control: Control) => unknown, message: RegExp]>([
    [
      'a key of another mode',
      ({ accounts }) => accounts.regenerateKey({ mode: 'foo' as never }),
      /mode must be 'test' or 'live', not "foo"/,
    ],
    ['a suspension of null', ({ accounts }) => accounts.suspend(null as never), /There is no account null/],
    [
      'a misspelt option',
      ({ accounts }) => accounts.create({ balance: {} } as never),
      /accounts.create: has no field "balance"; it takes name, balances/,
    ],
    [
      'a misspelt amount',
      ({ wallets }) => wallets.credit({ currency: 'USD', amout: 1 } as never),
      /wallets.credit: amount is missing: .* has no field "amout"/,
    ],
    [
      'a deposit of nothing',
      ({ wallets }) => wallets.credit({ currency: 'USD', amount: 0 }),
      /A deposit must be more than 0/,
    ],
    [
      'a rate limit without end',
      ({ profile }) => profile.set({ rateLimit: { requests: 1, window: 1e300 } }),
      /window must be a duration from '1ms' to '365d'/,
    ],
  ])('rejects %s and changes nothing', async (_, act, message) => {
    const { mock } = createStillMock();
    const before = await mock.sandbox.stateHash();
    expect(() => act(mock.sandbox)).toThrow(
      expect.objectContaining({ name: 'SandboxError', message: expect.stringMatching(message) }),
    );
    expect(await mock.sandbox.stateHash()).toBe(before);
  });

  it('is disposed of by `await using`', async () => {
    let mock;
    {
      await using inner = createMock({ clock: 'manual' });
      mock = inner;
    }
    expect((await createCaller(mock).get('/balance')).status).toBe(200);
  });
});
