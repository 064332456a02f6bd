import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../test/support/random.ts';
import { runs } from '../../../../test/support/runs.ts';
import { PaymentOutcomeUnknownError, ServiceError } from '../../src/index.ts';
import type { GuardOperations } from '../../src/intents/guard-types.ts';
import { assembleGuard } from '../../src/intents/duplicate-guard.ts';
import { systemClock } from '../../src/transport/clock.ts';
import { createFaultyStore, pause } from './faulty-store.ts';
import { useSynchronousDigest } from './synchronous-digest.ts';

const RUNS = runs(200);
const STEPS = 40;
const references = ['a', 'b', 'c'];

/** Pays references with several workers and releases them, over a store with faults. Returns the payments that were created. */
async function simulate(seed: number): Promise<{ made: Map<string, string[]>; wrong: string[] }> {
  const random = createRandom(seed);
  const store = createFaultyStore(random);
  let now = Date.UTC(2026, 0, 31);
  const clock = { ...systemClock, date: () => new Date(now) };
  const guards = Array.from({ length: 3 }, () => assembleGuard(store, clock));
  const made = new Map<string, string[]>(references.map((reference) => [reference, []]));
  const wrong: string[] = [];

  const send = async (reference: string, isExpired: () => boolean): Promise<{ data: { id: string } }> => {
    // A process may be suspended here.
    await pause(random, random() < 0.2 ? 1_000 : 30);
    // The last check of the transport: after it, the request is sent.
    if (isExpired()) throw new ServiceError('too late', { outcome: 'not_sent' });
    const fate = random();
    const ids = made.get(reference) as string[];
    const id = `pay_test_${reference}_${ids.length}`;
    if (fate < 0.5) ids.push(id);
    await pause(random, 30);
    if (fate < 0.3) return { data: { id } };
    if (fate < 0.7) throw toUnknown(random() < 0.5 && fate < 0.5 ? id : undefined);
    throw new ServiceError('no', { outcome: fate < 0.85 ? 'rejected' : 'not_sent' });
  };
  const create = async (guard: GuardOperations, reference: string): Promise<void> => {
    const id = await guard
      .protect(reference, {
        body: reference,
        beneficiary: { name: reference, account: undefined },
        maxDuration: 60_000,
        create: ({ isExpired }) => send(reference, isExpired),
        retrieve: async (paymentId) => ({ data: { id: paymentId } }),
        warn: () => {},
      })
      .then(({ data }) => data.id)
      .catch(() => undefined);
    if (id !== undefined && !made.get(reference)?.includes(id)) wrong.push(`${id} for ${reference}`);
  };
  const running: Promise<void>[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    const reference = references[Math.floor(random() * references.length)] as string;
    const guard = guards[Math.floor(random() * guards.length)] as GuardOperations;
    const choice = random();
    if (choice < 0.7) running.push(create(guard, reference));
    else if (choice < 0.8) now += random() * 300_000;
    // A person checked: no payment exists at this moment, but a request may be about to be sent.
    else if (made.get(reference)?.length === 0) await guard.release(reference).catch(() => {});
    await pause(random, 40);
  }
  await Promise.all(running);
  await store.settled();
  for (const [reference, ids] of made) {
    const record = await store.inner.read(reference);
    if (ids.length > 0 && (record?.state === 'planned' || record?.state === 'rejected')) {
      wrong.push(`${reference} is free and has ${ids.join()}`);
    }
  }
  return { made, wrong };
}

function toUnknown(paymentId: string | undefined): PaymentOutcomeUnknownError {
  return new PaymentOutcomeUnknownError({
    phase: 'waiting',
    sentAt: '',
    failedAt: '',
    reference: undefined,
    idempotencyKey: undefined,
    paymentId,
    amount: '1',
    from_currency: 'USD',
    to_currency: 'EUR',
    purpose: null,
  });
}

describe('a duplicate guard over a store that delays, duplicates, fails and serves stale reads', () => {
  it(`pays no reference twice in ${RUNS} runs of ${STEPS} steps`, async () => {
    useSynchronousDigest();
    let payments = 0;
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      const { made, wrong } = await simulate(seed);
      for (const ids of made.values()) expect(ids.length).toBeLessThanOrEqual(1);
      expect(wrong).toEqual([]);
      payments += [...made.values()].flat().length;
    });
    await fc.assert(property, { numRuns: RUNS, seed: 20_260_131, endOnFailure: true });
    expect(payments).toBeGreaterThan(RUNS);
  });
});
