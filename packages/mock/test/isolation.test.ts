import { describe, expect, it } from 'vitest';
import { createMock } from '@service/mock';
import { createCaller, createStillMock, order } from './support.ts';

describe('isolation', () => {
  it('hides a payment from other accounts and from the other mode, byte for byte like one that never was', async () => {
    const { mock, post, send } = createStillMock();
    const { id } = (await post('/payments', order())).body.data as { id: string };
    const unknown = await send('GET', '/payments/pay_test_000000000000000000000000');
    const strangers = [
      createCaller(mock, mock.sandbox.accounts.create().testKey),
      createCaller(mock, mock.account.liveKey),
    ];
    for (const stranger of strangers) {
      const { status, body } = await stranger.get(`/payments/${id}`);
      expect([status, body.error]).toEqual([404, unknown.body.error]);
      expect((await stranger.get('/transactions?type=payment')).body.data).toMatchObject({
        transactions: [],
      });
    }
  });

  it('opens live mode with empty wallets, untouched by test mode', async () => {
    const { mock, post } = createStillMock();
    await post('/payments', order());
    const live = createCaller(mock, mock.account.liveKey);
    const { body } = await live.get('/balance');
    expect(body).toMatchObject({
      mode: 'live',
      data: { balances: [{ currency: 'EUR', balance: 0 }, {}, { balance: 0 }] },
    });
    expect((await live.get('/transactions')).body.data).toMatchObject({ transactions: [] });
  });

  it('shares nothing between two mocks, even of one seed', async () => {
    const [a, b] = [createStillMock(), createStillMock()];
    const before = await b.mock.sandbox.stateHash();
    await a.post('/payments', order());
    expect(await b.mock.sandbox.stateHash()).toBe(before);
  });

  it('keeps 200 accounts apart that work in parallel', async () => {
    const { mock } = createStillMock();
    const balances = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const account = mock.sandbox.accounts.create({ balances: { USD: 1000 } });
        const { post, get } = createCaller(mock, account.testKey);
        await Promise.all(Array.from({ length: 5 }, () => post('/payments', order({ amount: index + 1 }))));
        return (await get('/balance')).body.data;
      }),
    );
    expect(balances).toEqual(
      Array.from({ length: 200 }, (_, index) => {
        const paid = Math.min(5, Math.floor(1000 / (index + 1))) * (index + 1);
        return { balances: [{ currency: 'USD', balance: 1000 - paid }] };
      }),
    );
  });
});

describe('determinism', () => {
  async function transcript(seed: number | undefined): Promise<string> {
    const mock = createMock({ clock: 'manual', ...(seed === undefined ? {} : { seed }) });
    const { post, get } = createCaller(mock);
    const answers = [
      await post('/payments', order()),
      await post('/payments', order({ amount: -1 })),
      await post('/payments', order({ purpose: 'second' })),
      await get('/transactions'),
    ];
    return JSON.stringify([
      mock.account,
      mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost/' }),
      answers,
    ]);
  }

  it('gives the same bytes for the same seed, clock and calls', async () => {
    expect(await transcript(7)).toBe(await transcript(7));
  });

  it('gives other bytes for another seed, and for none', async () => {
    const all = await Promise.all([
      transcript(7),
      transcript(8),
      transcript(undefined),
      transcript(undefined),
    ]);
    expect(new Set(all).size).toBe(4);
  });

  it('draws ids from nothing that a refused call draws from', async () => {
    const ids = async (refusals: number): Promise<unknown> => {
      const { post } = createStillMock();
      for (let i = 0; i < refusals; i += 1) await post('/payments', order({ amount: 1e9 }));
      return (await post('/payments', order())).body.data;
    };
    expect(await ids(0)).toEqual(await ids(5));
  });
});

describe('createMock', () => {
  it.each([
    [
      { clock: 'slow' },
      "createMock: clock must be 'real', 'manual' or { speed: <above 0, at most 1000000> }.",
    ],
    [
      { clock: { speed: 0 } },
      "createMock: clock must be 'real', 'manual' or { speed: <above 0, at most 1000000> }.",
    ],
    [{ start: 'soon' }, 'createMock: start must be a Date or an ISO 8601 time.'],
    [{ profile: { minorUnits: 'three' } }, "createMock: profile minorUnits must be 'two' or 'iso'."],
    [{ profile: { minorUnit: 'iso' } }, 'createMock: profile has no option minorUnit.'],
    [{ seeds: 1 }, 'createMock: has no option seeds.'],
    [
      { baseUrl: 'http://localhost/api' },
      'createMock: baseUrl must be an absolute address whose path is /api/v1.',
    ],
    [null, 'createMock: must be an object.'],
  ])('refuses the options %j', (options, message) => {
    expect(() => createMock(options as never)).toThrow(
      expect.objectContaining({ name: 'SandboxError', message }),
    );
  });

  it.each([
    [{ balances: { USD: 'many' } }, /"many" is no amount; write a number of at most 2 decimals/],
    [{ balances: { USD: -1 } }, /is no amount/],
    [{ balances: { USD: 0.001 } }, /is no amount/],
    [{ balances: { XAU: 1 } }, /"XAU" is no currency of the sandbox/],
    [{ name: 'default' }, /There is an account "default" already/],
  ])('refuses to open an account with %j, and changes nothing', async (options, message) => {
    const { mock } = createStillMock();
    const before = await mock.sandbox.stateHash();
    expect(() => mock.sandbox.accounts.create(options)).toThrow(message);
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
