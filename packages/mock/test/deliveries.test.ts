import { describe, expect, it } from 'vitest';
import { isValidSignature } from '@service/webhooks';
import { retryDelays } from '@service/mock';
import { names, setUp, startReceiver } from './receiver.ts';
import { sendWebhook } from '../src/webhooks/attempt.ts';
import { createCaller, createStillMock, order } from './support.ts';

describe('webhook deliveries', () => {
  it('sends every status change, with a signature of the exact body', async () => {
    const { mock, post, get, received, secret } = await setUp();
    const created = await post(
      '/payments',
      order({ beneficiary_name: 'José "Ñ" 株式会社 \\ 👩‍👩‍👧‍👦', purpose: 'é' }),
    );
    const { id } = created.body.data as { id: string };
    const seen: unknown[] = [];
    for (const wait of [0, 1000, 3000]) {
      await mock.sandbox.clock.advance(wait);
      const payment = (await get(`/payments/${id}`)).body.data;
      const { status, from_currency, to_currency, send_amount, receive_amount } = payment;
      const data = { id, status, from_currency, to_currency, send_amount, receive_amount, mode: 'test' };
      seen.push({ event: `payment.${String(status)}`, created_at: expect.any(String), data });
    }
    expect(received.map(({ body }) => JSON.parse(body) as unknown)).toEqual(seen);
    expect(received.map(({ body }) => (JSON.parse(body) as { created_at: string }).created_at)).toEqual([
      '2026-01-31T12:00:00+00:00',
      '2026-01-31T12:00:01+00:00',
      '2026-01-31T12:00:04+00:00',
    ]);
    for (const { body, signature, type, method } of received) {
      expect(isValidSignature(body, signature, secret)).toBe(true);
      expect(signature).toMatch(/^[0-9a-f]{64}$/);
      expect([type, method]).toEqual(['application/json', 'POST']);
    }
  });

  it('sends an event after the response to its request', async () => {
    const happened: string[] = [];
    const { mock, post } = await setUp(() => {
      happened.push('event');
      return 200;
    });
    await post('/payments', order());
    happened.push('answer');
    await mock.sandbox.idle();
    expect(happened).toEqual(['answer', 'event']);
  });

  it('has the state that follows from the response', async () => {
    const at = Date.parse('2026-01-31T12:00:00Z');
    for (const [httpStatus, state] of [
      [200, 'acknowledged'],
      [204, 'retrying'],
      [307, 'retrying'],
      [410, 'stopped'],
      [500, 'retrying'],
    ] as const) {
      const { mock, post, received, url } = await setUp(() => httpStatus);
      const { id } = (await post('/payments', order({ beneficiary_account: 'SIM-PENDING' }))).body.data;
      await mock.sandbox.idle();
      expect(received).toHaveLength(1);
      const outcome = state === 'acknowledged' ? 'acknowledged' : 'refused';
      const attempts = [{ url, at, result: { outcome, httpStatus } }];
      const next_at = state === 'retrying' ? at + 5000 : null;
      expect(mock.sandbox.webhooks.deliveries()).toMatchObject([
        { payment_id: id, status: 'pending', state, attempts, next_at },
      ]);
    }
  });

  it('records an unreachable receiver', async () => {
    const { mock, post } = createStillMock();
    mock.sandbox.webhooks.setEndpoint({ url: 'http://127.0.0.1:9/hooks' });
    await post('/payments', order());
    await mock.sandbox.idle();
    expect(mock.sandbox.webhooks.deliveries()).toMatchObject([
      {
        state: 'retrying',
        attempts: [{ result: { outcome: 'failed', reason: 'network', detail: 'connection refused' } }],
      },
    ]);
  });

  it('times out on an unresponsive receiver', async () => {
    const webhook = { url: 'http://localhost:9/hooks', body: '{}', secret: 'a secret', ack: 200 } as const;
    const sender = (): Promise<number> => new Promise(() => {});
    expect(await sendWebhook(webhook, sender, 20)).toEqual({
      outcome: 'failed',
      reason: 'timeout',
    });
  });

  it('does not delay other endpoints behind a slow receiver', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<number>();
    const { mock, post } = await setUp(() => released);
    const other = await startReceiver();
    const account = mock.sandbox.accounts.create();
    mock.sandbox.webhooks.setEndpoint({ account, url: other.url });
    await post('/payments', order());
    const quick = createCaller(mock, account.testKey);
    await quick.post('/payments', order());
    expect((await quick.get('/balance')).status).toBe(200);
    await expect.poll(() => other.received).toHaveLength(1);
    release(200);
    await mock.sandbox.idle();
  });

  it('signs queued events with the current secret, and stops at a removed endpoint', async () => {
    const { mock, post, received, secret, url } = await setUp();
    await post('/payments', order());
    await mock.sandbox.idle();
    const { secret: next } = mock.sandbox.webhooks.setEndpoint({ url });
    expect(next).not.toBe(secret);
    await mock.sandbox.clock.advance('1s');
    expect(isValidSignature(received[1]?.body ?? '', received[1]?.signature ?? '', next)).toBe(true);
    mock.sandbox.webhooks.removeEndpoint();
    await mock.sandbox.clock.advance('3s');
    expect(names(received)).toEqual(['payment.pending', 'payment.processing']);
  });

  it('does not send events from before the endpoint was set', async () => {
    const { mock, post } = createStillMock();
    const { url, received } = await startReceiver();
    await post('/payments', order());
    mock.sandbox.webhooks.setEndpoint({ url });
    await mock.sandbox.clock.advance('1s');
    expect(names(received)).toEqual(['payment.processing']);
  });

  it('are idle only after the events that one account caused on another', async () => {
    const { mock, post } = createStillMock({
      fetch: async (request) => {
        seen.push(request.url);
        if (request.url.endsWith('/b')) await post('/payments', order());
        return new Response();
      },
    });
    const seen: string[] = [];
    const account = mock.sandbox.accounts.create();
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/a' });
    mock.sandbox.webhooks.setEndpoint({ account, url: 'http://localhost:9/b' });
    await createCaller(mock, account.testKey).post('/payments', order());
    await mock.sandbox.idle();
    expect(seen).toEqual(['http://localhost:9/b', 'http://localhost:9/a']);
  });
});

describe('webhook retries', () => {
  const START = Date.parse('2026-01-31T12:00:00Z');
  const testAccount = order({ beneficiary_account: 'SIM-PENDING' });

  it('follow the schedule with the same bytes until the receiver responds 200', async () => {
    const { mock, post, received } = await setUp((_, index) => (index < 2 ? 500 : 200));
    await post('/payments', testAccount);
    await mock.sandbox.clock.advance('1d');
    const [delivery] = mock.sandbox.webhooks.deliveries();
    expect(delivery?.attempts.map(({ at }) => at - START)).toEqual([0, 5_000, 305_000]);
    expect(delivery).toMatchObject({ state: 'acknowledged', next_at: null });
    expect(new Set(received.map(({ body, signature }) => body + signature)).size).toBe(1);
  });

  it('end after eight attempts, except for manual ones', async () => {
    const answers = [500];
    const { mock, post } = await setUp(() => answers.at(-1) ?? 500);
    await post('/payments', testAccount);
    await mock.sandbox.clock.advance('30d');
    const [exhausted] = mock.sandbox.webhooks.deliveries();
    const hours = (exhausted?.attempts ?? []).map(({ at }) => (at - START) / 3_600_000);
    expect(hours.map((hour) => Math.round(hour * 1000) / 1000)).toEqual([
      0, 0.001, 0.085, 0.585, 2.585, 7.585, 17.585, 27.585,
    ]);
    expect(exhausted).toMatchObject({ state: 'exhausted', next_at: null });
    const { id } = exhausted!;
    expect((await mock.sandbox.webhooks.redeliver(id)).state).toBe('exhausted');
    answers.push(200);
    const done = await mock.sandbox.webhooks.redeliver(id);
    expect([done.state, done.attempts.length]).toEqual(['acknowledged', 10]);
  });

  it('stop when the endpoint is removed, and do not reach the next endpoint', async () => {
    const { mock, post, received, url } = await setUp(() => 500);
    const { clock, faults, idle, webhooks } = mock.sandbox;
    await post('/payments', testAccount);
    await idle();
    faults.inject({ target: 'delivery', kind: 'reorder' });
    await post('/payments', order());
    await idle();
    webhooks.removeEndpoint();
    expect(webhooks.deliveries().map(({ state, next_at }) => [state, next_at])).toEqual([
      ['stopped', null],
      ['stopped', null],
    ]);
    webhooks.setEndpoint({ url });
    await clock.advance('10s');
    const later = ['payment.processing', 'payment.completed'];
    expect(names(received)).toEqual(['payment.pending', ...later, ...later]);
  });

  it('keep their schedule when a manual attempt fails', async () => {
    const { mock, post } = await setUp(() => 500);
    const { clock, webhooks } = mock.sandbox;
    await post('/payments', testAccount);
    await mock.sandbox.idle();
    const { id } = webhooks.deliveries()[0]!;
    await clock.advance('2s');
    const again = await webhooks.redeliver(id);
    expect([again.state, again.next_at]).toEqual(['retrying', START + 5000]);
    await clock.advance('2d');
    const { attempts, state } = webhooks.deliveries()[0]!;
    const delays = [0, ...retryDelays].reduce<number[]>((all, by) => [...all, (all.at(-1) ?? 0) + by], []);
    expect(attempts.filter(({ isManual }) => !isManual).map(({ at }) => at - START)).toEqual(delays);
    expect(attempts.filter(({ isManual }) => isManual).map(({ at }) => at - START)).toEqual([2000]);
    expect(state).toBe('exhausted');
  });

  it('end with a manual attempt that is acknowledged or refused with 410', async () => {
    for (const [status, state] of [
      [200, 'acknowledged'],
      [410, 'stopped'],
    ] as const) {
      const { mock, post, received } = await setUp((_, index) => (index === 0 ? 500 : status));
      await post('/payments', testAccount);
      await mock.sandbox.idle();
      const again = await mock.sandbox.webhooks.redeliver(mock.sandbox.webhooks.deliveries()[0]!.id);
      expect([again.state, again.next_at]).toEqual([state, null]);
      await mock.sandbox.clock.advance('2d');
      expect(received).toHaveLength(2);
    }
  });
});
