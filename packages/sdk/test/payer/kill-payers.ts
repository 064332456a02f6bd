import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createMock, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { createRandom } from '../../../../test/support/random.ts';
import type { Engine } from '../../../webhooks/test/stores/servers.ts';
import { type Intent } from '../../src/entries/payer.ts';
import { createClient, type PaymentInput } from '../../src/index.ts';
import { openStore, type StoreKind } from './open-store.ts';
import { type PayerMessage, type PayerProcessOptions, times } from './payer-process.ts';

/** The behavior of the mock for a repeated key. */
export type Idempotency = PayerProcessOptions['idempotency'];

/** A batch against a mock over HTTP. */
export interface KillCase {
  readonly kind: StoreKind;
  readonly idempotency: Idempotency;
  readonly seed: number;
  readonly lines: number;
  /** @default 'run' */
  readonly call?: PayerProcessOptions['call'] | undefined;
}

/** The figures of a batch. The first four must be 0. */
export interface KillFigures {
  readonly twice: number;
  /** Intents with the payment of another line. */
  readonly wrong: number;
  /** Intents that are planned or sending after the last run, and created ones without a payment. */
  readonly lost: number;
  readonly conflicts: number;
  readonly created: number;
  readonly unknown: number;
  /** Of the unknown intents, the number with a payment. */
  readonly unknownButPaid: number;
  readonly abandoned: number;
}

/** A mock, and the options of the payers of a batch. */
export type KillContext = KillCase & {
  readonly mock: Mock;
  readonly options: Omit<PayerProcessOptions, 'stop'>;
};

/** Runs work with a mock, a store and a batch, and counts its payments after two more runs without faults. */
export async function payWithStops(
  given: KillCase,
  work: (context: KillContext) => Promise<void>,
): Promise<KillFigures> {
  const { kind, idempotency, seed, lines: count, call = 'run' } = given;
  const folder = mkdtempSync(join(tmpdir(), 'payers-'));
  const mock = createMock({ seed: String(seed), profile: { idempotency } });
  const server = await listen(mock, { port: 0 });
  mock.sandbox.wallets.set({ currency: 'USD', amount: '10000000.00' });
  const lines = Object.fromEntries(
    Array.from({ length: count }, (_, index): [string, PaymentInput] => [`line-${index}`, bodyOf(index)]),
  );
  const { testKey: apiKey } = mock.account;
  const path = join(folder, 'payments.db');
  const options = { kind, path, baseUrl: server.baseUrl, apiKey, idempotency, lines, call, concurrency: 4 };
  try {
    await work({ ...given, mock, options });
    mock.sandbox.faults.clear();
    for (let run = 0; run < 2; run += 1) {
      await wait(times.lease + times.clockSkew);
      const { code, error } = await runToEnd(options);
      if (code !== 0 || error !== undefined) throw new Error(`The last run failed: ${error ?? code}`);
    }
    return countFigures(await readIntents(options), await readPayments(options), lines);
  } finally {
    await server.close();
    await mock.close();
    rmSync(folder, { recursive: true });
  }
}

/** The number of kills of payers for each kill of the database. */
const KILLS_PER_DATABASE = 10;

/** Kills payers with SIGKILL at random times, while the network and the service have faults, and the database too. */
export function killAtRandom(
  given: KillCase & {
    readonly kills: number;
    readonly workers: number;
    readonly database?: Engine | undefined;
  },
): Promise<KillFigures> {
  const { kills, workers, seed, database } = given;
  const random = createRandom(seed);
  return payWithStops(given, async ({ mock, options }) => {
    injectFaults(mock);
    const slots = Array.from({ length: workers }, () => start(options));
    for (let kill = 0; kill < kills; kill += 1) {
      const slot = Math.floor(random() * slots.length);
      const child = slots[slot] as Started;
      await child.ready;
      await wait(random() * 120);
      if (database && kill % KILLS_PER_DATABASE === 0) {
        // A worker that opens its store meanwhile ends with an error.
        await Promise.all(slots.map((one) => one.ready));
        await database.kill();
        await database.restart();
      }
      child.process.kill('SIGKILL');
      await child.exit;
      slots[slot] = start(options);
    }
    while (slots.length > 0) {
      const [child] = slots.splice(Math.floor(random() * slots.length), 1) as [Started];
      await child.ready;
      child.process.kill('SIGKILL');
      await child.exit;
    }
  });

  function injectFaults({ sandbox: { faults } }: Mock): void {
    const createPayment = { operation: 'createPayment', times: 'unlimited' } as const;
    faults.inject({ ...createPayment, kind: 'reset_before_commit', probability: 0.05 });
    faults.inject({ ...createPayment, kind: 'reset_after_commit', probability: 0.05 });
    faults.inject({ ...createPayment, kind: 'truncated', probability: 0.04 });
    faults.inject({ ...createPayment, kind: 'garbage', probability: 0.02 });
    faults.inject({ ...createPayment, kind: 'html', status: 502, probability: 0.03, commit: true });
    faults.inject({ ...createPayment, kind: 'rate_limit', probability: 0.03 });
    faults.inject({ ...createPayment, kind: 'latency', ms: 60, probability: 1 });
  }
}

/** Resolves when a process has been stopped by a signal. */
export async function waitUntilStopped({ process: { pid } }: Started): Promise<boolean> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    if (stat === undefined) return false;
    if (stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')) return true;
    await wait(10);
  }
}

/** The end of a payer process. */
export interface Run {
  readonly code: number | null;
  readonly steps?: number | undefined;
  readonly error?: string | undefined;
}

/** A running payer process. */
export interface Started {
  readonly process: ChildProcess;
  /** Resolves when the batch is planned, or the process has ended. */
  readonly ready: Promise<void>;
  readonly exit: Promise<Run>;
}

/** Starts a payer process. */
export function start(options: PayerProcessOptions): Started {
  const child = fork(join(import.meta.dirname, 'payer-process.ts'), [JSON.stringify(options)], {
    execArgv: ['--conditions=@service/source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let done: Extract<PayerMessage, { type: 'done' }> | undefined;
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message: PayerMessage) => {
      if (message.type === 'done') done = message;
      resolve();
    });
    child.once('exit', () => resolve());
  });
  const exit = once(child, 'exit').then(([code]) => ({ code: code as number | null, ...done }));
  return { process: child, ready, exit };
}

/** Runs a payer until it ends. */
function runToEnd(options: PayerProcessOptions): Promise<Run> {
  return start(options).exit;
}

/** A payment of the mock. */
interface KnownPayment {
  readonly id: string;
  readonly name: string;
}

/** Reads all payments of the mock without faults. */
export async function readPayments({
  baseUrl,
  apiKey,
}: PayerProcessOptions): Promise<readonly KnownPayment[]> {
  const client = createClient({ baseUrl, apiKey });
  const ids = new Set<string>();
  for await (const { payment_id: id } of client.transactions.list({ per_page: 100 })) if (id) ids.add(id);
  const payments: KnownPayment[] = [];
  for (const id of ids) payments.push({ id, name: (await client.payments.retrieve(id)).beneficiary.name });
  return payments;
}

async function readIntents({ kind, path }: PayerProcessOptions): Promise<readonly Intent[]> {
  const { store, close } = openStore(kind, path);
  const intents = await store.list({});
  await close();
  return intents;
}

function bodyOf(index: number): PaymentInput {
  const name = `Supplier ${index}`;
  const sum = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00' };
  return { ...sum, beneficiary_name: name, purpose: 'Rent November' };
}

function countFigures(
  intents: readonly Intent[],
  payments: readonly KnownPayment[],
  lines: PayerProcessOptions['lines'],
): KillFigures {
  const names = new Map(payments.map(({ id, name }) => [id, name]));
  const own = ({ reference }: Intent): number =>
    payments.filter(({ name }) => name === lines[reference]?.beneficiary_name).length;
  const count = (test: (intent: Intent) => boolean): number => intents.filter(test).length;
  const isLost = (intent: Intent): boolean =>
    intent.state === 'planned' ||
    intent.state === 'sending' ||
    (intent.state === 'created' && own(intent) === 0);
  return {
    twice: count((intent) => own(intent) > 1),
    wrong: count(
      ({ reference, paymentId }) =>
        paymentId !== undefined && names.get(paymentId) !== lines[reference]?.beneficiary_name,
    ),
    lost: count(isLost) + Object.keys(lines).length - intents.length,
    conflicts: count(({ conflicts }) => conflicts !== undefined),
    created: count(({ state }) => state === 'created'),
    unknown: count(({ state }) => state === 'unknown'),
    unknownButPaid: count((intent) => intent.state === 'unknown' && own(intent) > 0),
    abandoned: count(({ state }) => state === 'abandoned'),
  };
}
