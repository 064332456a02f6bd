const { createFixtures } = require('@service/mock/jest');
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
const service = createFixtures({ clock: 'manual', scope: 'test' }); // one mock for each test

/** Connects the account of the test to a receiver, and returns its client and the recorded statuses. */
function connect() {
  const statuses = new Map();
  const receive = createWebhooks({ secret, mode: 'test', statuses });
  service.mock.sandbox.webhooks.collect({ account: service.account, secret, receive });
  return { client: createClient(service.clientOptions), receive, statuses };
}

test('pays an invoice, and a webhook completes it', async () => {
  const { client, statuses } = connect();
  const { payment } = await payInvoice(client, order);
  await service.mock.sandbox.clock.advance('4s');
  expect(statuses).toEqual(new Map([[payment.id, 'completed']]));
});

test('records a payment that a bank returned', async () => {
  const { client, statuses } = connect();
  const { payment } = await payInvoice(client, { ...order, account: 'SIM-RETURN' });
  await service.mock.sandbox.clock.advance('10s');
  expect(statuses.get(payment.id)).toBe('failed');
});

test('finds the payment after a lost response', async () => {
  const { client } = connect();
  service.mock.sandbox.faults.inject({ kind: 'reset_after_commit' });
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
