import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPayer, type IntentStore, type IntentUpdate, type Payer } from '../../src/entries/payer.ts';
import { createClient } from '../../src/index.ts';
import { createPaymentService } from '../payment-service.ts';
import { openStore } from './open-store.ts';
import { startDatabase } from './start-database.ts';
import { onRequest } from '../../../../test/support/on-request.ts';

const LINES = 12;
const references = Array.from({ length: LINES }, (_, index) => `line-${String(index).padStart(2, '0')}`);

/** Runs a payer, which stays usable when a run fails. */
async function runAll(payer: Payer): Promise<{ updates: IntentUpdate[]; error: unknown }> {
  const updates: IntentUpdate[] = [];
  try {
    for await (const update of payer.run()) updates.push(update);
    return { updates, error: undefined };
  } catch (error) {
    return { updates, error };
  }
}

async function planAll(payer: Payer): Promise<void> {
  for (const reference of references) {
    await payer.plan(reference, {
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: '10.00',
      beneficiary_name: `Supplier ${reference}`,
      purpose: reference,
    });
  }
}

/** Plans a batch in a database that is killed before the record of its third payment. */
async function setUp(times: { readonly timeout: number; readonly lease: number }) {
  const database = await startDatabase('postgres');
  if (database === undefined) throw new Error('There is no server.');
  const { store, close } = openStore('postgres', randomUUID());
  onTestFinished(close);
  const service = createPaymentService({ now: () => Date.now() });
  const client = createClient({
    apiKey: 'service_test_1',
    baseUrl: 'https://api.example.test/api/v1',
    fetch: onRequest(service.fetch),
    timeout: times.timeout,
  });
  const records = new Set<string>();
  const calls = new Set<string>();
  // Once: after the restart, the third payment is recorded again.
  let isKilled = false;
  let repeated: () => Promise<void> = async () => {};
  const watched: IntentStore = {
    ...store,
    swap: async (next, write) => {
      if (next.state === 'created' && records.add(next.reference).size === 3 && !isKilled) {
        isKilled = true;
        await database.kill();
      }
      if (calls.has(write.writeId)) await repeated();
      calls.add(write.writeId);
      return store.swap(next, write);
    },
  };
  const payer = createPayer(client, { store: watched, lease: times.lease, clockSkew: 0, concurrency: 3 });
  await planAll(payer);
  const expectPaidOnce = async (): Promise<void> => {
    const states: string[] = [];
    for (const { reference, state } of await store.list({})) states.push(`${reference} ${state}`);
    expect(states).toEqual(references.map((reference) => `${reference} created`));
    expect(service.payments.map(({ purpose }) => String(purpose)).toSorted()).toEqual(references);
  };
  return {
    payer,
    database,
    service,
    expectPaidOnce,
    onRepeat: (run: () => Promise<void>): void => void (repeated = run),
  };
}

describe('a Postgres database that is killed during a run', () => {
  it('is used again after its restart, in the same run', async () => {
    const { payer, database, onRepeat, expectPaidOnce } = await setUp({
      timeout: 2_000,
      lease: 60_000,
    });
    let restart: Promise<void> | undefined;
    let restarts = 0;
    const restartOnce = (): Promise<void> => {
      restarts += 1;
      return database.restart();
    };
    onRepeat(() => (restart ??= restartOnce()));
    const { updates, error } = await runAll(payer);
    expect(error).toBeUndefined();
    expect(updates.map(({ state }) => state)).toEqual(references.map(() => 'created'));
    expect(restarts).toBe(1);
    await expectPaidOnce();
  });

  it('ends the run with an error that names the next step, and the next run pays the rest', async () => {
    const { payer, database, service, expectPaidOnce } = await setUp({ timeout: 300, lease: 1_000 });
    const { updates, error } = await runAll(payer);
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('Repair it, then plan, pay or run again') as string,
    });
    // Each payment that was made is reported, although its record failed.
    const reported = updates.flatMap(({ payment }) => (payment ? [payment.id] : []));
    expect(new Set(reported)).toEqual(new Set(service.payments.map(({ id }) => id)));
    expect(service.payments.length).toBeLessThan(LINES);
    await database.restart();
    // Payments without a record are reconciled when their leases have ended.
    let last = await runAll(payer);
    while (last.error !== undefined || last.updates.length > 0) last = await runAll(payer);
    await expectPaidOnce();
  });
});
