import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../test/support/random.ts';
import { runs } from '../../../../test/support/runs.ts';
import { assembleClient } from '../../src/client.ts';
import { createPayer, type Payer } from '../../src/entries/payer.ts';
import type { Fetch, Payment } from '../../src/index.ts';
import { createManualClock } from '../manual-clock.ts';
import { createPaymentService } from '../payment-service.ts';
import { failure, payment, success } from '../service.ts';
import { createFaultyStore, pause } from './faulty-store.ts';
import { useSynchronousDigest } from './synchronous-digest.ts';

const RUNS = runs(40, 2_000);
const STEPS = 40;
const LEASE = 60_000;
const references = ['a', 'b', 'c'];
const bodyOf = (reference: string) => ({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '10.00',
  beneficiary_name: `Supplier ${reference}`,
  purpose: `Invoice ${reference}`,
});
const coded = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) });

/** Pays references with several workers and releases them, over a store with faults. Returns the payments that were created. */
async function simulate(
  seed: number,
): Promise<{ made: readonly (readonly string[])[]; wrong: readonly string[] }> {
  const random = createRandom(seed);
  const store = createFaultyStore(random);
  const manual = createManualClock();
  let unique = 0;
  const clock = { ...manual, random, unique: () => `unique-${(unique += 1)}` };
  const service = createPaymentService({ now: () => clock.date().getTime() });
  const listIds = (reference: string): readonly string[] =>
    service.payments.filter(({ purpose }) => purpose === `Invoice ${reference}`).map(({ id }) => id);
  const wrong: string[] = [];

  /** Makes a payment at once: a request that has left is not stopped by the end of its lease. */
  const make = (body: string): Response => {
    const { beneficiary_name: name, ...fields } = JSON.parse(body) as ReturnType<typeof bodyOf>;
    const id = `pay_test_${service.payments.length + 1}`;
    const beneficiary = { name, account: null, bank: null, country: null };
    const made = { ...payment, ...fields, id, beneficiary, send_amount: 10 } as Payment;
    service.payments.push({ ...made, created_at: clock.date().toISOString() });
    return success(made, 201);
  };
  const fetch: Fetch = async (url, init) => {
    if (init.method === 'GET') return service.fetch(new Request(url));
    const fate = random();
    const response = fate < 0.5 ? make(init.body ?? '') : undefined;
    await pause(random, 30);
    if (response && fate < 0.25) return response;
    if (fate < 0.3) return new Response((await response?.text())?.slice(0, 80), { status: 201 });
    if (fate < 0.7) throw coded('ECONNRESET');
    if (fate < 0.8) return failure(422, 'insufficient_funds');
    if (fate < 0.9) return failure(429, 'rate_limit_error');
    throw coded('ECONNREFUSED');
  };
  const createWorker = (): Payer => {
    const client = assembleClient(
      {
        apiKey: 'service_test_1',
        baseUrl: 'http://localhost:1/api/v1',
        fetch,
        // A process may be suspended here.
        onRequest: () => pause(random, random() < 0.2 ? 1_000 : 30),
        maxRetries: 0,
        readLag: 0,
        onWarning: () => {},
      },
      clock,
    );
    return createPayer(client, { store, lease: LEASE, clockSkew: 1_000 });
  };
  const workers = Array.from({ length: 3 }, createWorker);
  const pay = async (payer: Payer, reference: string): Promise<void> => {
    const paid = await payer.pay(reference, bodyOf(reference)).catch(() => undefined);
    if (paid && !listIds(reference).includes(paid.id)) wrong.push(`${paid.id} for ${reference}`);
  };
  const release = async (payer: Payer, reference: string): Promise<void> => {
    const version = (await store.inner.read(reference))?.version ?? 0;
    const decision = { version, by: 'Ada', because: 'no payment exists', release: true } as const;
    await payer.resolve(reference, decision).catch(() => {});
  };
  const running: Promise<void>[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    const reference = references[Math.floor(random() * references.length)] as string;
    const payer = workers[Math.floor(random() * workers.length)] as Payer;
    const choice = random();
    if (choice < 0.6) running.push(pay(payer, reference));
    else if (choice < 0.75) manual.suspend(Math.floor(random() * 4 * LEASE));
    // A person checked: no payment exists at this moment, but a request may be about to be sent.
    else if (choice < 0.85 && listIds(reference).length === 0) running.push(release(payer, reference));
    else await manual.advance(Math.floor(random() * 2_000));
    await pause(random, 40);
  }
  const state = { isDone: false };
  void Promise.all(running).then(() => (state.isDone = true));
  while (!state.isDone) await manual.advance(5_000);
  await store.settled();
  for (const reference of references) {
    const ids = listIds(reference);
    const record = await store.inner.read(reference);
    if (ids.length > 0 && (record?.state === 'planned' || record?.state === 'rejected'))
      wrong.push(`${reference} is free and has ${ids.join()}`);
    if (record?.paymentId !== undefined && !ids.includes(record.paymentId))
      wrong.push(`${reference} has ${record.paymentId}`);
  }
  return { made: references.map(listIds), wrong };
}

describe('payers over a store that delays, duplicates, fails and serves stale reads', () => {
  it(`pay no reference twice in ${RUNS} runs of ${STEPS} steps`, async () => {
    useSynchronousDigest();
    let payments = 0;
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      const { made, wrong } = await simulate(seed);
      for (const ids of made) expect(ids.length).toBeLessThanOrEqual(1);
      expect(wrong).toEqual([]);
      payments += made.flat().length;
    });
    await fc.assert(property, { numRuns: RUNS, seed: 20_260_131, endOnFailure: true });
    expect(payments).toBeGreaterThan(RUNS);
  });
});
