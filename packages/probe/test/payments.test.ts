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
      expect([debitAt, 'unknown']).toContain(outcome.result('debitAt'));
      expect(['full', 'unknown']).toContain(outcome.result('refund'));
    }
  });

  it('derives neither debit nor refund from a balance that other payments change', async () => {
    const outcome = await probeService({
      intercept: async (exchange) => {
        if (exchange.path === '/balance') await payAsOther(exchange, 0.5);
        return exchange.forward();
      },
    });
    expect([outcome.result('debitAt'), outcome.result('refund')]).toEqual(['unknown', 'unknown']);
  });

  it.each([300, 1_500, 2_500, 4_500])(
    'does not report a wrong debit or refund if the balance lags by %i ms',
    async (late) => {
      for (const debitAt of ['create', 'processing', 'completed'] as const) {
        const outcome = await probeService({ profile: { debitAt }, intercept: lag(/^\/balance$/, late) });
        expect([debitAt, 'unknown']).toContain(outcome.result('debitAt'));
        expect(['full', 'unknown']).toContain(outcome.result('refund'));
      }
    },
  );

  it.each([300, 1_500, 2_500])(
    'does not report a wrong debit or refund if the status lags by %i ms',
    async (late) => {
      for (const debitAt of ['create', 'processing', 'completed'] as const) {
        const outcome = await probeService({ profile: { debitAt }, intercept: lag(/^\/payments\//, late) });
        expect([debitAt, 'unknown']).toContain(outcome.result('debitAt'));
        expect(['full', 'unknown']).toContain(outcome.result('refund'));
        expect(['walk', 'unknown']).toContain(outcome.result('transitions'));
      }
    },
  );

  it.each([
    ['payments', { payments: '1500ms' }],
    ['balance', { balance: '600ms' }],
    ['transactions', { transactions: '800ms' }],
  ] as const)('measures the read lag of %s', async (name, readLag) => {
    const { find, result } = await probeService({ profile: { readLag } });
    expect(Object.keys(result('readLag') as object)).toEqual([name]);
    expect(find('readLag')?.evidence).toMatch(new RegExp(`${name} after \\d+ to \\d+ ms`));
  });

  const lags = [
    { payments: '1900ms' },
    { balance: '1400ms' },
    { transactions: '1s' },
    { payments: '450ms', balance: '250ms', transactions: '2400ms' },
  ] as const;

  it.each(
    (['create', 'processing', 'completed'] as const).flatMap((debitAt) =>
      lags.map((readLag) => ({ debitAt, readLag })),
    ),
  )('tells a late debit from a read lag: %j', async (profile) => {
    const { result } = await probeService({ profile });
    expect(result('debitAt')).toBe(profile.debitAt);
    const measured = result('readLag') as Record<string, Duration>;
    expect(Object.keys(measured)).toEqual(Object.keys(profile.readLag));
    for (const [name, time] of Object.entries(profile.readLag))
      expect(Math.abs(toMilliseconds(measured[name] ?? 0) - toMilliseconds(time))).toBeLessThanOrEqual(150);
  });

  it('tells a late debit from a read lag if failed payments get no refund', async () => {
    const profile = { debitAt: 'completed', refund: 'none', readLag: { balance: '600ms' } } as const;
    const { result } = await probeService({ profile });
    expect(result('debitAt')).toBe('completed');
    expect(Object.keys(result('readLag') as object)).toEqual(['balance']);
  });

  it('does not use the wallet up to measure the hold if failed payments get no refund', async () => {
    const { find } = await probeService({ profile: { debitAt: 'processing', hold: 'none', refund: 'none' } });
    expect(find('hold')).toMatchObject({
      state: 'unknown',
      evidence: expect.stringContaining('could use the wallet up') as string,
    });
  });

  it('finds a hold by a refusal without a type, which shows the amount', async () => {
    const { find } = await probeService({
      profile: { debitAt: 'processing', hold: 'reserve' },
      intercept: async ({ path, body, forward }) => {
        const response = await forward();
        if (path !== '/payments' || response.status !== 422) return response;
        const { amount } = body;
        return Response.json({ detail: `Too little for ${String(amount)}.`, amount }, { status: 402 });
      },
    });
    expect(find('hold')).toMatchObject({ state: 'found', value: 'reserve' });
  });

  it('measures the lag of rows without ids whose fee is on top', async () => {
    const profile = {
      feeMode: 'onTop',
      transactionShape: 'minimal',
      readLag: { transactions: '2s' },
    } as const;
    const { result } = await probeService({ profile });
    expect(Object.keys(result('readLag') as object)).toEqual(['transactions']);
  });

  describe('if reads lag behind the create, and the balance does not', () => {
    const late = 2_500;
    it.each(['create', 'processing', 'completed'] as const)('finds debitAt: %s', async (debitAt) => {
      const { find } = await probeService({ profile: { debitAt }, intercept: hideNewPayments(late) });
      expect(find('debitAt')).toMatchObject({ state: 'found', value: debitAt });
      expect(find('debitAt')?.evidence).toMatch(/^before \d+, 404 .*; reads show payments after \d+ ms$/);
    });

    it.each([
      ['full', ['full']],
      ['lessFee', ['lessFee', 'unknown']],
      ['none', ['none']],
    ] as const)('measures refund: %s, which precedes the status', async (refund, expected) => {
      const { result } = await probeService({ profile: { refund }, intercept: hideNewPayments(late) });
      expect(expected).toContain(result('refund'));
    });

    it('measures a refund before any read shows the payment', async () => {
      const { find } = await probeService({ intercept: hideNewPayments(6_000) });
      expect(find('refund')).toMatchObject({ state: 'found', value: 'full' });
    });
  });

  it('names the accounts if one payment failed without a debit and the other did not fail', async () => {
    const { find } = await probeService({
      profile: { debitAt: 'completed' },
      options: { returning: 'DE89', timeout: 10_000 },
    });
    expect(find('refund')?.evidence).toBe('the failed payment to the account SIM-FAIL had not been debited');
    expect(find('returnRefund')?.evidence).toBe(
      'a payment to the account DE89 did not fail; set `returning` to an account whose payments fail after they completed',
    );
  });

  it('measures the time in each status, which is fixed only if several payments agree', async () => {
    const fixed = await probeService({ profile: { durations: { pending: '2s', processing: '500ms' } } });
    expect(fixed.result('durations')).toMatchObject({ pending: '2s', processing: '500ms' });
    expect(fixed.find('durations')?.evidence).toMatch(
      /^pending 2s \(7 payments\), processing 500ms \(7 payments\), completed between \d+ms and \d+ms \(1 payment\)$/,
    );
    const varied = await probeService({ profile: { durations: { pending: ['1s', '9s'] } } });
    expect(varied.find('durations')?.evidence).toMatch(
      /^pending between \d+(ms|s) and \d+(ms|s) \(7 payments\), /,
    );
  });

  it('keeps the accounts of `failing` and `returning` as rules', async () => {
    const { result, find } = await probeService({
      profile: { outcomes: [{ account: { suffix: '0000' }, outcome: 'fail_early' }] },
      options: { failing: '120000', returning: 'DE89', timeout: 20_000 },
    });
    expect(result('outcomes')).toEqual([{ account: { equals: '120000' }, outcome: 'fail_early' }]);
    expect(find('outcomes')?.evidence).toBe('payments to 120000: fail_early, payments to DE89: ok');
  });

  it('waits for a return for 10 s if `returning` is not set', async () => {
    const creates: { readonly at: number; readonly account: unknown }[] = [];
    const { find } = await probeService({
      intercept: async (exchange) => {
        const { body, request, mock, forward } = exchange;
        if (!isCreate(exchange)) return forward();
        creates.push({ at: mock.sandbox.clock.now().getTime(), account: body.beneficiary_account });
        if (body.beneficiary_account !== 'SIM-RETURN') return forward();
        const ordinary = JSON.stringify({ ...body, beneficiary_account: 'DE89' });
        return mock.fetch(new Request(request, { method: 'POST', body: ordinary }));
      },
      options: { timeout: 3_600_000 },
    });
    expect(find('returnRefund')).toMatchObject({
      state: 'unknown',
      evidence:
        'a payment to the account SIM-RETURN did not fail; set `returning` to an account whose payments fail after they completed',
    });
    const index = creates.findIndex(({ account }) => account === 'SIM-RETURN');
    const [start = 0, next = 0] = creates.slice(index).map(({ at }) => at);
    // The payment completes after 4 s.
    expect(next - start).toBeGreaterThan(14_000);
    expect(next - start).toBeLessThan(17_000);
  });

  it('waits for a refund that follows long after the failure', async () => {
    let failedAt: number | undefined;
    const outcome = await probeService({
      intercept: async (exchange) => {
        const { path, forward, mock } = exchange;
        const now = mock.sandbox.clock.now().getTime();
        const response = await forward();
        if (isRead(exchange) && (await response.clone().text()).includes('"failed"')) failedAt ??= now;
        const isDelayed = path === '/balance' && failedAt !== undefined && now < failedAt + 9_000;
        if (!isDelayed) return response;
        return changeData(response, ({ balances }) => ({
          balances: (balances as { currency: string; balance: number }[]).map((one) =>
            one.currency === 'USD' ? { ...one, balance: one.balance - 10 } : one,
          ),
        }));
      },
    });
    expect(outcome.result('refund')).toBe('full');
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

  it('does not report a skipped status if it may be too short to be observed', async () => {
    const outcome = await probeService({
      deliver: ignoreWebhooks,
      intercept: scheduleStatuses([
        [0, 'pending'],
        [25_200, 'processing'],
        [25_400, 'completed'],
      ]),
    });
    expect([outcome.result('transitions'), outcome.result('unknownStatus')]).toEqual(['unknown', 'unknown']);
  });

  it('counts a status that was read only once', async () => {
    const reads = new Map<string, number>();
    const outcome = await probeService({
      profile: { transitions: 'skip' },
      intercept: async (exchange) => {
        const response = await exchange.forward();
        if (!isRead(exchange)) return response;
        const count = (reads.get(exchange.path) ?? 0) + 1;
        reads.set(exchange.path, count);
        // Each payment that is read this often is watched until it is final.
        return count === 7 ? changeData(response, (data) => ({ ...data, status: 'processing' })) : response;
      },
    });
    expect(outcome.result('transitions')).toBe('walk');
  });

  it.each<[string, ExtraStatus, RegExp]>([
    [
      'of all payments',
      { status: 'in_review', after: 'pending', duration: '2s' },
      /^in_review after pending in \d+ payments of 10\.00 to 10000\.00$/,
    ],
    [
      'after processing and without a webhook',
      { status: 'settling', after: 'processing', duration: '2s', webhook: false },
      /^settling after processing in \d+ payments of /,
    ],
    [
      'of amounts from 5000.00',
      { status: 'held', after: 'pending', amount: { from: '5000.00' }, duration: '2s' },
      /^held after pending in \d+ payments of 5000\.00 to 10000\.00, not in \d+ payments of 10\.00 to 4999\.99$/,
    ],
    [
      'of amounts up to 730.00',
      { status: 'batched', after: 'pending', amount: { to: '730.00' }, duration: '2s' },
      /^batched after pending in \d+ payments of 10\.00 to \d+\.\d\d, not in \d+ payments of \d+\.\d\d to 10000\.00$/,
    ],
    [
      'with the name of the setting `unknownStatus`',
      { status: 'under_review', after: 'pending', amount: { from: '3000.01' }, duration: '2s' },
      /^under_review after pending in \d+ payments of 3000\.01 to 10000\.00, not in \d+ payments of 10\.00 to 3000\.00$/,
    ],
    [
      'with the name and the place of the setting `unknownStatus`',
      { status: 'under_review', after: 'processing', amount: { from: '3000.01' }, duration: '2s' },
      /^under_review after processing in \d+ payments of 3000\.01 to 10000\.00, not in \d+ payments of 10\.00 to 3000\.00$/,
    ],
    [
      'of an account',
      { status: 'held', after: 'pending', account: { equals: 'SIM-RETURN' }, duration: '2s' },
      /^held after pending in 1 payment of 10\.00, not in \d+ payments of 10\.00 to 10000\.00$/,
    ],
  ])('finds a status that the document does not have, %s', async (_, extra, evidence) => {
    const { find } = await probeService({ profile: { extraStatuses: [extra] } });
    const finding = find('extraStatuses');
    expect(finding?.evidence).toMatch(evidence);
    const [{ amount, duration: _time, ...found } = {} as ExtraStatus] =
      finding?.state === 'found' ? (finding.value as readonly ExtraStatus[]) : [];
    const { amount: ofExtra, duration: __, ...expected } = extra;
    expect(found).toEqual(expected);
    // The amounts between two payments of the probe are not known.
    expect(Number(amount?.from ?? 0)).toBe(Number(ofExtra?.from ?? 0));
    expect(Number(amount?.to ?? 0)).toBeLessThanOrEqual(Number(ofExtra?.to ?? 0));
    expect(find('unknownStatus')).toMatchObject({ value: 'none' });
  });

  it('does not tell the payments of a status whose amounts and accounts are those of others', async () => {
    let creates = 0;
    const odd = new Set<string>();
    const outcome = await probeService({
      profile: { extraStatuses: [{ status: 'held', after: 'pending', name: { suffix: '!' } }] },
      intercept: async ({ request, path, body, forward, mock }) => {
        if (request.method !== 'POST' || path !== '/payments') return forward();
        creates += 1;
        if (creates % 2 === 0) return forward();
        odd.add(String(body.amount));
        const changed = JSON.stringify({ ...body, beneficiary_name: 'Probe!' });
        return mock.fetch(new Request(request, { method: 'POST', body: changed }));
      },
    });
    expect(outcome.find('extraStatuses')).toMatchObject({
      state: 'unknown',
      evidence: expect.stringContaining('do not tell which ones pass through it') as string,
    });
    expect(odd.size).toBeGreaterThan(1);
  });

  it('counts an undocumented status that only the create response has', async () => {
    const outcome = await probeService({
      intercept: async (exchange) =>
        isCreate(exchange)
          ? changeData(await exchange.forward(), (data) => ({ ...data, status: 'received' }))
          : exchange.forward(),
    });
    expect(outcome.result('unknownStatus')).toBe('other');
  });

  it('limits its requests for a payment that takes hours', async () => {
    const outcome = await probeService({
      deliver: ignoreWebhooks,
      intercept: scheduleStatuses([[0, 'pending']]),
    });
    expect(outcome.result('debitAt')).toBe('create');
    expect([
      outcome.result('transitions'),
      outcome.result('unknownStatus'),
      outcome.result('refund'),
    ]).toEqual(['unknown', 'unknown', 'unknown']);
    expect(outcome.payments).toBeLessThanOrEqual(16);
    expect(outcome.requests.length).toBeLessThan(2_000);
  });

  it('reports unknown for the statuses of a payment that completes at once', async () => {
    const outcome = await probeService({
      deliver: ignoreWebhooks,
      intercept: scheduleStatuses([[0, 'completed']]),
    });
    expect([
      outcome.result('transitions'),
      outcome.result('unknownStatus'),
      outcome.result('debitAt'),
    ]).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it.each([
    ['no id', undefined],
    ['a number as the id', 5],
  ])('does not take two payments with %s for the same payment', async (_, id) => {
    const outcome = await probeService({
      intercept: async (exchange) =>
        isCreate(exchange)
          ? changeData(await exchange.forward(), (data) => ({ ...data, id }))
          : exchange.forward(),
    });
    expect(outcome.result('idempotency')).toBe('unknown');
  });

  it.each([
    ['first', 0],
    ['second', 1],
  ])('does not derive idempotency from insufficient funds at the %s of two payments', async (_, at) => {
    let keyed = 0;
    const outcome = await probeService({
      intercept: async (exchange) => {
        if (!isCreate(exchange) || !exchange.request.headers.has('idempotency-key'))
          return exchange.forward();
        keyed += 1;
        return keyed > at ? createError(422, 'insufficient_funds') : exchange.forward();
      },
    });
    expect(outcome.result('idempotency')).toBe('unknown');
  });

  it.each([
    [409, 'conflict'],
    [422, 'idempotency_error'],
  ])('reports conflict if the service responds to a repeated key with %i %s', async (status, type) => {
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
  });

  it('reports replayed if the service responds to a repeated key with 200', async () => {
    let keyed = 0;
    const outcome = await probeService({
      intercept: async (exchange) => {
        const response = await exchange.forward();
        if (!isCreate(exchange) || !exchange.request.headers.has('idempotency-key')) return response;
        keyed += 1;
        return keyed === 2 ? new Response(response.body, { status: 200 }) : response;
      },
    });
    expect(outcome.result('idempotency')).toBe('replayed');
  });

  it('reports other if fields are absent in different forms', async () => {
    const outcome = await probeService({
      intercept: async (exchange) =>
        isCreate(exchange)
          ? changeData(await exchange.forward(), (data) => ({ ...data, beneficiary: { name: 'Probe' } }))
          : exchange.forward(),
    });
    expect(outcome.result('absent')).toBe('other');
  });

  it('reports other for a debit at an undocumented status', async () => {
    const outcome = await probeService({
      profile: { unknownStatus: 'invented', debitAt: 'processing' },
      intercept: async (exchange) => {
        const response = await exchange.forward();
        if (!isRead(exchange)) return response;
        const names: Record<string, string> = {
          pending: 'pending',
          processing: 'under_review',
          under_review: 'processing',
        };
        return changeData(response, (data) => ({
          ...data,
          status: names[String(data.status)] ?? data.status,
        }));
      },
    });
    expect(outcome.result('debitAt')).toBe('other');
  });

  it('creates 10 to 15 payments', async () => {
    const settings = [{}, { debitAt: 'completed' }, { retrySchedule: 'none' }, { ack: '2xx' }] as const;
    for (const profile of settings) {
      const { payments } = await probeService({ profile });
      expect(payments).toBeGreaterThanOrEqual(10);
      expect(payments).toBeLessThanOrEqual(15);
    }
  });

  it.each([
    ['reads lag by 3 s', 3_000, 'found'],
    ['no read shows the payment', 60_000, 'unknown'],
  ])('measures the create response even if %s', async (_, lagTime, ofReads) => {
    const created = new Map<string, number>();
    const outcome = await probeService({
      intercept: async (exchange) => {
        const { path, forward, mock } = exchange;
        const now = mock.sandbox.clock.now().getTime();
        const id = path.replace('/payments/', '');
        if (isRead(exchange) && now - (created.get(id) ?? 0) < lagTime) return createError(404, 'not_found');
        const response = await forward();
        if (isCreate(exchange)) {
          const { data } = (await response.clone().json()) as { data: { id: string } };
          created.set(data.id, now);
        }
        return response;
      },
    });
    for (const setting of ['createStatus', 'absent', 'timestamps']) {
      expect(outcome.find(setting)?.state).toBe('found');
    }
    expect(outcome.find('transitions')?.state).toBe(ofReads);
    // A status that passes within the lag is not observed.
    expect(outcome.result('unknownStatus')).toBe('unknown');
    expect(outcome.readLag >= 3_000 && outcome.readLag < 4_000).toBe(ofReads === 'found');
  });
});
