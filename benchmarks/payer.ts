// Measures the payments per second of a payer of @service/sdk for each store, at a service without latency.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@service/sdk';
import { createPayer, type IntentStore, memoryStore } from '@service/sdk/payer';
import { sqliteStore } from '@service/sdk/payer/sqlite';
import { printFigures, runRounds } from './figures.ts';

const PAYMENTS = 400;
const folder = mkdtempSync(join(tmpdir(), 'payer-'));
let count = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const amounts = {
      from_currency: 'USD',
      to_currency: 'EUR',
      send_amount: 10,
      rate: 1,
      receive_amount: 10,
    };
    const rest = { beneficiary: { name: 'Acme' }, purpose: null, created_at: '2026-01-31T12:00:00+00:00' };
    const data = { id: `pay_test_${(count += 1)}`, status: 'pending', ...amounts, ...rest };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ success: true, mode: 'test', data }));
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
const client = createClient({ apiKey: 'service_test_1', baseUrl });
const body = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', beneficiary_name: 'Acme' };

async function measureRate(store: IntentStore, concurrency: number): Promise<number> {
  const payer = createPayer(client, { store });
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < PAYMENTS) await payer.pay(`order-${(next += 1)}`, body);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: concurrency }, work));
  return (PAYMENTS / (performance.now() - start)) * 1_000;
}

for (const concurrency of [1, 8]) {
  const overSqlite = async (): Promise<number> => {
    const store = sqliteStore(join(folder, crypto.randomUUID()));
    const rate = await measureRate(store, concurrency);
    store.close();
    return rate;
  };
  const rates = await runRounds(
    { memory: () => measureRate(memoryStore(), concurrency), sqlite: overSqlite },
    5,
  );
  printFigures(`Payments per second, ${concurrency} at a time`, rates);
}
server.close();
rmSync(folder, { recursive: true });
