const { createMock } = require('@service/mock');
const { createClient } = require('@service/sdk');
const { events, signedRequest } = require('@service/webhooks/testing');
const { payInvoice } = require('../src/payouts.js');
const { createWebhooks } = require('../src/webhooks.js');

const secret = 'the signing secret of the tests';
const order = {
  invoice: 'INV-2026-0042',
  amount: '1000.00',
  supplier: 'Acme Supplies Ltd',
  account: 'DE89370400440532013000',
};

/** Connects a mock to a receiver, and returns its client and the recorded statuses. */
function connect() {
  const statuses = new Map();
  const receive = createWebhooks({ secret, mode: 'test', statuses });
  const mock = createMock({ clock: 'manual' });
  mock.sandbox.webhooks.collect({ secret, receive });
  return { mock, client: createClient(mock.clientOptions), receive, statuses };
}

test('pays an invoice, and a webhook completes it', async () => {
  const { mock, client, statuses } = connect();
  const { payment } = await payInvoice(client, order);
  await mock.sandbox.clock.advance('4s');
  expect(statuses).toEqual(new Map([[payment.id, 'completed']]));
});

test('records a payment that a bank returned', async () => {
  const { mock, client, statuses } = connect();
  const { payment } = await payInvoice(client, { ...order, account: 'SIM-RETURN' });
  await mock.sandbox.clock.advance('10s');
  expect(statuses.get(payment.id)).toBe('failed');
});

test('finds the payment after a lost response', async () => {
  const { mock, client } = connect();
  mock.sandbox.faults.inject({ kind: 'reset_after_commit' });
  expect(await payInvoice(client, order)).toMatchObject({
    result: 'created',
    payment: { status: 'pending' },
  });
});

test('rejects a forged event', async () => {
  const { receive, statuses } = connect();
  const response = await receive(await signedRequest(events.completed(), { secret: 'a guess' }));
  expect(response.status).toBe(401);
  expect(statuses.size).toBe(0);
});
