// Payments in a data file under write load: 100 kills of `service-cli mock --data`, an end of the process and a power
// failure at each step of appends and compactions, the throughput of creates, and the start with 100 000 payments.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock } from '@service/mock';
import { keepData } from '@service/mock/node';
import {
  type Acknowledged,
  measureThroughput,
  runUntilCut,
  runUntilKilled,
  startMock,
} from '../../test/support/durability.ts';
import { createRandom } from '../../test/support/random.ts';
import type { VolatileFiles } from '../../test/support/volatile-files.ts';

const KILLS = 100;
const KILLS_PER_FILE = 20;
const SEEDS = 10;
const ROUNDS = 5;
const PAYMENTS = 100_000;
const folder = mkdtempSync(join(tmpdir(), 'durability-'));
const random = createRandom(1);

async function killOften(): Promise<boolean> {
  let [payments, lost, reused] = [0, 0, 0];
  let acknowledged: Acknowledged = new Map();
  for (let kill = 0; kill < KILLS; kill += 1) {
    if (kill % KILLS_PER_FILE === 0) acknowledged = new Map();
    const before = acknowledged.size;
    const file = join(folder, `kills-${Math.floor(kill / KILLS_PER_FILE)}`);
    const loss = await runUntilKilled(file, acknowledged, 1 + Math.floor(random() * 300));
    payments += acknowledged.size - before;
    lost += loss.lost;
    reused += loss.reused;
  }
  console.table({ kills: KILLS, 'acknowledged payments': payments, lost, 'reused ids': reused });
  return lost === 0 && reused === 0;
}

async function cutEverywhere(): Promise<boolean> {
  const endings: Record<string, (files: VolatileFiles) => VolatileFiles> = {
    'end of the process': (files) => files.kill(),
    'power failure, nothing unsynced is kept': (files) => files.cutPower(),
    'power failure, some unsynced sectors are kept': (files) => files.cutPower(random),
  };
  let isGood = true;
  for (const [title, end] of Object.entries(endings)) {
    let [runs, lost, reused] = [0, 0, 0];
    const { steps } = await runUntilCut({ step: Infinity, end });
    for (let step = 1; step <= steps * SEEDS; step += 1) {
      const loss = await runUntilCut({ step: 1 + (step % steps), end });
      runs += 1;
      lost += loss.lost;
      reused += loss.reused;
    }
    console.table({ [title]: { runs, steps, lost, 'reused ids': reused } });
    isGood &&= lost === 0 && reused === 0;
  }
  return isGood;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function compareThroughput(): Promise<boolean> {
  const plain = await startMock();
  const stored = await startMock('--data', join(folder, 'throughput'));
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const without = await measureThroughput(plain);
    const withData = await measureThroughput(stored);
    ratios.push(withData / without);
    console.log(`creates per second: ${without} without --data, ${withData} with it`);
  }
  for (const { process: child } of [plain, stored]) child.kill('SIGKILL');
  console.log(`median ratio: ${median(ratios).toFixed(2)}`);
  return median(ratios) >= 0.5;
}

async function compareStart(): Promise<boolean> {
  const file = join(folder, 'start');
  await createPayments(file);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    let startedAt = performance.now();
    const text = readFileSync(file, 'latin1');
    let records = 0;
    for (const line of text.split('\n'))
      if (line.startsWith('{')) records += JSON.parse(line) === null ? 0 : 1;
    const read = performance.now() - startedAt;
    startedAt = performance.now();
    const mock = createMock({ clock: 'manual' });
    const data = await keepData(mock, file);
    const open = performance.now() - startedAt;
    await data.close();
    ratios.push(open / read);
    console.log(
      `${records} records, ${(statSync(file).size / 1e6).toFixed(0)} MB: read and parsed in ${read.toFixed(0)} ms, ready in ${open.toFixed(0)} ms`,
    );
  }
  console.log(`median ratio: ${median(ratios).toFixed(2)}`);
  return median(ratios) <= 3;
}

async function createPayments(file: string): Promise<void> {
  const mock = createMock({ clock: 'manual' });
  mock.sandbox.wallets.set({ currency: 'USD', amount: 1e9 });
  await using data = await keepData(mock, file);
  const order = { from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'Alder Ltd' };
  const headers = { 'x-api-key': mock.account.testKey, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(order) };
  for (let created = 0; created < PAYMENTS; created += 500)
    await Promise.all(Array.from({ length: 500 }, () => mock.fetch(`${mock.baseUrl}/payments`, init)));
  await data.save();
}

try {
  const results = [await killOften(), await cutEverywhere(), await compareThroughput(), await compareStart()];
  if (results.includes(false)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
