import { type ChildProcess, fork } from 'node:child_process';
import { PerformanceObserver } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { listen } from '@service/mock/node';
import { addPayments, createBenchmarkAccount, readHeap, waitForTasks } from './account.ts';
import { createFigure, type Figure, medianOf, type Goal } from './figure.ts';
import type { Operation } from './waits/operation.ts';

const PAYMENTS = 200_000;

/** The time without an operation, in milliseconds. */
const IDLE = 2_000;

/** The time after a full garbage collection until the server answers as quickly as before it, in milliseconds. */
const SETTLING = 500;

/** An advance comes last: it changes the payments. */
const operations: Readonly<Record<string, Operation>> = {
  'state hash': { method: 'GET', path: '/_sandbox/state-hash' },
  snapshot: { method: 'GET', path: '/_sandbox/snapshot' },
  advance: { method: 'POST', path: '/_sandbox/clock/advance', body: '{"by":"10s"}' },
};

/**
 * Measures how long the requests of a client wait while another client runs an operation on a large state. The server is
 * this process; each client has its own process.
 */
export async function measureWaits(): Promise<Figure[]> {
  const { mock, headers } = createBenchmarkAccount();
  await addPayments({ mock, headers }, PAYMENTS);
  await using server = await listen(mock, { port: 0 });
  const { port } = server;
  const client = startChild('waits/client.ts', JSON.stringify({ port, headers }));
  const operator = startChild('waits/operation.ts', String(port));
  await receive(operator);
  const figures = await measureDuring(client, { name: 'no operation', run: () => wait(IDLE) });
  for (const [name, operation] of Object.entries(operations)) {
    const run = (): Promise<number> => {
      operator.send(operation);
      return receive(operator);
    };
    figures.push(...(await measureDuring(client, { name, run, goal: { atMost: 50 } })));
  }
  operator.disconnect();
  client.disconnect();
  return figures;
}

interface MeasuredOperation {
  readonly name: string;
  /** Runs the operation and returns its time, in milliseconds. */
  readonly run: () => Promise<number>;
  /** The goal of the p99. */
  readonly goal?: Goal;
}

/** Measures the waits of a client during an operation. */
async function measureDuring(
  client: ChildProcess,
  { name, run, goal }: MeasuredOperation,
): Promise<Figure[]> {
  await readHeap();
  await wait(SETTLING);
  await collectWaits(client);
  using pauses = observePauses();
  const time = await run();
  const waits = (await collectWaits(client)).toSorted((a, b) => a - b);
  await waitForTasks();
  const { total, longest } = pauses.read();
  const options = { unit: ' ms' };
  const p99 = waits[Math.ceil(waits.length * 0.99) - 1] ?? Number.NaN;
  return [
    createFigure(`GET /balance, ${name}: p99 of ${waits.length} waits`, [p99], {
      ...options,
      ...(goal && { goal }),
    }),
    createFigure(`GET /balance, ${name}: median wait`, [medianOf(waits)], options),
    createFigure(`GET /balance, ${name}: longest wait`, [waits.at(-1) ?? Number.NaN], options),
    createFigure(`${name}: time`, [time], options),
    createFigure(`${name}: garbage collection, share of the time`, [(total / time) * 100], { unit: ' %' }),
    createFigure(`${name}: garbage collection, longest pause`, [longest], options),
  ];
}

/** Returns the waits since the last call, in milliseconds. */
function collectWaits(client: ChildProcess): Promise<readonly number[]> {
  client.send('collect');
  return receive(client);
}

function startChild(script: string, ...args: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL(script, import.meta.url)), args);
}

/** Returns the next message of a child process. Rejects if it exits first. */
function receive<Message>(child: ChildProcess): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  const fail = (): void => reject(new Error(`${child.spawnargs[1]} failed.`));
  child.once('exit', fail).once('message', (message) => {
    child.off('exit', fail);
    resolve(message as Message);
  });
  return promise;
}

interface Pauses extends Disposable {
  /** Returns the total and the longest pause, in milliseconds. */
  readonly read: () => { readonly total: number; readonly longest: number };
}

/** Observes the pauses of the garbage collector in this process. */
function observePauses(): Pauses {
  let [total, longest] = [0, 0];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      total += duration;
      longest = Math.max(longest, duration);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return { read: () => ({ total, longest }), [Symbol.dispose]: () => observer.disconnect() };
}

/** Resolves with a time after that time, in milliseconds. */
function wait(milliseconds: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  setTimeout(resolve, milliseconds, milliseconds);
  return promise;
}
