import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createMock, type Mock } from '@service/mock';
import { createClient } from '@service/sdk';
import { events, signedRequest } from '@service/webhooks/testing';
import { expect, test as base } from 'vitest';
import { createApp } from '../src/app.js';
import { openDatabase } from '../src/database.js';
import type { Payout } from '../src/payouts.js';

const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const webhookSecret = 'the signing secret of the tests';
const order = { amount: '1000.00', supplier: 'Acme Supplies Ltd', account: 'DE89370400440532013000' };

/** A test with a sandbox, and with two processes of the app on one database. */
const test = base.extend<{ mock: Mock; urls: [string, string]; receipts: string[]; reference: string }>({
  mock: ({}, use) => use(createMock({ clock: 'manual' })),
  receipts: ({}, use) => use([]),
  reference: ({}, use) => use(`INV-${crypto.randomUUID()}`),
  urls: async ({ mock, receipts }, use) => {
    const startApp = async () => {
      const database = await openDatabase(connectionString);
      const client = createClient(mock.clientOptions);
      const sendReceipt = async (id: string) => void receipts.push(id);
      const app = createApp({ client, database, webhookSecret, mode: 'test', sendReceipt });
      const server = app.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, database };
    };
    const apps = [await startApp(), await startApp()] as const;
    const url = `${apps[0].url}/webhooks`;
    mock.sandbox.webhooks.setEndpoint({ url, secret: webhookSecret });
    await use([apps[0].url, apps[1].url]);
    for (const { server, database } of apps) {
      server.closeAllConnections();
      server.close();
      await database.close();
    }
  },
});

async function post(url: string, reference: string, body: object = order): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}/payouts/${reference}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function findPayout(url: string, reference: string): Promise<Payout> {
  return (await (await fetch(`${url}/payouts/${reference}`)).json()) as Payout;
}

test('pays an invoice, and a webhook completes it', async ({ urls: [url], mock, reference, receipts }) => {
  const response = await post(url, reference);
  expect(response.status).toBe(202);
  const { payment_id } = (await response.json()) as Payout;
  await mock.sandbox.clock.advance('4s');
  expect(await findPayout(url, reference)).toEqual({ reference, payment_id, status: 'completed' });
  expect(receipts).toEqual([payment_id]);
});

test('pays an invoice once for two requests at two processes', async ({ urls, mock, reference }) => {
  await Promise.all(urls.map((url) => post(url, reference)));
  expect(mock.sandbox.requests.list({ operation: 'createPayment' })).toHaveLength(1);
});

test('keeps an invoice unknown whose create may still arrive', async ({ urls: [url], mock, reference }) => {
  mock.sandbox.faults.inject({ kind: 'reset_before_commit' });
  await post(url, reference);
  expect(await findPayout(url, reference)).toMatchObject({ payment_id: null, status: 'unknown' });
});

test('handles an event once that reaches two processes', async ({ urls, receipts }) => {
  const id = `pay_test_${crypto.randomUUID().replaceAll('-', '')}`;
  const send = async (url: string) => {
    const event = events.completed({ data: { id } });
    return fetch(await signedRequest(event, { url: `${url}/webhooks`, secret: webhookSecret }));
  };
  const responses = await Promise.all([...urls, ...urls].map(send));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(receipts).toEqual([id]);
});

test('rejects a forged event', async ({ urls: [url], receipts }) => {
  const forged = await signedRequest(events.completed(), { url: `${url}/webhooks`, secret: 'a guess' });
  expect((await fetch(forged)).status).toBe(401);
  expect(receipts).toEqual([]);
});

test('records a payment that a bank returned', async ({ urls: [url], mock, reference }) => {
  await post(url, reference, { ...order, account: 'SIM-RETURN' });
  await mock.sandbox.clock.advance('10s');
  expect(await findPayout(url, reference)).toMatchObject({ status: 'failed' });
});

test('finds the payment after a lost response', async ({ urls: [url], mock, reference }) => {
  mock.sandbox.faults.inject({ kind: 'reset_after_commit' });
  expect(await (await post(url, reference)).json()).toMatchObject({ status: 'unknown' });
  const payout = await (await post(url, reference)).json();
  expect(payout).toMatchObject({ payment_id: expect.stringMatching(/^pay_test_/) });
  expect(mock.sandbox.requests.list({ operation: 'createPayment' })).toHaveLength(1);
});

test('pays an invoice later that the service rejects', async ({ urls: [url], mock, reference }) => {
  mock.sandbox.wallets.set({ currency: 'USD', amount: 0 });
  expect((await post(url, reference)).status).toBe(422);
  mock.sandbox.wallets.credit({ currency: 'USD', amount: '1000.00' });
  expect((await post(url, reference)).status).toBe(202);
});
