// Runs the code of the READMEs. docs/test/code.test.ts compares it with its files.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { createClient } from '@service/sdk';
import { events, signedRequest } from '@service/webhooks/testing';

describe('the README', () => {
  it('has a working example of the client', async () => {
    const mock = createMock({ clock: { speed: 100 } });
    const server = await listen(mock, { port: 0 });
    onTestFinished(() => server.close());
    vi.stubEnv('SERVICE_API_KEY', mock.account.testKey);
    vi.stubEnv('SERVICE_BASE_URL', server.baseUrl);
    await import('../examples/snippets/src/sdk.ts');
    const rows = await (
      await mock.fetch(`${mock.baseUrl}/transactions?type=payment`, {
        headers: { 'x-api-key': mock.account.testKey },
      })
    ).json();
    expect(rows).toMatchObject({
      data: { transactions: [{ status: 'completed', amount: -1000, reference: 'INV-2026-0042' }] },
    });
    await mock.close();
  });

  it('has a working example of the receiver', async () => {
    vi.stubEnv('SERVICE_WEBHOOK_SECRET', 'a signing secret');
    const { paid, receive } = await import('../examples/snippets/src/webhooks.ts');
    const event = events.completed();
    const send = async (): Promise<number> =>
      (await receive(await signedRequest(event, { secret: 'a signing secret' }))).status;
    expect([await send(), await send()]).toEqual([200, 200]);
    expect(paid).toEqual([event.data.id]);
  });

  it('has a working example of the mock', async () => {
    const { status } = await import('../examples/snippets/src/mock.ts');
    expect(status).toBe('failed');
  });
});

describe('the README of the webhooks', () => {
  const secret = 'a signing secret';

  it('has a handler that acknowledges the test event of the kit', async () => {
    vi.stubEnv('SERVICE_WEBHOOK_SECRET', secret);
    const { POST, statuses } = await import('../examples/snippets/src/receiver.ts');
    const event = events.completed();
    expect((await POST(await signedRequest(event, { secret }))).status).toBe(200);
    expect(statuses.get(event.data.id)).toBe('completed');
  });

  it.each([
    ['SIM-OK', 'completed'],
    ['SIM-RETURN', 'failed'],
    ['SIM-HOOK-FIRST', 'completed'],
    ['SIM-HOOK-DUP', 'completed'],
    ['SIM-HOOK-SHUFFLE', 'completed'],
  ])('has a handler that records the final status of %s', async (beneficiary_account, status) => {
    vi.stubEnv('SERVICE_WEBHOOK_SECRET', secret);
    // The events without a handler are named once.
    vi.spyOn(console, 'warn').mockReturnValue();
    const { POST, statuses } = await import('../examples/snippets/src/receiver.ts');
    const mock = createMock({ clock: 'manual' });
    mock.sandbox.webhooks.collect({ secret, receive: POST });
    const { baseUrl, fetch, account } = mock;
    const { payments } = createClient({ apiKey: account.testKey, baseUrl, fetch });
    const order = { from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'A' };
    const { id } = await payments.create({ ...order, beneficiary_account });
    await mock.sandbox.clock.advance('1m');
    expect(statuses.get(id)).toBe(status);
    expect((await payments.retrieve(id)).status).toBe(status);
    await mock.close();
  });
});

describe('the guide of the webhooks', () => {
  it('has a job that records the status of each open payment whose webhooks never came, once', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    vi.spyOn(console, 'info').mockReturnValue();
    const { statuses } = await import('../examples/snippets/src/receiver.ts');
    statuses.clear();
    const { readOpenPayments, watchOpenPayments } = await import('../examples/snippets/src/open-payments.ts');
    const mock = createMock({ clock: 'manual' });
    const { baseUrl, fetch, account } = mock;
    const client = createClient({ apiKey: account.testKey, baseUrl, fetch, maxRetries: 0 });
    const order = { from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'A' };
    const create = async (beneficiary_account: string): Promise<string> => {
      const { id } = await client.payments.create({ ...order, beneficiary_account });
      statuses.set(id, 'pending');
      return id;
    };
    const [ok, failed] = [await create('SIM-OK'), await create('SIM-RETURN')];
    statuses.set('pay_test_unknown', 'pending');
    const open = await create('SIM-STUCK');
    await mock.sandbox.clock.advance('1m');
    const retrieve = vi.spyOn(client.payments, 'retrieve');
    const stopping = new AbortController();
    const watching = watchOpenPayments(client, stopping.signal);
    stopping.abort();
    await watching;
    const readIds = (): string[] => retrieve.mock.calls.map(([id]) => id);
    expect(readIds()).toEqual([ok, failed, 'pay_test_unknown', open]);
    expect([ok, failed, open].map((id) => statuses.get(id))).toEqual(['completed', 'failed', 'pending']);
    expect(log.mock.calls.map(([text]) => text as string)).toEqual(['pay_test_unknown is read again later:']);
    retrieve.mockClear();
    await readOpenPayments(client);
    expect(readIds()).toEqual(['pay_test_unknown', open]);
    statuses.clear();
    await mock.close();
  });
});
