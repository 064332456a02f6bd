import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { events, signedRequest } from '@service/webhooks/testing';
import dynalite from 'dynalite';

const secret = 'the signing secret of the tests';
const mock = createMock({ clock: 'manual' });
const aws = dynalite({ createTableMs: 0 });
const gateway = createServer((incoming, outgoing) => void invokeWebhooks(incoming, outgoing));
let service;
let database;
/** Two instances of each function, as after a burst of requests. */
let payouts;
let webhooks;

before(async () => {
  service = await listen(mock, { port: 0 });
  await once(aws.listen(0, '127.0.0.1'), 'listening');
  await once(gateway.listen(0, '127.0.0.1'), 'listening');
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'eu-central-1',
    DYNAMODB_URL: `http://127.0.0.1:${aws.address().port}`,
    SERVICE_API_KEY: mock.account.testKey,
    SERVICE_BASE_URL: service.baseUrl,
    SERVICE_WEBHOOK_SECRET: secret,
  });
  database = new DynamoDB({ endpoint: process.env.DYNAMODB_URL });
  await createTable('payouts', 'invoice');
  await createTable('events', 'event');
  const load = (name) =>
    Promise.all([1, 2].map((instance) => import(`../dist/${name}.mjs?instance=${instance}`)));
  payouts = await load('payouts');
  webhooks = await load('webhooks');
  mock.sandbox.webhooks.setEndpoint({ url: `http://127.0.0.1:${gateway.address().port}/webhooks`, secret });
});

after(async () => {
  gateway.close();
  aws.close();
  await service.close();
});

async function createTable(TableName, key) {
  await database.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
    KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
  });
}

/** Creates the event of API Gateway for a request (payload format 2.0). */
async function toEvent(request) {
  return {
    version: '2.0',
    requestContext: { http: { method: request.method } },
    headers: Object.fromEntries(request.headers),
    body: Buffer.from(await request.arrayBuffer()).toString('base64'),
    isBase64Encoded: true,
  };
}

/** Calls the webhook function as API Gateway does. */
async function invokeWebhooks(incoming, outgoing) {
  const body = await new Response(incoming).arrayBuffer();
  const { method, headers } = incoming;
  const event = await toEvent(new Request('http://gateway/webhooks', { method, headers, body }));
  const result = await webhooks[0].handler(event);
  outgoing.writeHead(result.statusCode, result.headers).end(result.body);
}

const order = { amount: '1000.00', supplier: 'Acme Supplies Ltd', account: 'DE89370400440532013000' };

async function pay(invoice, instance = 0) {
  const result = await payouts[instance].handler({ body: JSON.stringify({ ...order, invoice }) });
  return { status: result.statusCode, body: JSON.parse(result.body) };
}

async function readStatus(id) {
  const Key = { invoice: { S: `status of ${id}` } };
  const { Item } = await database.getItem({ TableName: 'payouts', Key });
  return Item && { status: Item.status.S, changes: Number(Item.changes.N) };
}

const countCreates = () => mock.sandbox.requests.list({ operation: 'createPayment' }).length;

test('pays an invoice, and a webhook records its status', async () => {
  const { status, body } = await pay('INV-1');
  assert.equal(status, 202);
  await mock.sandbox.clock.advance('4s');
  assert.deepEqual(await readStatus(body.payment_id), { status: 'completed', changes: 1 });
});

test('pays an invoice once in two instances at the same time', async () => {
  const creates = countCreates();
  const results = await Promise.all([pay('INV-2', 0), pay('INV-2', 1)]);
  assert.deepEqual(new Set(results.map(({ status }) => status)), new Set([200, 202]));
  assert.equal(countCreates() - creates, 1);
});

test('handles an event once that reaches two instances', async () => {
  const id = 'pay_test_0000000000000000000000002';
  const sent = events.completed({ data: { id } });
  const send = async ({ handler }) => {
    const request = await signedRequest(sent, { url: 'http://gateway/webhooks', secret });
    return (await handler(await toEvent(request))).statusCode;
  };
  assert.deepEqual(await Promise.all([...webhooks, ...webhooks].map(send)), [200, 200, 200, 200]);
  assert.deepEqual(await readStatus(id), { status: 'completed', changes: 1 });
});

test('rejects a forged event', async () => {
  const id = 'pay_test_0000000000000000000000003';
  const forged = await signedRequest(events.completed({ data: { id } }), {
    url: 'http://gateway/webhooks',
    secret: 'a guess',
  });
  assert.equal((await webhooks[0].handler(await toEvent(forged))).statusCode, 401);
  assert.equal(await readStatus(id), undefined);
});

test('finds the payment after a lost response', async () => {
  mock.sandbox.faults.inject({ kind: 'reset_after_commit' });
  assert.match((await pay('INV-3')).body.payment_id, /^pay_test_/);
});

test('keeps an invoice open that the service rejects', async () => {
  mock.sandbox.wallets.set({ currency: 'USD', amount: 0 });
  assert.equal((await pay('INV-4')).status, 422);
  mock.sandbox.wallets.credit({ currency: 'USD', amount: '1000.00' });
  assert.equal((await pay('INV-4')).status, 202);
});
