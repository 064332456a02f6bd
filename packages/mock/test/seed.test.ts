import { describe, expect, it } from 'vitest';
import { createMock, type MockOptions, type SandboxSeed } from '@service/mock';
import { partsOf } from './control-support.ts';
import { START, createCaller, createStillMock, order } from './support.ts';

const seed = {
  seed: 'demo',
  clock: 'manual',
  start: '2026-03-01T09:00:00Z',
  profile: { successStatus: { createPayment: 202 }, rateLimit: { requests: 5, window: '1h' } },
  accounts: [
    {
      name: 'shop',
      testKey: 'service_test_shop',
      liveKey: 'service_live_shop',
      balances: { USD: '1000.00', JPY: 0 },
      endpoint: { url: 'http://localhost:9/hooks', secret: 'secret-of-the-shop' },
      payments: [
        payment({ amount: '40.00', purpose: 'INV-2', status: 'processing' }),
        payment({ amount: 100, purpose: 'INV-1', status: 'completed', age: '2d' }),
        payment({ amount: 5, status: 'failed', age: '1h' }),
        payment({ amount: 1 }),
      ],
      live: { balances: { EUR: 50 }, payments: [payment({ from_currency: 'EUR', amount: 10, age: '1d' })] },
    },
    { name: 'suspended', suspended: true, profile: { numbers: 'string' } },
  ],
  faults: [{ kind: 'status', status: 503, operation: 'createPayment', account: 'shop' }],
} satisfies SandboxSeed;

function payment<Fields extends object>(fields: Fields) {
  return { from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'Acme', ...fields };
}

const messageOf = (initial: unknown): string => {
  try {
    createMock({ initial: initial as SandboxSeed });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the seed is valid');
};

describe('createMock({ initial })', () => {
  it('creates accounts with their keys, balances, endpoints and suspension', async () => {
    const mock = createMock({ initial: seed });
    expect(mock.account).toMatchObject({
      name: 'shop',
      testKey: 'service_test_shop',
      liveKey: 'service_live_shop',
    });
    expect(mock.sandbox.accounts.list().map(({ name, suspended }) => [name, suspended])).toEqual([
      ['shop', false],
      ['suspended', true],
    ]);
    expect(mock.sandbox.webhooks.endpoint()).toEqual({ url: 'http://localhost:9/hooks' });
    const balancesOf = async (key: string) =>
      (await createCaller(mock, key).get('/balance')).body.data.balances;
    expect(await balancesOf('service_test_shop')).toEqual([
      { currency: 'JPY', balance: 0 },
      { currency: 'USD', balance: 859 },
    ]);
    expect(await balancesOf('service_live_shop')).toEqual([
      { currency: 'EUR', balance: 40 },
      { currency: 'JPY', balance: 0 },
      { currency: 'USD', balance: 0 },
    ]);
  });

  it('creates payments in their status and with their age, the oldest first, without events', async () => {
    const mock = createMock({ initial: seed });
    const { body } = await createCaller(mock, 'service_test_shop').get('/transactions?type=payment');
    const rows = body.data.transactions as Record<string, unknown>[];
    expect(rows.map((row) => [row.amount, row.status, row.created_at])).toEqual([
      [-1, 'pending', '2026-03-01T09:00:00+00:00'],
      [-40, 'processing', '2026-03-01T09:00:00+00:00'],
      [-5, 'failed', '2026-03-01T08:00:00+00:00'],
      [-100, 'completed', '2026-02-27T09:00:00+00:00'],
    ]);
    expect(mock.sandbox.webhooks.deliveries()).toEqual([]);
  });

  it('injects faults, sets the rate limit and the profile, and does so again at each reset', async () => {
    const mock = createMock({ initial: seed });
    const { post } = createCaller(mock, 'service_test_shop');
    const statuses: number[] = [];
    for (let round = 1; round <= 2; round += 1) {
      for (let count = 1; count <= 6; count += 1) statuses.push((await post('/payments', order())).status);
      mock.sandbox.reset();
    }
    expect(statuses.slice(0, 6)).toEqual([503, 422, 422, 422, 422, 429]);
    expect(statuses.slice(6)).toEqual(statuses.slice(0, 6));
    expect(mock.sandbox.profile.get(mock.account)).toMatchObject({ successStatus: { createPayment: 202 } });
  });

  it('gives equal state for equal seeds, and the same as without a seed for an empty one', async () => {
    const hashOf = (options: MockOptions): Promise<string> => createMock(options).sandbox.stateHash();
    expect(await hashOf({ initial: seed })).toBe(await hashOf({ initial: structuredClone(seed) }));
    expect(await hashOf({ initial: {}, seed: 1, clock: 'manual', start: START })).toBe(
      await hashOf({ seed: 1, clock: 'manual', start: START }),
    );
  });

  it('is overridden by the other options', () => {
    const { sandbox } = createMock({
      initial: seed,
      seed: 'other',
      start: '2027-01-01T00:00:00Z',
      profile: { successStatus: { createPayment: 200 } },
    });
    expect(sandbox.clock.now()).toEqual(new Date('2027-01-01T00:00:00Z'));
    expect(sandbox.profile.get()).toMatchObject({ successStatus: { createPayment: 200 } });
    expect(sandbox.accounts.get().id).not.toBe(createMock({ initial: seed }).account.id);
    expect(partsOf(createMock({ initial: seed, clock: { speed: 2 } })).state.clock.mode).toEqual({
      speed: 2,
    });
  });

  it('names all wrong fields at once, each with its path and a suggestion', () => {
    const message = messageOf({
      sed: 1,
      clock: 'fast',
      start: '1960-02-30',
      accounts: [
        { name: 'a', balnces: {}, balances: { USD: true, EURO: 1 } },
        {
          name: '',
          testKey: 'service_live_secret',
          payments: [{ ...payment({ age: 'soon' }), amount: undefined }],
        },
      ],
      faults: [{ knd: 'status' }],
    });
    expect(message.split('\n')).toEqual([
      'The seed has 12 problems:',
      "  clock must be 'real', 'manual' or { speed: <above 0, at most 1000000> }, not \"fast\"",
      '  start must be an ISO 8601 time with an offset, such as 2026-03-01T00:00:00Z, from 1970 to 9999, not "1960-02-30": 1960-02 has 29 days',
      "  accounts[0].balances.USD must be a number or decimal text such as '1000.00', not true",
      `  accounts[0].balances has the name "EURO", but names have the form 'USD'`,
      '  accounts[0] has no field "balnces"; it takes name, balances, profile, testKey, liveKey, suspended, endpoint, payments, live; the nearest is "balances"',
      '  accounts[1].name must be non-empty text, not ""',
      "  accounts[1].testKey must be 'service_test_' and 1 to 255 letters, digits and any of ._~-",
      "  accounts[1].payments[0].amount is missing: it must be a number or decimal text such as '1000.00'",
      "  accounts[1].payments[0].age must be a duration such as '90m', '2h' or '3d', up to '3650d', not \"soon\"",
      expect.stringContaining('  faults[0]'),
      expect.stringMatching(/^ {2}faults\[0\] has no field "knd"; .* the nearest is "kind"$/),
      '  the seed has no field "sed"; it takes $schema, seed, clock, start, profile, accounts, faults; the nearest is "seed"',
    ]);
  });

  it.each<[initial: SandboxSeed, problem: unknown]>([
    [
      { accounts: [{ name: 'a', testKey: 'service_test_a', balances: { USD: '1.001' } }] },
      "  accounts[0]: 1.001 is not an amount of USD. Use a number or text with at most 2 decimals, such as '1000', up to 9999999999999.99.",
    ],
    [
      { accounts: [{ name: 'b' }, { name: 'b' }] },
      '  accounts[1]: The account name "b" is taken. Choose another name.',
    ],
    [
      {
        accounts: [
          { name: 'b', testKey: 'service_test_b' },
          { name: 'c', testKey: 'service_test_b' },
        ],
      },
      '  accounts[1]: The test key is taken or was replaced. Choose another key.',
    ],
    [
      { accounts: [{ name: 'd', payments: [payment({ amount: 1e6 })] }] },
      '  accounts[0].payments[0]: The USD balance is too low for this payment.',
    ],
    [
      { accounts: [{ name: 'd', live: { endpoint: { url: 'https://example.com' } } }] },
      expect.stringMatching(/^ {2}accounts\[0\]\.live\.endpoint\.url: .*loopback/),
    ],
    [{ faults: [{ kind: 'status' } as never] }, expect.stringMatching(/^ {2}faults\[0\]: status is missing/)],
    [
      { accounts: [{ name: 'b' }, { name: 'd' }], faults: [{ kind: 'latency', ms: 1, account: 'shop' }] },
      '  faults[0].account: "shop" is unknown. Use one of: b, d.',
    ],
  ])('names the value of %j that an operation rejects, without keys', (initial, problem) => {
    expect(messageOf(initial).split('\n')).toEqual(['The seed has a problem:', problem]);
  });
});

describe('payments.create', () => {
  it('sends the events of the transitions to the endpoint', async () => {
    const { mock } = createStillMock();
    mock.sandbox.webhooks.collect();
    const created = mock.sandbox.payments.create({ ...payment({ amount: '12.34' }), status: 'completed' });
    expect(created).toMatchObject({ status: 'completed', send_amount: 12.34, from_currency: 'USD' });
    await mock.sandbox.idle();
    expect(mock.sandbox.webhooks.collected().map(({ event }) => event)).toEqual([
      'payment.pending',
      'payment.processing',
      'payment.completed',
    ]);
  });

  it.each([
    [{ statuses: 'skip' }, ['pending', 'completed', 'failed']],
    [{ debitAt: 'completed' }, ['pending', 'processing', 'completed', 'failed']],
  ] as const)('reaches each status of the profile %j', async (profile, statuses) => {
    const { mock } = createStillMock({ profile });
    for (const status of statuses)
      expect(mock.sandbox.payments.create({ ...payment({}), status }).status).toBe(status);
    const { get } = createCaller(mock);
    const { body } = await get('/balance');
    // A restore derives the ledger from the payments.
    mock.sandbox.restore(mock.sandbox.snapshot());
    expect((await get('/balance')).body.data).toEqual(body.data);
  });
});
