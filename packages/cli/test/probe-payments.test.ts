// What the probe makes of payments and wallets that others use too, that lag, or that go ways of their own.
import { expect, it } from 'vitest';
import { type Asked, change, probeService, refuse } from './probe-world.ts';

type Kept = { readonly at: number; readonly body: string };

/** Answers some questions as they would have been answered some time ago. */
function lag(pattern: RegExp, milliseconds: number) {
  const kept = new Map<string, Kept[]>();
  return async ({ request, path, answer, mock }: Asked): Promise<Response> => {
    const response = await answer();
    if (request.method !== 'GET' || !pattern.test(path) || !response.ok) return response;
    const now = mock.sandbox.clock.now().getTime();
    const list = kept.get(path) ?? [];
    list.push({ at: now, body: await response.clone().text() });
    kept.set(path, list);
    const old = list.findLast(({ at }) => at <= now - milliseconds) ?? list[0];
    return new Response(old?.body, { status: response.status });
  };
}

function credit({ mock }: Asked, amount: string): void {
  mock.sandbox.wallets.credit({ account: mock.account, mode: 'test', currency: 'USD', amount });
}

/** Pays as another client of the account does. */
async function payBeside({ request, mock }: Asked, amount: number): Promise<void> {
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

const isCreate = ({ request, path }: Asked): boolean => request.method === 'POST' && path === '/payments';
const isLook = ({ request, path }: Asked): boolean =>
  request.method === 'GET' && path.startsWith('/payments/');

it.each([
  ['a payment of another client', (asked: Asked) => payBeside(asked, 3)],
  ['a deposit', async (asked: Asked) => credit(asked, '7.00')],
  ['a deposit that hides the debit', async (asked: Asked) => credit(asked, '10.00')],
])('reads neither debit nor refund out of %s', async (_, disturb) => {
  for (const debitAt of ['create', 'completed'] as const) {
    const seen = await probeService({
      profile: { debitAt },
      bend: async (asked) => {
        const response = await asked.answer();
        if (isCreate(asked)) await disturb(asked);
        return response;
      },
    });
    expect([debitAt, 'unknown']).toContain(seen.said('debitAt'));
    expect(['full', 'unknown']).toContain(seen.said('refund'));
  }
});

it('reads no refund out of a wallet that others draw on all the time', async () => {
  const seen = await probeService({
    bend: async (asked) => {
      if (asked.path === '/balance') await payBeside(asked, 0.5);
      return asked.answer();
    },
  });
  expect([seen.said('debitAt'), seen.said('refund')]).toEqual(['unknown', 'unknown']);
});

it.each([300, 1_500, 2_500, 4_500])('is not misled by a balance that is %i ms late', async (late) => {
  for (const debitAt of ['create', 'processing', 'completed'] as const) {
    const seen = await probeService({ profile: { debitAt }, bend: lag(/^\/balance$/, late) });
    expect([debitAt, 'unknown']).toContain(seen.said('debitAt'));
    expect(['full', 'unknown']).toContain(seen.said('refund'));
  }
});

it.each([300, 1_500, 2_500])('is not misled by a status that is %i ms late', async (late) => {
  for (const debitAt of ['create', 'processing', 'completed'] as const) {
    const seen = await probeService({ profile: { debitAt }, bend: lag(/^\/payments\//, late) });
    expect([debitAt, 'unknown']).toContain(seen.said('debitAt'));
    expect(['full', 'unknown']).toContain(seen.said('refund'));
    expect(['walk', 'unknown']).toContain(seen.said('transitions'));
  }
});

it('waits for a refund that comes long after the failure', async () => {
  let failedAt: number | undefined;
  const seen = await probeService({
    bend: async (asked) => {
      const { path, answer, mock } = asked;
      const now = mock.sandbox.clock.now().getTime();
      const response = await answer();
      if (isLook(asked) && (await response.clone().text()).includes('"failed"')) failedAt ??= now;
      const isHeld = path === '/balance' && failedAt !== undefined && now < failedAt + 9_000;
      if (!isHeld) return response;
      return change(response, ({ balances }) => ({
        balances: (balances as { currency: string; balance: number }[]).map((one) =>
          one.currency === 'USD' ? { ...one, balance: one.balance - 10 } : one,
        ),
      }));
    },
  });
  expect(seen.said('refund')).toBe('full');
});

const unheard = async (): Promise<Response> => new Response(null);

/** A payment that has statuses at times of its own, in milliseconds. */
function walkLike(steps: readonly (readonly [number, string])[]) {
  const since = new Map<string, number>();
  return async (asked: Asked): Promise<Response> => {
    const now = asked.mock.sandbox.clock.now().getTime();
    const response = await asked.answer();
    if (!isLook(asked)) return response;
    return change(response, (data) => {
      const id = String(data.id);
      since.set(id, since.get(id) ?? now);
      const age = now - (since.get(id) ?? now);
      const status = steps.findLast(([at]) => at <= age)?.[1];
      return { ...data, status };
    });
  };
}

it('does not say that a status is skipped which may be too short to be seen', async () => {
  const seen = await probeService({
    deliver: unheard,
    bend: walkLike([
      [0, 'pending'],
      [25_200, 'processing'],
      [25_400, 'completed'],
    ]),
  });
  expect([seen.said('transitions'), seen.said('unknownStatus')]).toEqual(['unknown', 'unknown']);
});

it('counts a status that was seen only once', async () => {
  let looks = 0;
  const seen = await probeService({
    profile: { transitions: 'skip' },
    bend: async (asked) => {
      const response = await asked.answer();
      if (!isLook(asked)) return response;
      looks += 1;
      return looks === 21 ? change(response, (data) => ({ ...data, status: 'processing' })) : response;
    },
  });
  expect(seen.said('transitions')).toBe('walk');
});

it('counts a strange status that only the create answers', async () => {
  const seen = await probeService({
    bend: async (asked) =>
      isCreate(asked)
        ? change(await asked.answer(), (data) => ({ ...data, status: 'received' }))
        : asked.answer(),
  });
  expect(seen.said('unknownStatus')).toBe('invented');
});

it('is not in a hurry for a payment that takes hours, and says little of it', async () => {
  const seen = await probeService({ deliver: unheard, bend: walkLike([[0, 'pending']]) });
  expect(seen.said('debitAt')).toBe('create');
  expect([seen.said('transitions'), seen.said('unknownStatus'), seen.said('refund')]).toEqual([
    'unknown',
    'unknown',
    'unknown',
  ]);
  expect(seen.payments).toBeLessThanOrEqual(9);
  expect(seen.asked.length).toBeLessThan(2_000);
});

it('says little of a payment that is over at once', async () => {
  const seen = await probeService({ deliver: unheard, bend: walkLike([[0, 'completed']]) });
  expect([seen.said('transitions'), seen.said('unknownStatus'), seen.said('debitAt')]).toEqual([
    'unknown',
    'unknown',
    'unknown',
  ]);
});

it.each([
  ['no id', undefined],
  ['a number for an id', 5],
])('does not take payments with %s for the same', async (_, id) => {
  const seen = await probeService({
    bend: async (asked) =>
      isCreate(asked) ? change(await asked.answer(), (data) => ({ ...data, id })) : asked.answer(),
  });
  expect(seen.said('idempotency')).toBe('unknown');
});

it.each([
  ['the first', 0],
  ['the second', 1],
])('does not take a wallet that is empty at %s of two payments for a rule of replays', async (_, at) => {
  let keyed = 0;
  const seen = await probeService({
    bend: async (asked) => {
      if (!isCreate(asked) || !asked.request.headers.has('idempotency-key')) return asked.answer();
      keyed += 1;
      return keyed > at ? refuse(422, 'insufficient_funds') : asked.answer();
    },
  });
  expect(seen.said('idempotency')).toBe('unknown');
});

it.each([
  [409, 'conflict'],
  [422, 'idempotency_error'],
])('finds idempotency that answers a replay with %i %s', async (status, type) => {
  let keyed = 0;
  const seen = await probeService({
    bend: async (asked) => {
      if (!isCreate(asked) || !asked.request.headers.has('idempotency-key')) return asked.answer();
      keyed += 1;
      return keyed === 2 ? refuse(status, type) : asked.answer();
    },
  });
  expect(seen.said('idempotency')).toBe('conflict');
});

it('finds idempotency that answers a replay with 200', async () => {
  let keyed = 0;
  const seen = await probeService({
    bend: async (asked) => {
      const response = await asked.answer();
      if (!isCreate(asked) || !asked.request.headers.has('idempotency-key')) return response;
      keyed += 1;
      return keyed === 2 ? new Response(response.body, { status: 200 }) : response;
    },
  });
  expect(seen.said('idempotency')).toBe('replayed');
});

it('takes fields that are absent in different ways for a way of its own', async () => {
  const seen = await probeService({
    bend: async (asked) =>
      isCreate(asked)
        ? change(await asked.answer(), (data) => ({ ...data, beneficiary: { name: 'Probe' } }))
        : asked.answer(),
  });
  expect(seen.said('absent')).toBe('other');
});

it('says of no debit that it came at a status which no value names', async () => {
  const seen = await probeService({
    profile: { unknownStatus: 'invented', debitAt: 'processing' },
    bend: async (asked) => {
      const response = await asked.answer();
      if (!isLook(asked)) return response;
      const names: Record<string, string> = {
        pending: 'pending',
        processing: 'under_review',
        under_review: 'processing',
      };
      return change(response, (data) => ({ ...data, status: names[String(data.status)] ?? data.status }));
    },
  });
  expect(seen.said('debitAt')).toBe('other');
});

it('pays as often as it says', async () => {
  const settings = [{}, { debitAt: 'completed' }, { retrySchedule: 'none' }, { ack: '2xx' }] as const;
  for (const profile of settings) {
    const { payments } = await probeService({ profile });
    expect(payments).toBeGreaterThanOrEqual(6);
    expect(payments).toBeLessThanOrEqual(9);
  }
});

it.each([
  ['reads of it lag by 3 s', 3_000, 'found'],
  ['no read shows it', 60_000, 'unknown'],
])('tells what the answer to a create shows when %s', async (_, lagTime, ofReads) => {
  const created = new Map<string, number>();
  const seen = await probeService({
    bend: async (asked) => {
      const { path, answer, mock } = asked;
      const now = mock.sandbox.clock.now().getTime();
      const id = path.replace('/payments/', '');
      if (isLook(asked) && now - (created.get(id) ?? 0) < lagTime) return refuse(404, 'not_found');
      const response = await answer();
      if (isCreate(asked)) {
        const { data } = (await response.clone().json()) as { data: { id: string } };
        created.set(data.id, now);
      }
      return response;
    },
  });
  for (const setting of ['createStatus', 'absent', 'timestamps']) {
    expect(seen.of(setting)?.state).toBe('found');
  }
  expect(seen.of('transitions')?.state).toBe(ofReads);
  // A status that comes and goes within the lag is not seen.
  expect(seen.said('unknownStatus')).toBe('unknown');
  expect(seen.readLag >= 3_000 && seen.readLag < 4_000).toBe(ofReads === 'found');
});
