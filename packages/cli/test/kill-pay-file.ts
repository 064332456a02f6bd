import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@service/sdk';
import { createMock, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { childEnv } from '../../../test/support/child-env.ts';
import { createRandom } from '../../../test/support/random.ts';
import { end } from './chaos.support.ts';
import { toCsv } from './payment-csv.ts';

/** The built command line. */
export const bin: string = new URL('../bin/service-cli.js', import.meta.url).pathname;

/** A file of payments whose runs are ended by signals. */
export interface KillCase {
  readonly seed: number;
  readonly lines: number;
  readonly kills: number;
  readonly signal: 'SIGKILL' | 'SIGINT';
  readonly idempotency: 'replayed' | 'ignored';
  /** Whether the file and the database of its store, without its log, get another name after each kill. */
  readonly moves?: boolean | undefined;
}

/** The figures of a file after its last run, from the state of the mock and the report of the last run. */
export interface KillFigures {
  readonly payments: number;
  /** Lines that were paid more than once. */
  readonly twice: number;
  /** Created payments of the report whose beneficiary is not that of the line. */
  readonly wrong: number;
  readonly created: number;
  readonly unknown: number;
  /** Exit codes of the interrupted runs, without repetitions. Null for a killed one. */
  readonly interrupted: readonly (number | null)[];
  readonly lastCode: number | null;
}

/** Runs `service-cli pay-file` in separate processes, ends them while they send, and runs the same command to its end. */
export async function payWithKills(given: KillCase): Promise<KillFigures> {
  const { seed, lines, kills, signal, idempotency, moves } = given;
  const folder = mkdtempSync(join(tmpdir(), 'pay-kills-'));
  const mock = createMock({ seed: String(seed), profile: { idempotency } });
  let creates = 0;
  let wanted = { count: Infinity, reach: (): void => {} };
  const onResponse = ({ method, path: target }: { readonly method: string; readonly path: string }): void => {
    if (method === 'POST' && target.endsWith('/payments')) creates += 1;
    if (creates >= wanted.count) wanted.reach();
  };
  const server = await listen(mock, { port: 0, onResponse });
  const random = createRandom(seed);
  let path = join(folder, 'payments.csv');
  writeFileSync(path, toCsv(lines));
  const env = { SERVICE_API_KEY: mock.account.testKey, SERVICE_BASE_URL: server.baseUrl };
  const options = ['--yes', '--json', '--timeout', '2s', '--clock-skew', '100ms'];
  if (idempotency === 'replayed') options.push('--key-retention', '24h');
  const run = (): ReturnType<typeof start> => start(['pay-file', path, ...options], { cwd: folder, env });
  let log = '';
  const move = (name: string): void => {
    const [source, target] = [path, join(folder, name)];
    for (const suffix of ['', '.payments.db'])
      if (existsSync(source + suffix)) renameSync(source + suffix, target + suffix);
    log = `${source}.payments.db-wal`;
    path = target;
  };
  const interrupted = new Set<number | null>();
  try {
    mock.sandbox.faults.inject({ kind: 'latency', ms: 40, operation: 'createPayment', times: 'unlimited' });
    injectFaults(mock);
    for (let kill = 0; kill < kills; kill += 1) {
      const child = run();
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      wanted = { count: creates + 1 + Math.floor(random() * 12), reach };
      await Promise.race([child.ended, reached]);
      child.process.kill(signal);
      interrupted.add((await child.ended).code);
      if (!moves) continue;
      move(`payments-${kill}.csv`);
      const { code, stdout } = await start(['pay-file', path, '--status', '--json'], {
        cwd: folder,
        env,
      }).ended;
      // A database without its log that lacks a part is refused. The log completes it.
      if (code === 2 && stdout.includes('is incomplete')) renameSync(log, `${path}.payments.db-wal`);
    }
    mock.sandbox.faults.clear();
    const last = await run().ended;
    return { ...(await countPayments(last.stdout, env)), interrupted: [...interrupted], lastCode: last.code };
  } finally {
    await server.close();
    await mock.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function injectFaults({ sandbox: { faults } }: Mock): void {
  const createPayment = { operation: 'createPayment', times: 'unlimited' } as const;
  faults.inject({ ...createPayment, kind: 'reset_before_commit', probability: 0.05 });
  faults.inject({ ...createPayment, kind: 'reset_after_commit', probability: 0.05 });
  faults.inject({ ...createPayment, kind: 'html', status: 502, probability: 0.05, commit: true });
}

function start(argv: readonly string[], options: { readonly cwd: string; readonly env: object }) {
  const env = { ...childEnv, ...options.env };
  const child = spawn(process.execPath, [bin, ...argv], { ...options, env });
  return { process: child, ended: end(child) };
}

/** Counts the payments of the mock, and compares them with the report of a run. */
async function countPayments(
  stdout: string,
  env: { readonly SERVICE_API_KEY: string; readonly SERVICE_BASE_URL: string },
): Promise<Omit<KillFigures, 'interrupted' | 'lastCode'>> {
  const client = createClient({ apiKey: env.SERVICE_API_KEY, baseUrl: env.SERVICE_BASE_URL });
  const names = new Map<string, string>();
  for await (const { payment_id: id } of client.transactions.list({ per_page: 100 })) {
    if (id && !names.has(id)) names.set(id, (await client.payments.retrieve(id)).beneficiary.name);
  }
  const rows = stdout
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row) as { reference?: string; state: string; payment_id: string })
    .filter(({ reference }) => reference !== undefined);
  const created = rows.filter(({ state }) => state === 'created');
  const isWrong = (row: (typeof rows)[number]): boolean =>
    names.get(row.payment_id) !== row.reference?.replace('INV-', 'Supplier ');
  return {
    payments: names.size,
    twice: names.size - new Set(names.values()).size,
    wrong: created.filter(isWrong).length,
    created: created.length,
    unknown: rows.filter(({ state }) => state === 'unknown').length,
  };
}
