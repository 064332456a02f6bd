import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { createPayer, type Intent, type Payer } from '../../src/entries/payer.ts';
import { IdempotencyError } from '../../src/errors.ts';
import {
  type KillContext,
  payWithStops,
  readPayments,
  start,
  type Started,
  waitUntilStopped,
} from './kill-payers.ts';
import { openStore, type StoreKind } from './open-store.ts';
import { times } from './payer-process.ts';
import { startDatabase } from './start-database.ts';

/** A person decides that a create of another process was never made, as soon as that is allowed. */
async function decideWhenAllowed(payer: Payer, sending: Intent) {
  const refusals: Date[] = [];
  for (;;) {
    try {
      const { version } = sending;
      const decision = { version, by: 'Ada', because: 'not in the list', neverMade: true } as const;
      return { refusals, resolved: await payer.resolve(sending.reference, decision) };
    } catch (error) {
      if (!(error instanceof IdempotencyError)) throw error;
      expect(error).toMatchObject({
        outcome: 'not_sent',
        message: expect.stringContaining('may still be sent'),
      });
      refusals.push(new Date());
    }
  }
}

/** Stops a worker after its claim, or in `fetch` before its request leaves. */
async function stopWorker({ options }: KillContext, place: 'after its claim' | 'in fetch'): Promise<Started> {
  const stop =
    place === 'after its claim'
      ? ({ step: 1, when: 'after', signal: 'SIGSTOP' } as const)
      : ({ step: 2, when: 'before', signal: 'SIGSTOP' } as const);
  const worker = start({ ...options, concurrency: 1, stop });
  expect(await waitUntilStopped(worker)).toBe(true);
  return worker;
}

/** Decides in this process while a worker is stopped. Returns the resolved intent. */
async function decideBeside({ options, kind }: KillContext): Promise<Intent> {
  const { store, close } = openStore(kind, options.path);
  const client = createClient({ apiKey: options.apiKey, baseUrl: options.baseUrl, timeout: times.timeout });
  const payer = createPayer(client, { store, lease: times.lease, clockSkew: times.clockSkew });
  const sending = await store.read('line-0');
  if (sending?.holder === undefined) throw new Error('The worker has no claim.');
  const { refusals, resolved } = await decideWhenAllowed(payer, sending);
  await close();
  const until = Date.parse(sending.holder.until);
  const decidedAt = Date.parse(resolved.audit?.at ?? '');
  expect(decidedAt).toBeGreaterThanOrEqual(until + times.timeout + times.clockSkew);
  // The end of the lease was not enough.
  expect(refusals.some((refused) => refused.getTime() > until)).toBe(true);
  return resolved;
}

const kinds: readonly StoreKind[] = ['sqlite', 'postgres'];

describe('neverMade while the worker of the create is stopped', () => {
  it.each(kinds)('is refused until its request cannot arrive, and then nothing is sent, %s', async (kind) => {
    await startDatabase(kind);
    const figures = await payWithStops(
      { kind, idempotency: 'ignored', seed: 1, lines: 1 },
      async (context) => {
        const worker = await stopWorker(context, 'after its claim');
        expect((await decideBeside(context)).state).toBe('abandoned');
        worker.process.kill('SIGCONT');
        await worker.exit;
        expect(await readPayments(context.options)).toEqual([]);
      },
    );
    expect(figures).toMatchObject({ abandoned: 1, twice: 0, wrong: 0, lost: 0, conflicts: 0 });
  });

  it('is contradicted by a conflict if the worker continues in fetch', async () => {
    const one = { kind: 'sqlite', idempotency: 'ignored', seed: 1, lines: 1 } as const;
    const figures = await payWithStops(one, async (context) => {
      const worker = await stopWorker(context, 'in fetch');
      await decideBeside(context);
      worker.process.kill('SIGCONT');
      await worker.exit;
      expect(await readPayments(context.options)).toHaveLength(1);
    });
    expect(figures).toMatchObject({ created: 1, conflicts: 1, twice: 0, wrong: 0, lost: 0 });
  });
});
