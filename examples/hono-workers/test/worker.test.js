import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { events, signedRequest } from '@service/webhooks/testing';
import { Miniflare } from 'miniflare';

const secret = 'the signing secret of the tests';
const mock = createMock({ clock: 'manual' });
/** The ids of the payments for which the worker sent a receipt. */
let receipts = [];
let service;
let worker;
let url;

before(async () => {
  service = await listen(mock, { port: 0 });
  worker = new Miniflare({
    modules: true,
    scriptPath: 'dist/index.js',
    compatibilityDate: '2026-01-01',
    durableObjects: {
      PAYOUTS: { className: 'Payout', useSQLite: true },
      HANDLED_EVENTS: { className: 'HandledEvent', useSQLite: true },
    },
    bindings: {
      SERVICE_API_KEY: mock.account.testKey,
      SERVICE_BASE_URL: service.baseUrl,
      SERVICE_WEBHOOK_SECRET: secret,
    },
    serviceBindings: {
      RECEIPTS: ({ url: path }) => {
        receipts.push(new URL(path).pathname.slice(1));
        return new Response();
      },
    },
  });
  url = String(await worker.ready);
  mock.sandbox.webhooks.setEndpoint({ url: new URL('/webhooks', url).href, secret });
});

after(async () => {
  await worker.dispose();
  await service.close();
});

beforeEach(() => {
  receipts = [];
});

const order = { amount: '1000.00', supplier: 'Acme Supplies Ltd', account: 'DE89370400440532013000' };

async function pay(invoice, changes = {}) {
  const body = JSON.stringify({ ...order, invoice, ...changes });
  return fetch(new URL('/payouts', url), { method: 'POST', body });
}

const countCreates = () => mock.sandbox.requests.list({ operation: 'createPayment' }).length;

test('pays an invoice, and a webhook sends the receipt', async () => {
  const response = await pay('INV-1');
  assert.equal(response.status, 202);
  const payout = await response.json();
  assert.match(payout.payment_id, /^pay_test_/);
  await mock.sandbox.clock.advance('4s');
  assert.deepEqual(receipts, [payout.payment_id]);
  assert.deepEqual(await (await fetch(new URL('/payouts/INV-1', url))).json(), payout);
});

test('pays an invoice once for two requests at the same time', async () => {
  const creates = countCreates();
  const payouts = await Promise.all([pay('INV-2'), pay('INV-2')]);
  assert.deepEqual(
    payouts.map(({ status }) => status),
    [202, 202],
  );
  assert.equal(countCreates() - creates, 1);
});

test('handles an event once that arrives four times at the same time', async () => {
  const id = 'pay_test_0000000000000000000000002';
  const event = events.completed({ data: { id } });
  const send = async () => fetch(await signedRequest(event, { url: new URL('/webhooks', url).href, secret }));
  const responses = await Promise.all([send(), send(), send(), send()]);
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  assert.deepEqual(receipts, [id]);
});

test('rejects a forged event', async () => {
  const forged = await signedRequest(events.completed(), {
    url: new URL('/webhooks', url).href,
    secret: 'a guess',
  });
  assert.equal((await fetch(forged)).status, 401);
  assert.deepEqual(receipts, []);
});

test('finds the payment after a lost response', async () => {
  mock.sandbox.faults.inject({ kind: 'reset_after_commit' });
  const payout = await (await pay('INV-3')).json();
  assert.match(payout.payment_id, /^pay_test_/);
});

test('keeps an invoice open that the service rejects', async () => {
  mock.sandbox.wallets.set({ currency: 'USD', amount: 0 });
  assert.equal((await pay('INV-4')).status, 422);
  mock.sandbox.wallets.credit({ currency: 'USD', amount: '1000.00' });
  assert.equal((await pay('INV-4')).status, 202);
});
