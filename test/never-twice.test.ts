// Creates under faults before and after the payment is created.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock, type FaultOptions, type Mock } from '@service/mock';
import { type Client, ServiceError, type Payment, type PaymentOutcomeUnknownError } from '@service/sdk';
import { assembleClient } from '../packages/sdk/src/client.ts';
import type { Clock } from '../packages/sdk/src/transport/deadline.ts';
import { order } from './support/order.ts';
import { runs } from './support/runs.ts';

const RUNS = runs(200, 10_000);
const GROUPS = 2;

let now = 0;

/** Runs timers 1 000 times faster. Only timers advance the time, so a busy machine cannot cause a timeout. */
const fastClock: Clock = {
  now: () => now,
  date: () => new Date(),
  schedule: (run, milliseconds) => {
    const due = now + milliseconds;
    const timer = setTimeout(() => {
      now = Math.max(now, due);
      run();
    }, milliseconds / 1_000);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  unique: () => crypto.randomUUID(),
};

const fault: fc.Arbitrary<FaultOptions> = fc
  .record({
    shape: fc.constantFrom<FaultOptions>(
      { kind: 'status', status: 400 },
      { kind: 'status', status: 500 },
      { kind: 'status', status: 503 },
      { kind: 'status', status: 409 },
      { kind: 'rate_limit' },
      { kind: 'rate_limit', retryAfter: 0 },
      { kind: 'html' },
      { kind: 'empty' },
      { kind: 'empty', status: 201, commit: true },
      { kind: 'html', status: 200, commit: true },
      { kind: 'status', status: 500, commit: true },
      { kind: 'truncated' },
      { kind: 'stalled' },
      { kind: 'reset_before_commit' },
      { kind: 'reset_after_commit' },
      { kind: 'garbage' },
      { kind: 'wrong_content_type' },
    ),
    times: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ shape, times }) => ({ ...shape, times, operation: 'createPayment' }));

const run = fc.record({
  faults: fc.array(fault, { maxLength: 3 }),
  maxRetries: fc.integer({ min: 0, max: 3 }),
  keyRetention: fc.constantFrom(undefined, 86_400_000),
  reference: fc.boolean(),
});

type Run = typeof run extends fc.Arbitrary<infer Value> ? Value : never;
const outcomes = { created: 0, unknownAndFound: 0, unknownAndNotFound: 0, none: 0 };

async function createUnderFaults(
  mock: Mock,
  { faults, maxRetries, keyRetention }: Run,
  purpose: string,
): Promise<void> {
  const account = mock.sandbox.accounts.create({ balances: { USD: '100.00' } });
  const connection = { apiKey: account.testKey, baseUrl: mock.baseUrl, fetch: mock.fetch, readLag: 0 };
  const options = { ...connection, maxRetries, keyRetention, timeout: 10_000 };
  const client = assembleClient(options, fastClock);
  // Only the create may time out.
  const reader = assembleClient({ ...connection, timeout: 10_000_000 }, fastClock);
  for (const item of faults) mock.sandbox.faults.inject(item);
  const result = await client.payments
    .create({ ...order, amount: '10.00', purpose })
    .catch((error: PaymentOutcomeUnknownError) => error);
  mock.sandbox.faults.clear();

  const logged = mock.sandbox.requests
    .list({ account: account.id, operation: 'createPayment' })
    .map(({ effects }) => effects.payment_id)
    .filter((id) => id !== null);
  const ids = [...new Set(logged)];
  // At most one payment, and the client reports it.
  expect(ids.length).toBeLessThanOrEqual(1);
  const { balances } = await reader.balance.retrieve();
  const rows = await reader.transactions.list();
  const sum = rows.transactions.reduce((total, { amount }) => total + amount * 100, 0);
  expect(balances).toEqual([{ currency: 'USD', balance: 100 - 10 * ids.length }]);
  expect(sum).toBe(10_000 - 1_000 * ids.length);

  expect(await reportedIds(reader, result)).toEqual(ids);
}

/** Returns the payment ids that the client reports: of the create, or of the reconciliation of an unknown outcome. */
async function reportedIds(
  client: Client,
  result: Payment | PaymentOutcomeUnknownError,
): Promise<readonly string[]> {
  if (!(result instanceof ServiceError)) {
    outcomes.created += 1;
    return [result.id];
  }
  if (result.outcome !== 'unknown') {
    outcomes.none += 1;
    return [];
  }
  const found = await client.payments.reconcile(result);
  outcomes[found.result === 'found' ? 'unknownAndFound' : 'unknownAndNotFound'] += 1;
  if (found.result === 'found') return [found.payment.id];
  return found.result === 'not_found_yet' ? [] : [found.result];
}

describe(`${RUNS} creates under faults`, () => {
  it.each(Array.from({ length: GROUPS }, (_, group) => group))(
    'create at most one payment and report its outcome: group %i',
    async (group) => {
      const mock = createMock({ clock: 'real', requestLog: { requests: 20 } });
      let count = 0;
      const property = fc.asyncProperty(run, async (item) => {
        await createUnderFaults(mock, item, `INV-${group}-${(count += 1)}`);
      });
      await fc.assert(property, { numRuns: RUNS / GROUPS, seed: 20_260_131 + group, endOnFailure: true });
      expect(count).toBe(RUNS / GROUPS);
    },
  );

  it('reach every outcome in more than 1 % of the runs', () => {
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(RUNS / 100);
  });
});
