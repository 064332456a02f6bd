import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FaultOptions, type RequestView, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { collectGarbage } from './collect-garbage.ts';
import { createPlainCaller, createStillMock, order } from './support.ts';

const realNow = performance.now.bind(performance);

/** The result of a request for a client: the response so far, and the error that ended it. */
interface Seen {
  status?: number;
  type?: string | null;
  text?: string;
  error?: object;
}

interface Manner {
  isGivenUp?: boolean;
  beneficiary_account?: string;
}

/** Creates a payment and reads the whole response, or aborts after the first bytes. */
async function pay(mock: Mock, { isGivenUp, ...fields }: Manner = {}): Promise<Seen> {
  const seen: Seen = {};
  const giveUp = new AbortController();
  try {
    const response = await mock.fetch(`${mock.baseUrl}/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': mock.account.testKey },
      body: JSON.stringify(order(fields)),
      signal: giveUp.signal,
    });
    Object.assign(seen, { status: response.status, type: response.headers.get('content-type'), text: '' });
    for await (const chunk of response.body ?? []) {
      seen.text += new TextDecoder().decode(chunk);
      if (isGivenUp) giveUp.abort(new Error('enough'));
    }
  } catch (error) {
    seen.error = error as object;
  }
  return seen;
}

const html = 'text/html; charset=utf-8';

async function countPayments({ get }: ReturnType<typeof createStillMock>): Promise<unknown> {
  const { data } = (await get('/transactions?type=payment')).body;
  return (data.pagination as { total: number }).total;
}

describe('the commit option of a fault', () => {
  const switched = [
    { fault: { kind: 'status', status: 503 }, rejected: 503, made: 503 },
    { fault: { kind: 'rate_limit' }, rejected: 429, made: 429 },
    { fault: { kind: 'html', status: 200 }, rejected: 200, made: 200 },
    { fault: { kind: 'empty', status: 204 }, rejected: 204, made: 204 },
    { fault: { kind: 'wrong_content_type' }, rejected: 500, made: 201 },
    { fault: { kind: 'truncated' }, rejected: 500, made: 201 },
    { fault: { kind: 'stalled' }, rejected: 500, made: 201 },
    { fault: { kind: 'garbage' }, rejected: undefined, made: undefined },
  ] as const satisfies { fault: FaultOptions; rejected: number | undefined; made: number | undefined }[];

  it.each(switched)('decides whether the operation runs: $fault.kind', async ({ fault, rejected, made }) => {
    const still = createStillMock();
    const { mock } = still;
    const isGivenUp = fault.kind === 'stalled';
    const before = await mock.sandbox.stateHash();
    mock.sandbox.faults.inject({ ...fault, commit: false });
    expect(await mock.sandbox.stateHash()).toBe(before);
    expect((await pay(mock, { isGivenUp })).status).toBe(rejected);
    expect(await mock.sandbox.stateHash()).toBe(before);
    mock.sandbox.faults.inject({ ...fault, commit: true });
    expect((await pay(mock, { isGivenUp })).status).toBe(made);
    expect(await countPayments(still)).toBe(1);
  });

  it('false uses no id', async () => {
    const create = async ({ post }: ReturnType<typeof createStillMock>): Promise<unknown> =>
      (await post('/payments', order())).body.data.id;
    const faulty = createStillMock();
    for (const { fault } of switched) {
      faulty.mock.sandbox.faults.inject({ ...fault, commit: false });
      await pay(faulty.mock, { isGivenUp: fault.kind === 'stalled' });
    }
    expect(await create(faulty)).toBe(await create(createStillMock()));
  });

  it.each([true, false])('decides when the operation runs for a latency: commit %s', async (commit) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const LATENCY = 30;
    const times: number[] = [];
    const met: RequestView[] = [];
    const { mock } = createStillMock({
      fetch: async () => {
        times.push(realNow());
        met.push(...mock.sandbox.requests.list());
        return new Response();
      },
    });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    mock.sandbox.faults.inject({ kind: 'latency', ms: LATENCY, commit });
    times.push(realNow());
    // The event exists as soon as the payment does.
    expect(await pay(mock, { beneficiary_account: 'SIM-HOOK-FIRST' })).toMatchObject({ status: 201 });
    times.push(realNow());
    expect(met).toMatchObject([{ response: null, fault: { kind: 'latency' } }]);
    const [sent = 0, made = 0, answered = 0] = times;
    // Timers can fire a fraction of a millisecond early.
    expect(commit ? answered - made : made - sent).toBeGreaterThan(LATENCY - 2);
  });
});

describe('a latency without a commit', () => {
  it('runs the operation after the client has left, once the fault is removed', async () => {
    const still = createStillMock();
    const { mock } = still;
    await using server = await listen(mock, { port: 0 });
    const fault = mock.sandbox.faults.inject({ kind: 'latency', ms: 3_600_000, commit: false });
    const giveUp = new AbortController();
    const headers = { 'content-type': 'application/json', 'x-api-key': mock.account.testKey };
    const body = JSON.stringify(order());
    const { signal } = giveUp;
    const created = fetch(`${server.baseUrl}/payments`, { method: 'POST', headers, body, signal });
    const readBody = (): unknown => mock.sandbox.requests.list()[0]?.json;
    await expect.poll(readBody).toEqual(order());
    giveUp.abort();
    await expect(created).rejects.toThrow('aborted');
    expect(await countPayments(still)).toBe(0);
    fault.remove();
    await expect.poll(() => countPayments(still)).toBe(1);
  });

  it('is not late any more after all faults are removed', async () => {
    const { mock } = createStillMock();
    mock.sandbox.faults.inject({ kind: 'latency', ms: 3_600_000 });
    const paid = pay(mock);
    mock.sandbox.faults.clear();
    expect((await paid).status).toBe(201);
  });
});

describe('a truncated response', () => {
  it('with the length of the half is complete for HTTP, and half of the JSON', async () => {
    const { mock } = createStillMock();
    await using server = await listen(mock, { port: 0 });
    mock.sandbox.faults.inject({ kind: 'truncated', contentLength: 'half' });
    const headers = { 'x-api-key': mock.account.testKey };
    const text = await (await fetch(`${server.baseUrl}/balance`, { headers })).text();
    const whole = await (await fetch(`${server.baseUrl}/balance`, { headers })).text();
    expect(text).toBe(whole.slice(0, whole.length / 2));
  });
});

describe('a fault with an injected fetch', () => {
  it('a garbage fault has the error code of Node with an injected fetch', async () => {
    const { mock } = createStillMock();
    mock.sandbox.faults.inject({ kind: 'garbage' });
    const { error } = await pay(mock);
    expect(error).toMatchObject({ cause: { code: 'HPE_INVALID_CONSTANT' } });
  });

  it('a stalled response is aborted even if only the signal is referenced', async () => {
    const { mock } = createStillMock();
    const giveUp = new AbortController();
    const readAll = async (): Promise<string> => {
      mock.sandbox.faults.inject({ kind: 'stalled' });
      const headers = { 'x-api-key': mock.account.testKey };
      const request = new Request(`${mock.baseUrl}/balance`, { headers, signal: giveUp.signal });
      return (await mock.fetch(request)).text();
    };
    const text = readAll();
    await expect.poll(() => mock.sandbox.requests.list()[0]?.response).toMatchObject({ status: 200 });
    await collectGarbage();
    giveUp.abort(new Error('enough'));
    await expect(text).rejects.toThrow('enough');
  });
});

describe('the scope of a fault', () => {
  it('is the operation, the account and the mode', async () => {
    const { mock } = createStillMock();
    const other = mock.sandbox.accounts.create();
    const ask = async (key: string, path = '/balance'): Promise<number> =>
      (await mock.fetch(`${mock.baseUrl}${path}`, { headers: { 'x-api-key': key } })).status;
    const { faults } = mock.sandbox;
    faults.inject({ kind: 'status', status: 500, operation: 'listTransactions' });
    faults.inject({ kind: 'status', status: 501, account: other });
    faults.inject({ kind: 'status', status: 502, account: mock.account.id, mode: 'live' });
    expect(await ask(mock.account.testKey)).toBe(200);
    expect(await ask(other.liveKey)).toBe(501);
    expect(await ask(mock.account.liveKey)).toBe(502);
    expect(await ask(mock.account.testKey, '/transactions')).toBe(500);
    expect(faults.list().map(({ fired }) => fired)).toEqual([1, 1, 1]);
  });

  it('excludes requests that fail before the operation', async () => {
    const { mock, send, get } = createStillMock();
    const { faults, accounts, profile } = mock.sandbox;
    faults.inject({ kind: 'status', status: 500 });
    expect((await send('GET', '/balance', { headers: { authorization: 'Bearer x' } })).status).toBe(401);
    accounts.suspend();
    expect((await get('/balance')).status).toBe(403);
    accounts.resume();
    expect((await get('/nothing')).status).toBe(404);
    expect((await send('DELETE', '/balance')).status).toBe(405);
    expect((await send('OPTIONS', '/balance')).status).toBe(204);
    profile.set({ rateLimit: { requests: 0, window: '1s' } });
    expect((await get('/balance')).status).toBe(429);
    profile.set({ rateLimit: 'none' });
    expect(faults.list()).toMatchObject([{ fired: 0 }]);
    expect((await get('/balance')).status).toBe(500);
  });

  it('excludes HEAD for faults that need a body', async () => {
    const { mock, send } = createStillMock();
    mock.sandbox.faults.inject({ kind: 'truncated' });
    mock.sandbox.faults.inject({ kind: 'stalled' });
    expect((await send('HEAD', '/balance')).status).toBe(200);
    mock.sandbox.faults.inject({ kind: 'html' });
    const { status, headers, text } = await createPlainCaller(mock).ask('HEAD', '/balance');
    expect([status, headers.get('content-type'), text]).toEqual([502, html, '']);
    expect(mock.sandbox.faults.list().map(({ fired }) => fired)).toEqual([0, 0, 1]);
  });
});

describe('the schedule of a fault', () => {
  /** The statuses of a number of requests, as digits: they show which requests a fault affected. */
  async function affectedRequests(mock: Mock, calls: number): Promise<string> {
    const { get } = createPlainCaller(mock);
    let met = '';
    for (let call = 0; call < calls; call += 1) {
      const { status } = await get('/balance');
      met += status === 200 ? '.' : status - 500;
    }
    return met;
  }

  it('is one firing at the next request by default', async () => {
    const { mock } = createStillMock();
    const { faults } = mock.sandbox;
    faults.inject({ kind: 'status', status: 501 });
    faults.inject({ kind: 'status', status: 502, times: 2, after: 1 });
    faults.inject({ kind: 'status', status: 503, times: 'unlimited', after: 3 });
    // Only the first due fault fires; later ones do not count this request.
    expect(await affectedRequests(mock, 9)).toBe('1.22..333');
    faults.clear();
    expect(await affectedRequests(mock, 2)).toBe('..');
  });

  it('depends only on the seed with a probability', async () => {
    const run = async (seed: number, prepare: (mock: Mock) => unknown = () => {}): Promise<string> => {
      const { mock } = createStillMock({ seed });
      mock.sandbox.faults.inject({ kind: 'status', status: 501, probability: 0.5 });
      await prepare(mock);
      return affectedRequests(mock, 40);
    };
    const first = await run(1);
    expect(first).toMatch(/1/);
    expect(first).toMatch(/\./);
    expect(await run(1)).toBe(first);
    expect(await run(1, (mock) => mock.sandbox.accounts.create())).toBe(first);
    expect(
      await run(1, (mock) => mock.sandbox.faults.inject({ kind: 'latency', ms: 0, probability: 0.5 })),
    ).toBe(first);
    expect(await run(2)).not.toBe(first);
  });

  it('matches the probability on average', async () => {
    const { mock } = createStillMock();
    mock.sandbox.faults.inject({ kind: 'status', status: 501, probability: 0.2 });
    await affectedRequests(mock, 1_000);
    const [fault] = mock.sandbox.faults.list();
    expect(Math.abs(Number(fault?.fired) - 200)).toBeLessThan(50);
  });
});

describe('the list of faults', () => {
  it('contains the terms of each fault, without those that are undefined', () => {
    const { mock } = createStillMock();
    const { faults, webhooks } = mock.sandbox;
    const { account } = mock;
    webhooks.collect();
    const times = undefined as never;
    const request = faults.inject({ kind: 'latency', ms: 5, operation: 'getBalance', account, times });
    const delivery = faults.inject({ target: 'delivery', kind: 'delay', by: '1s', account });
    mock.sandbox.payments.create({ ...order(), amount: 1 } as never);
    const common = { account: account.id, mode: null, times: 1 };
    expect(faults.list()).toEqual([
      {
        ...common,
        id: request.id,
        target: 'request',
        kind: 'latency',
        ms: 5,
        operation: 'getBalance',
        after: 0,
        probability: 1,
        fired: 0,
      },
      { ...common, id: delivery.id, target: 'delivery', kind: 'delay', by: 1000, event: null, fired: 1 },
    ]);
  });

  it('loses faults by remove, clear and a reset', () => {
    const { mock } = createStillMock();
    const { faults, accounts } = mock.sandbox;
    const other = accounts.create();
    const first = faults.inject({ kind: 'html' });
    faults.inject({ kind: 'empty', account: other });
    faults.inject({ target: 'delivery', kind: 'drop', account: mock.account });
    const kinds = (): string[] => faults.list().map(({ kind }) => kind);
    const second = faults.inject({ target: 'delivery', kind: 'tamper' });
    first.remove();
    first.remove();
    faults.remove(second.id);
    expect(() => faults.remove(second.id)).toThrow(`There is no fault "${second.id}".`);
    expect(kinds()).toEqual(['empty', 'drop']);
    faults.clear(other);
    expect(kinds()).toEqual(['drop']);
    faults.clear(mock.account);
    expect(kinds()).toEqual([]);
    for (const end of [faults.clear, mock.sandbox.reset]) {
      faults.inject({ kind: 'html' });
      faults.inject({ target: 'delivery', kind: 'drop' });
      end();
      expect(kinds()).toEqual([]);
    }
  });
});

describe('the response of a fault', () => {
  it('contains Retry-After if it is set', async () => {
    const { mock, get } = createStillMock();
    const { faults, clock } = mock.sandbox;
    const ask = async (fault: FaultOptions): Promise<(string | null)[]> => {
      faults.inject(fault);
      const { status, headers } = await get('/balance');
      expect(headers.get('x-ratelimit-remaining')).toBe(status === 429 ? '0' : null);
      return ['retry-after', 'x-ratelimit-reset'].map((name) => headers.get(name));
    };
    const now = Math.floor(clock.now().getTime() / 1000);
    expect(await ask({ kind: 'rate_limit' })).toEqual(['1', String(now + 1)]);
    expect(await ask({ kind: 'rate_limit', retryAfter: 30 })).toEqual(['30', String(now + 30)]);
    expect(await ask({ kind: 'status', status: 503 })).toEqual(['1', null]);
    expect(await ask({ kind: 'status', status: 503, retryAfter: 0 })).toEqual(['0', null]);
    expect(await ask({ kind: 'rate_limit', retryAfter: 0 })).toEqual(['0', String(now)]);
    expect(await ask({ kind: 'status', status: 500 })).toEqual([null, null]);
    expect(await ask({ kind: 'status', status: 500, retryAfter: 2 })).toEqual(['2', null]);
  });

  it('contains the given error type', async () => {
    const { mock, get } = createStillMock();
    mock.sandbox.faults.inject({ kind: 'status', status: 403, type: 'permission_error' });
    expect((await get('/balance')).body.error.type).toBe('permission_error');
  });

  it('damages an error like a success', async () => {
    const { mock } = createStillMock();
    mock.sandbox.wallets.set({ currency: 'USD', amount: 0 });
    mock.sandbox.faults.inject({ kind: 'wrong_content_type' });
    expect(await pay(mock)).toMatchObject({
      status: 422,
      type: html,
      text: expect.stringContaining('insufficient_funds'),
    });
  });

  it('does not stop the events and the idempotency key of the payment', async () => {
    const events: string[] = [];
    const { mock, post } = createStillMock({
      fetch: async (request) => {
        events.push(((await request.json()) as { event: string }).event);
        return new Response();
      },
    });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
    const key = { 'idempotency-key': 'a' };
    await expect(post('/payments', order(), key)).rejects.toThrow('fetch failed');
    await mock.sandbox.idle();
    expect(events).toEqual(['payment.pending']);
    const again = await post('/payments', order(), key);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  });
});
