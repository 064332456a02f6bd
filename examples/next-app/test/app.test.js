import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { events, signedRequest } from '@service/webhooks/testing';
import { submitForm } from '../scripts/submit-form.js';

const secret = 'the signing secret of the tests';
const mock = createMock({ clock: 'manual' });
let folder;
let service;
let next;
let url;

before(async () => {
  assert.equal(process.env.SERVICE_API_KEY, undefined, 'The build ran with a key.');
  service = await listen(mock, { port: 0 });
  const { testKey: SERVICE_API_KEY } = mock.account;
  folder = await mkdtemp(join(tmpdir(), 'next-app-'));
  const INTENTS_FILE = join(folder, 'payments.db');
  const keys = { SERVICE_API_KEY, SERVICE_BASE_URL: service.baseUrl, SERVICE_WEBHOOK_SECRET: secret };
  const env = { ...process.env, ...keys, INTENTS_FILE, NODE_ENV: 'production' };
  const script = ['node_modules/next/dist/bin/next', 'start', '--port', '0', '--hostname', '127.0.0.1'];
  next = spawn(process.execPath, script, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(next.stdout)) {
    url ??= /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (line.includes('Ready')) break;
  }
  mock.sandbox.webhooks.setEndpoint({ url: `${url}/webhooks`, secret });
});

after(async () => {
  next.kill();
  await once(next, 'exit');
  await service.close();
  await rm(folder, { recursive: true });
});

const readPage = async (path) => (await fetch(new URL(path, url))).text();

test('pays, and a webhook refreshes the cached page', async () => {
  const response = await submitForm(url, {
    supplier: 'Acme Supplies Ltd',
    amount: '1000.00',
    invoice: 'INV-42',
  });
  assert.equal(response.status, 303);
  const path = response.headers.get('location');
  assert.match(await readPage(path), /<strong>pending<\/strong>/);
  await mock.sandbox.clock.advance('4s');
  assert.match(await readPage(path), /<strong>completed<\/strong>/);
});

test('shows a cached page until a webhook arrives', async () => {
  const response = await submitForm(url, {
    supplier: 'Acme Supplies Ltd',
    amount: '1000.00',
    invoice: 'INV-43',
  });
  const path = response.headers.get('location');
  await readPage(path);
  mock.sandbox.faults.inject({ target: 'delivery', kind: 'drop', times: 3 });
  await mock.sandbox.clock.advance('4s');
  assert.match(await readPage(path), /<strong>pending<\/strong>/);
});

test('rejects a forged event', async () => {
  const forged = await signedRequest(events.completed(), { url: `${url}/webhooks`, secret: 'a guess' });
  assert.equal((await fetch(forged)).status, 401);
});

test('shows the wallets at each request', async () => {
  const page = await readPage('/balance');
  assert.match(page.replaceAll('<!-- -->', ''), /<li>EUR 100000<\/li>/);
});

test('pays an invoice once for two clicks', async () => {
  const order = { supplier: 'Acme Supplies Ltd', amount: '1000.00', invoice: 'INV-44' };
  const count = () => mock.sandbox.requests.list({ operation: 'createPayment' }).length;
  const earlier = count();
  const responses = await Promise.all([submitForm(url, order), submitForm(url, order)]);
  const [first, second] = responses.map(({ headers }) => headers.get('location'));
  assert.equal(first, second);
  assert.equal(count() - earlier, 1);
});
