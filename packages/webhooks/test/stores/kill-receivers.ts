import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '../../../../test/support/random.ts';
import { signByOracle, writeEvent } from '../samples.ts';

export interface KillOptions {
  readonly kind: 'redis' | 'postgres';
  readonly url: string;
  readonly kills: number;
  /** The seed of delays and choices. Processes and sockets still differ between runs. */
  readonly seed: number;
}

/** The counts of a fault run. */
export interface KillFigures {
  /** Deliveries whose process was killed before it responded. */
  readonly interrupted: number;
  /** The responses to the first retries of these deliveries; `interrupted` by another kill. */
  readonly firstRetries: Readonly<Record<string, number>>;
  /** Acknowledged events without an effect. */
  readonly lost: number;
  readonly neverAcknowledged: number;
  /**
   * Events with more than one effect, whose first process was not killed between the effect and its confirmation, and
   * that were not reported as `lease_overrun`.
   */
  readonly twiceUnexplained: number;
}

/** The sender's first retry delay and timeout, in milliseconds. */
const RETRY_DELAY = 5_000;
const SENDER_TIMEOUT = 10_000;
const MAX_ATTEMPTS = 12;
const EVENT_INTERVAL = 25;

interface Replica {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly port: number;
}

interface Attempt {
  readonly pid: number;
  readonly result: number | 'interrupted';
}

/**
 * Delivers events to two receivers that share a store, with retries, while the receivers are killed by
 * SIGKILL and replaced.
 */
export async function killReceivers(options: KillOptions): Promise<KillFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'killed-receivers-'));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const random = createRandom(options.seed);
  const between = (least: number, most: number): number => Math.floor(least + random() * (most - least));
  const replicas = await Promise.all([startReplica(options, log), startReplica(options, log)]);
  const attempts = new Map<string, Attempt[]>();
  const pick = (): Replica => replicas[between(0, replicas.length)]!;

  const deliver = async (id: string): Promise<void> => {
    const isLong = random() < 0.1;
    const timing = { before: isLong ? between(1_000, 2_500) : between(0, 150), after: between(0, 20) };
    const body = writeEvent({ data: { id, ...timing } });
    const signature = await signByOracle(body);
    const made: Attempt[] = [];
    attempts.set(id, made);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (attempt > 0) await wait(RETRY_DELAY);
      // As with a load balancer, a refused attempt goes to another replica.
      let replica = pick();
      let result = await post(replica.port, body, signature);
      while (result === 'refused') {
        replica = pick();
        result = await post(replica.port, body, signature);
      }
      made.push({ pid: replica.pid, result });
      if (result === 200) return;
    }
  };

  const deliveries: Promise<void>[] = [];
  const stopping = new AbortController();
  const send = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      deliveries.push(deliver(`pay_test_event${deliveries.length}`));
      await wait(EVENT_INTERVAL);
    }
  };
  const sending = send();
  for (let kill = 0; kill < options.kills; kill += 1) {
    await wait(between(100, 500));
    const [killed] = replicas.splice(between(0, replicas.length), 1);
    killed?.process.kill('SIGKILL');
    replicas.push(await startReplica(options, log));
  }
  stopping.abort();
  await sending;
  await Promise.all(deliveries);
  await Promise.all(replicas.map(stopReplica));
  const figures = countFigures(attempts, readFileSync(log, 'utf8'));
  rmSync(folder, { recursive: true });
  return figures;
}

async function startReplica({ kind, url }: KillOptions, log: string): Promise<Replica> {
  const child = fork(join(import.meta.dirname, 'killed-receiver.ts'), [kind, url, log], {
    execArgv: ['--conditions=@service/source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return { process: child, pid: child.pid ?? 0, port };
}

async function stopReplica({ process: child }: Replica): Promise<void> {
  const exit = once(child, 'exit');
  child.disconnect();
  await exit;
}

async function post(port: number, body: string, signature: string): Promise<Attempt['result'] | 'refused'> {
  const headers = { 'x-service-signature': signature, 'content-length': Buffer.byteLength(body) };
  const signal = AbortSignal.timeout(SENDER_TIMEOUT);
  const sent = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false, signal });
  sent.end(body);
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'refused' : 'interrupted';
  }
}

/** Counts the results of the sender and the log lines of the receivers. */
function countFigures(attempts: ReadonlyMap<string, readonly Attempt[]>, log: string): KillFigures {
  const lines = log.split('\n').map((line) => line.split(' '));
  const firstRetries: Record<string, number> = {};
  const figures = { interrupted: 0, lost: 0, neverAcknowledged: 0, twiceUnexplained: 0 };
  for (const [id, made] of attempts) {
    const written = lines.filter(([, about]) => about === id);
    const pids = written.filter(([what]) => what === 'effect').map(([, , pid]) => Number(pid));
    const isAcknowledged = made.some(({ result }) => result === 200);
    if (!isAcknowledged) figures.neverAcknowledged += 1;
    if (isAcknowledged && pids.length === 0) figures.lost += 1;
    const cutOff = new Set(made.filter(({ result }) => result === 'interrupted').map(({ pid }) => pid));
    figures.interrupted += cutOff.size;
    if (made[0]?.result === 'interrupted' && made[1]) {
      firstRetries[made[1].result] = (firstRetries[made[1].result] ?? 0) + 1;
    }
    const isReported = written.some(([what]) => what === 'lease_overrun');
    if (pids.filter((pid) => !cutOff.has(pid)).length > 1 && !isReported) figures.twiceUnexplained += 1;
  }
  return { ...figures, firstRetries };
}
