import { createMock, type Mock } from '@service/mock';
import { createOrders } from './orders.ts';

/** A mock, and the request headers of an account whose balance no benchmark can use up. */
export interface BenchmarkAccount {
  readonly mock: Mock;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates a mock with a manual clock, and an account with enough money for every payment. */
export function createBenchmarkAccount(): BenchmarkAccount {
  const mock = createMock({ clock: 'manual', seed: 1 });
  const { testKey } = mock.sandbox.accounts.create({ name: 'rich', balances: { USD: '90000000000.00' } });
  return { mock, headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' } };
}

/** Creates pending payments. */
export async function addPayments({ mock, headers }: BenchmarkAccount, count: number): Promise<void> {
  const nextBody = createOrders(count);
  for (let created = 0; created < count; created += 1) {
    const { status } = await mock.fetch(`${mock.baseUrl}/payments`, {
      method: 'POST',
      headers,
      body: nextBody(),
    });
    if (status !== 201) throw new Error(`POST /payments responded with ${status}.`);
    if (created % 1_000 === 0) await waitForTasks();
  }
  await waitForTasks();
}

/** Waits for the work that continues after a response: timers of 0 ms and the tasks that they start. */
export function waitForTasks(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(() => setImmediate(resolve), 1);
  return promise;
}

/**
 * Collects garbage and returns the used heap, in bytes.
 *
 * @throws {Error} when Node runs without `--expose-gc`
 */
export async function readHeap(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('The heap cannot be measured; run node with --expose-gc.');
  for (let pass = 0; pass < 3; pass += 1) {
    await waitForTasks();
    await globalThis.gc({ type: 'major', execution: 'async' });
  }
  return process.memoryUsage().heapUsed;
}
