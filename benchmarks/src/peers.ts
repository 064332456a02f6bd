// Measures other local services for tests: their size, start and memory, and the behavior of a payment in each, and prints a table.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { capture } from '../../scripts/run.ts';
import { type Peer, peers, RECEIVER_PORT } from './peers/peers.ts';

const PORT = 18_100;
/** The user of WireMock writes its responses. */
const AS_STUBBED = 'as stubbed';
const STARTS = 5;
/** The time for which webhooks are counted, in milliseconds. Longer than the first delay of the mock. */
const WEBHOOK_TIME = 8_000;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const send = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(`http://127.0.0.1:${PORT}${path}`, init);

/** Sends a request that must succeed. */
async function sendChecked(path: string, init: RequestInit): Promise<void> {
  const response = await send(path, init);
  if (!response.ok) throw new Error(`${path} responded ${response.status}: ${await response.text()}`);
}

interface Running {
  readonly child: ChildProcess;
  /** The time from spawn to the first response, in milliseconds. */
  readonly time: number;
}

/** Starts a peer and waits until it responds. */
async function start(peer: Peer, cwd: string): Promise<Running> {
  const [program = '', ...args] = peer.start(PORT);
  const startedAt = performance.now();
  const child = spawn(program, args, { cwd, stdio: 'ignore' });
  while (child.exitCode === null) {
    const response = await send('/').catch(() => undefined);
    if (response !== undefined) return { child, time: performance.now() - startedAt };
    await wait(5);
  }
  throw new Error(`${peer.name} exited with ${child.exitCode}.`);
}

async function stop({ child }: Running): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

interface Created {
  readonly status: number;
  readonly id: string;
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

/** Returns how a peer treats a payment: one cell per question. */
async function ask({ api }: Peer): Promise<string[]> {
  if (api === undefined) return Array.from({ length: 5 }, () => AS_STUBBED);
  const create = async (amount: number, key?: string): Promise<Created> => {
    const response = await send(...api.create(amount, key));
    return { status: response.status, id: api.readId(await response.json()) ?? '' };
  };
  const headers = { authorization: api.auth };
  const { id } = await create(4242);
  const read = await send(api.path(id), { headers });
  const unknown = await send(api.path(`${id.slice(0, -4)}0000`), { headers });
  const [first, second] = [await create(4243, 'peer-key-1'), await create(4243, 'peer-key-1')];
  return [
    yesNo(api.readAmount(await read.json()) === 4242),
    yesNo(unknown.status === 404),
    yesNo((await create(-5)).status >= 400),
    yesNo((await send(api.path(id))).status === 401),
    yesNo(first.id === second.id && first.id !== id),
  ];
}

/** Counts the attempts to deliver one webhook to a receiver that responds 500. */
async function countAttempts({ api, webhooks }: Peer): Promise<string> {
  if (api === undefined) return AS_STUBBED;
  if (webhooks === undefined) return 'none';
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(500).end();
    });
  }).listen(RECEIVER_PORT, '127.0.0.1');
  await once(receiver, 'listening');
  for (const call of [webhooks.endpoint, webhooks.cause ?? api.create(4242)])
    if (call !== undefined) await sendChecked(...call);
  await wait(WEBHOOK_TIME);
  receiver.close();
  receiver.closeAllConnections();
  return String(bodies.filter((body) => body === bodies[0]).length);
}

async function measure(peer: Peer): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'peers-'));
  try {
    capture('sh', ['-c', peer.install], folder);
    for (const [name, text] of Object.entries(peer.files ?? {})) writeFileSync(join(folder, name), text);
    const megabytes = Number.parseInt(execFileSync('du', ['-sm', folder], { encoding: 'utf8' }), 10);
    const times: number[] = [];
    for (let round = 0; round < STARTS; round += 1) {
      const running = await start(peer, folder);
      times.push(running.time);
      await stop(running);
    }
    const running = await start(peer, folder);
    const rss = execFileSync('ps', ['-o', 'rss=', '-p', String(running.child.pid)], { encoding: 'utf8' });
    const answers = await ask(peer);
    const attempts = await countAttempts(peer);
    await stop(running);
    const [most, least] = [Math.max(...times), Math.min(...times)].map((time) => (time / 1000).toFixed(2));
    const time = (median(times) / 1000).toFixed(2);
    return [
      `${megabytes} MB`,
      `${time} s (${least} to ${most})`,
      `${Math.round(Number(rss) / 1024)} MB`,
      ...answers,
      attempts,
    ];
  } finally {
    rmSync(folder, { recursive: true, maxRetries: 10 });
  }
}

const rows = [
  '',
  'installed',
  'start',
  'memory',
  'reads back',
  'unknown id: 404',
  'refuses -5',
  'refuses no key',
]
  .concat('same key, same payment', 'attempts of a webhook')
  .map((title) => [title]);
for (const peer of peers)
  for (const [index, cell] of [peer.name, ...(await measure(peer))].entries()) rows[index]?.push(cell);
const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
const [head = '', ...rest] = lines;
process.stdout.write(`${[head, head.replaceAll(/[^|]+/g, ' --- '), ...rest].join('\n')}\n`);
