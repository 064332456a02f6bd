// Payments under write load until the process ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createMock, type Mock } from '@service/mock';
import { keepData } from '@service/mock/node';
import { stateOf } from './snapshot-state.ts';

/** The acknowledged payments: the beneficiary of each id. */
export type Acknowledged = Map<string, string>;

/** The loss after one end of the process. */
export interface Loss {
  /** The number of acknowledged payments that do not exist any more. */
  readonly lost: number;
  /** The number of acknowledged ids that stand for another payment. */
  readonly reused: number;
}

interface CreatedBody {
  readonly data: { readonly id: string };
}

const WRITERS = 8;

function toOrder(name: string): string {
  return JSON.stringify({ from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: name });
}

/** Sends a create. Returns the id of a 201 response. */
async function createPayment(
  { fetch, baseUrl, key }: { fetch: typeof globalThis.fetch; baseUrl: string; key: string },
  name: string,
): Promise<string | undefined> {
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    'idempotency-key': name.replaceAll(' ', '-'),
  };
  const response = await fetch(`${baseUrl}/payments`, { method: 'POST', headers, body: toOrder(name) });
  const body = (await response.json()) as CreatedBody;
  return response.status === 201 ? body.data.id : undefined;
}

/** Compares the payments of a file with the acknowledged ones. */
function countLoss(mock: Mock, acknowledged: Acknowledged): Loss {
  const payments = stateOf(mock.sandbox.snapshot()).accounts[0]?.modes.test.payments ?? [];
  const known = new Map(payments.map(({ id, beneficiary }) => [id, beneficiary.name]));
  const entries = [...acknowledged];
  return {
    lost: entries.filter(([id]) => !known.has(id)).length,
    reused: entries.filter(([id, name]) => known.has(id) && known.get(id) !== name).length,
  };
}

async function setBalance({ baseUrl }: Pick<RunningMock, 'baseUrl'>): Promise<void> {
  const body = JSON.stringify({ currency: 'USD', amount: 1_000_000_000 });
  const headers = { 'content-type': 'application/json' };
  const { ok } = await fetch(new URL('/_sandbox/wallets/set', baseUrl), { method: 'POST', headers, body });
  if (!ok) throw new Error('The balance was not set.');
}

/** A running `service-cli mock --data`. */
export interface RunningMock {
  readonly process: ChildProcess;
  readonly baseUrl: string;
  readonly key: string;
}

const main = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;

/** Starts `service-cli mock` with options, and resolves when it is ready. */
export async function startMock(...options: string[]): Promise<RunningMock> {
  const args = ['--conditions=@service/source', '--disable-warning=ExperimentalWarning', main, 'mock'];
  const child = spawn(process.execPath, [...args, '--port', '0', ...options]);
  let [text, errors] = ['', ''];
  child.stderr.on('data', (part: Buffer) => (errors += String(part)));
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.stdout.on('data', (part: Buffer) => {
      text += String(part);
      if (text.includes('Ready.')) resolve();
    });
  });
  const [, baseUrl] = /SERVICE_BASE_URL=(\S+)/.exec(text) ?? [];
  const [, key] = /SERVICE_API_KEY=(\S+)/.exec(text) ?? [];
  if (baseUrl === undefined || key === undefined) throw new Error(`The mock did not start: ${errors}`);
  return { process: child, baseUrl, key };
}

/**
 * Starts the mock with a data file, creates payments with eight writers until it is killed after some acknowledged
 * payments, and restarts it on the file. `acknowledged` has the payments of earlier rounds.
 */
export async function runUntilKilled(file: string, acknowledged: Acknowledged, count: number): Promise<Loss> {
  const running = await startMock('--data', file, '--seed', 'durability');
  await setBalance(running);
  const before = acknowledged.size;
  const write = async (writer: number): Promise<void> => {
    for (let index = 0; ; index += 1) {
      const name = `${before} ${writer} ${index}`;
      const id = await createPayment({ fetch, ...running }, name).catch(() => undefined);
      if (id === undefined) return;
      acknowledged.set(id, name);
      if (acknowledged.size === before + count) running.process.kill('SIGKILL');
    }
  };
  const ended = once(running.process, 'exit');
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  running.process.kill('SIGKILL');
  await ended;
  if (acknowledged.size < before + count) throw new Error('Creates failed before the kill.');
  const mock = createMock();
  await using data = await keepData(mock, file);
  void data;
  return countLoss(mock, acknowledged);
}
