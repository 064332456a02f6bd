// Uses the packed mock in the oldest Node that it supports: in process, over HTTP with webhooks, and with MSW 2.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { setupServer } from 'msw/node';
import { createMock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { listen } from '@service/mock/node';
import { createClient } from '@service/sdk';
import { createReceiver } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';

const order = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', beneficiary_name: 'Acme Ltd' };

/** Creates a payment, and completes it on the clock of the mock. */
async function pay(mock, client) {
  const { id } = await client.payments.create(order);
  await mock.sandbox.clock.advance('1h');
  assert.equal((await client.payments.retrieve(id)).status, 'completed');
}

const mock = createMock({ clock: 'manual' });
const apiKey = mock.account.testKey;
await pay(mock, createClient({ apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch }));

const secret = 'the secret of this check';
const events = [];
const fallback = ({ event }) => void events.push(event);
const handle = toNode(createReceiver({ secrets: secret, on: {}, fallback }));
const receiver = createServer((request, response) => void handle(request, response));
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
mock.sandbox.webhooks.setEndpoint({ url: `http://127.0.0.1:${receiver.address().port}/`, secret });
const server = await listen(mock, { port: 0 });
await pay(mock, createClient({ apiKey, baseUrl: server.baseUrl }));
assert.deepEqual(events, ['payment.pending', 'payment.processing', 'payment.completed']);
const health = await fetch(new URL('/_sandbox/health', server.baseUrl));
assert.equal((await health.json()).status, 'ok');
assert.equal((await fetch(`${server.baseUrl}/payments/a%20b?x[]`)).status, 401);
mock.sandbox.webhooks.removeEndpoint();

const network = setupServer(...createHandlers(mock));
network.listen();
await pay(mock, createClient({ apiKey, baseUrl: mock.baseUrl }));
network.close();

await server.close();
receiver.close();
await mock.close();
console.log(`  the mock in Node ${process.versions.node}`);
