import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPayer, type Intent, type IntentStore } from '../../src/entries/payer.ts';
import { postgresStore } from '../../src/entries/payer-postgres.ts';
import { sqliteStore } from '../../src/entries/payer-sqlite.ts';
import { createClient, type Payment } from '../../src/index.ts';
import { findPostgres, startPostgres } from '../../../webhooks/test/stores/servers.ts';
import { createPaymentService } from '../payment-service.ts';
import { baseUrl, testKey } from '../service.ts';
import { readFixture } from './stored-format.ts';

/** Opens a store as the first release of this entry left it when it was killed, until the test ends. */
const stores: Readonly<Record<string, () => Promise<IntentStore>>> = {
  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'continued-'));
    const path = join(folder, 'payments.db');
    const database = new DatabaseSync(path);
    database.exec(readFixture('payer.sqlite.sql'));
    database.close();
    const store = sqliteStore(path);
    onTestFinished(() => {
      store.close();
      rmSync(folder, { recursive: true });
    });
    return store;
  },
  postgres: async () => {
    const engine = await startPostgres(findPostgres());
    onTestFinished(engine.stop);
    const pool = new Pool({ connectionString: engine.url });
    onTestFinished(() => pool.end());
    await pool.query(readFixture('payer.postgres.sql'));
    return postgresStore(pool, { table: 'payer_intents' });
  },
};

const bodyOf = (name: string) => ({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: name,
  purpose: name,
});

describe.each(Object.keys(stores))('a %s store that a payer was killed with', (kind) => {
  it('is continued: each reference has one payment', async () => {
    const service = createPaymentService();
    service.payments.push(...(JSON.parse(readFixture('payer.payments.json')) as Payment[]));
    const client = createClient({
      baseUrl,
      apiKey: testKey,
      fetch: (url, init) => service.fetch(new Request(url, init)),
    });
    const store = await stores[kind]?.();
    if (store === undefined) throw new Error('There is no such store.');
    // As the first release recorded the id of an incomplete response.
    const killed = await store.read('killed');
    const cut = { ...killed, version: 2, state: 'unknown', paymentId: 'pay_test_000004' } as Intent;
    expect(await store.swap(cut, { fromVersion: 1, writeId: 'cut' })).toBe('done');
    const payer = createPayer(client, { store });
    const pay = async (reference: string): Promise<string> =>
      (await payer.pay(reference, bodyOf(reference))).id;
    expect(await pay('paid')).toBe('pay_test_000001');
    expect(await pay('lost')).toBe('pay_test_000002');
    expect(await pay('killed')).toBe('pay_test_000004');
    const updates: string[] = [];
    for await (const { reference, state } of payer.run()) updates.push(`${reference} ${state}`);
    expect(updates).toEqual(['run-2 created']);
    for (const reference of ['paid', 'lost', 'run-1', 'run-2', 'killed']) await pay(reference);
    expect(service.payments.map(({ purpose }) => purpose)).toEqual([
      'paid',
      'lost',
      'run-1',
      'killed',
      'run-2',
    ]);
    expect(await payer.summary()).toMatchObject({ total: 5, states: { created: 5 }, conflicts: 0 });
  });
});
