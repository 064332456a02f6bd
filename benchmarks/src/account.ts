import { createMock, type Mock } from '@service/mock';

/** Is a mock and the headers of its one account, which no benchmark can empty. */
export interface Bench {
  readonly mock: Mock;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates a mock whose clock stands still, with an account that has money for every payment. */
export function createBench(): Bench {
  const mock = createMock({ clock: 'manual', seed: 1 });
  const { testKey } = mock.sandbox.accounts.create({ name: 'rich', balances: { USD: '90000000000.00' } });
  return { mock, headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' } };
}

/** Waits until everything that an answer left behind has run: timers of 0, and what they start. */
export function settle(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(() => setImmediate(resolve), 1);
  return promise;
}

/** Collects garbage and returns what is left of the heap, in bytes; needs `--expose-gc`. */
export async function readHeap(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('needs node --expose-gc');
  for (let pass = 0; pass < 3; pass += 1) {
    await settle();
    await globalThis.gc({ type: 'major', execution: 'async' });
  }
  return process.memoryUsage().heapUsed;
}
