import { type Duration, type ExtraStatus, toMilliseconds } from '@service/internal';
import { describe, expect, it } from 'vitest';
import { type Exchange, changeData, probeService, createError } from './probe-service.ts';

interface SavedResponse {
  readonly at: number;
  readonly body: string;
}

/** Delays some GET responses: they show an earlier state. */
function lag(pattern: RegExp, milliseconds: number) {
  const saved = new Map<string, SavedResponse[]>();
  return async ({ request, path, forward, mock }: Exchange): Promise<Response> => {
    const response = await forward();
    if (request.method !== 'GET' || !pattern.test(path) || !response.ok) return response;
    const now = mock.sandbox.clock.now().getTime();
    const list = saved.get(path) ?? [];
    list.push({ at: now, body: await response.clone().text() });
    saved.set(path, list);
    const old = list.findLast(({ at }) => at <= now - milliseconds) ?? list[0];
    return new Response(old?.body, { status: response.status });
  };
}

/** Hides each new payment and its changes for a time: reads respond with 404, then with an earlier status. */
function hideNewPayments(milliseconds: number) {
  const history = new Map<string, SavedResponse[]>();
  return async (exchange: Exchange): Promise<Response> => {
    const { mock, path, request, forward } = exchange;
    const now = mock.sandbox.clock.now().getTime();
    const response = await forward();
    const { data } = (await response
      .clone()
      .json()
      .catch(() => ({}))) as { data?: { id?: string } };
    for (const [id, list] of history) {
      const headers = { authorization: request.headers.get('authorization') ?? '' };
      const current = await mock.fetch(new Request(`${mock.baseUrl}/payments/${id}`, { headers }));
      list.push({ at: now, body: await current.text() });
    }
    if (isCreate(exchange) && response.ok)
      history.set(data?.id ?? '', [{ at: now, body: await response.clone().text() }]);
    const saved = history.get(path.replace('/payments/', ''));
    if (saved === undefined) return response;
    const body = saved.findLast(({ at }) => at <= now - milliseconds)?.body;
    return body === undefined ? createError(404, 'not_found') : new Response(body);
  };
}

function credit({ mock }: Exchange, amount: string): void {
  mock.sandbox.wallets.credit({ account: mock.account, mode: 'test', currency: 'USD', amount });
}

/** Creates a payment as another client of the account. */
async function payAsOther({ request, mock }: Exchange, amount: number): Promise<void> {
  await mock.fetch(
    new Request(`${mock.baseUrl}/payments`, {
      method: 'POST',
      headers: {
        authorization: request.headers.get('authorization') ?? '',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ from_currency: 'USD', to_currency: 'EUR', amount, beneficiary_name: 'B' }),
    }),
  );
}

const isCreate = ({ request, path }: Exchange): boolean => request.method === 'POST' && path === '/payments';
const isRead = ({ request, path }: Exchange): boolean =>
  request.method === 'GET' && path.startsWith('/payments/');

describe('probe, payments', () => {
  it.each([
    ['a payment of another client', (exchange: Exchange) => payAsOther(exchange, 3)],
    ['a deposit', async (exchange: Exchange) => credit(exchange, '7.00')],
    ['a deposit that hides the debit', async (exchange: Exchange) => credit(exchange, '10.00')],
  ])('derives neither debit nor refund from %s', async (_, interfere) => {
    for (const debitAt of ['create', 'completed'] as const) {
      const outcome = await probeService({
        profile: { debitAt },
        intercept: async (exchange) => {
          const response = await exchange.forward();
          if (isCreate(exchange)) await interfere(exchange);
          return response;
        },
      });
      expect([debitAt, 'unknown']).toContain(outcome.result('debitAt.status'));
      expect(['full', 'unknown']).toContain(outcome.result('refund.failed'));
    }
  });

  it.each([300, 2_500])(
    'does not report a wrong debit or refund if the balance lags by %i ms',
    async (late) => {
      for (const debitAt of ['create', 'processing', 'completed'] as const) {
        const outcome = await probeService({ profile: { debitAt }, intercept: lag(/^\/balance$/, late) });
        expect([debitAt, 'unknown']).toContain(outcome.result('debitAt.status'));
        expect(['full', 'unknown']).toContain(outcome.result('refund.failed'));
      }
    },
  );

  const readLag = { payments: '450ms', balance: '250ms', transactions: '2400ms' } as const;
  it.each((['create', 'processing', 'completed'] as const).map((debitAt) => ({ debitAt, readLag })))(
    'tells a late debit from a read lag: %j',
    async (profile) => {
      const { result } = await probeService({ profile });
      expect(result('debitAt.status')).toBe(profile.debitAt);
      const measured = result('readLag') as Record<string, Duration>;
      expect(Object.keys(measured)).toEqual(Object.keys(profile.readLag));
      for (const [name, time] of Object.entries(profile.readLag))
        expect(Math.abs(toMilliseconds(measured[name] ?? 0) - toMilliseconds(time))).toBeLessThanOrEqual(150);
    },
  );

  describe('if reads lag behind the create, and the balance does not', () => {
    const late = 2_500;
    it.each(['create', 'processing', 'completed'] as const)('finds debitAt: %s', async (debitAt) => {
      const { find } = await probeService({ profile: { debitAt }, intercept: hideNewPayments(late) });
      expect(find('debitAt')).toMatchObject({ value: { status: debitAt } });
      expect(find('debitAt')?.evidence).toMatch(/before \d+, after .*; reads show payments after \d+ ms/);
    });

    it.each([
      ['full', ['full']],
      ['lessFee', ['lessFee', 'unknown']],
      ['none', ['none']],
    ] as const)('measures refund: %s, which precedes the status', async (refund, expected) => {
      const { result } = await probeService({ profile: { refund }, intercept: hideNewPayments(late) });
      expect(expected).toContain(result('refund.failed'));
    });
  });

  it('keeps the accounts of `failing` and `returning` as rules', async () => {
    const { result, find } = await probeService({
      profile: { outcomes: [{ account: { suffix: '0000' }, outcome: 'fail_early' }] },
      options: { failing: '120000', returning: 'DE89', timeout: 20_000 },
    });
    expect(result('outcomes')).toEqual([{ account: { equals: '120000' }, outcome: 'fail_early' }]);
    expect(find('outcomes')?.evidence).toBe('payments to 120000: fail_early, payments to DE89: ok');
  });

  const ignoreWebhooks = async (): Promise<Response> => new Response(null);

  /** Replaces the status of a payment by a schedule in milliseconds. */
  function scheduleStatuses(schedule: readonly (readonly [number, string])[]) {
    const since = new Map<string, number>();
    return async (exchange: Exchange): Promise<Response> => {
      const now = exchange.mock.sandbox.clock.now().getTime();
      const response = await exchange.forward();
      if (!isRead(exchange)) return response;
      return changeData(response, (data) => {
        const id = String(data.id);
        since.set(id, since.get(id) ?? now);
        const age = now - (since.get(id) ?? now);
        const status = schedule.findLast(([at]) => at <= age)?.[1];
        return { ...data, status };
      });
    };
  }

  it('names a status that only some payments have as not explained', async () => {
    const extra: ExtraStatus = {
      status: 'held',
      after: 'pending',
      amount: { from: '5000.00' },
      duration: '2s',
    };
    const { find } = await probeService({ profile: { extraStatuses: [extra] } });
    expect(find('extraStatuses')).toMatchObject({
      state: 'partly',
      value: [],
      missing: ['the payments with the status held'],
    });
  });

  it('limits its requests for a payment that takes hours', async () => {
    const outcome = await probeService({
      deliver: ignoreWebhooks,
      intercept: scheduleStatuses([[0, 'pending']]),
    });
    expect(outcome.result('debitAt.status')).toBe('create');
    expect([outcome.result('transitions'), outcome.result('refund.failed')]).toEqual(['unknown', 'unknown']);
    expect(outcome.payments).toBeLessThanOrEqual(16);
    expect(outcome.requests.length).toBeLessThan(2_000);
  });

  it.each([['no id', undefined]])(
    'does not take two payments with %s for the same payment',
    async (_, id) => {
      const outcome = await probeService({
        intercept: async (exchange) =>
          isCreate(exchange)
            ? changeData(await exchange.forward(), (data) => ({ ...data, id }))
            : exchange.forward(),
      });
      expect(outcome.result('idempotency')).toBe('unknown');
    },
  );

  it.each([[409, 'conflict']])(
    'reports conflict if the service responds to a repeated key with %i %s',
    async (status, type) => {
      let keyed = 0;
      const outcome = await probeService({
        intercept: async (exchange) => {
          if (!isCreate(exchange) || !exchange.request.headers.has('idempotency-key'))
            return exchange.forward();
          keyed += 1;
          return keyed === 2 ? createError(status, type) : exchange.forward();
        },
      });
      expect(outcome.result('idempotency')).toBe('conflict');
    },
  );

  it('creates 10 to 15 payments', async () => {
    const settings = [{}, { debitAt: 'completed' }, { retrySchedule: 'none' }, { ack: '2xx' }] as const;
    for (const profile of settings) {
      const { payments } = await probeService({ profile });
      expect(payments).toBeGreaterThanOrEqual(10);
      expect(payments).toBeLessThanOrEqual(15);
    }
  });
});
