// Measures `service-cli mock`: throughput and processor time beside a bare `node:http` server, with and without `--data`, its start,
// and the waits of a client during operations on a large state. `node --expose-gc benchmarks/mock.ts http|start|waits`.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMock } from '@service/mock';
import { keepData, listen } from '@service/mock/node';
import { medianOf, printFigures, ratios, runRounds, type Subject, WARM_UP } from './figures.ts';

const CONNECTIONS = 32;
const REQUESTS = 6_000;
const MAX_DURATION = 4_000;
const PAYMENTS = 100_000;

type Method = 'GET' | 'POST';
const statuses = { GET: 200, POST: 201 } as const;

/** The processor time of a server, in microseconds, and the longest pause of its event loop since the last report, in milliseconds. */
interface Usage {
  readonly cpu: number;
  readonly pause: number;
}

/** A server in another process, and the headers that its requests need. */
interface Server extends Disposable {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly readUsage: () => Promise<Usage>;
}

/** Starts one of the roles of this file in a child process. */
async function startServer(...role: readonly string[]): Promise<Server> {
  const child = fork(import.meta.filename, role);
  const receive = async (): Promise<unknown> => ((await once(child, 'message')) as [unknown])[0];
  const address = (await receive()) as Pick<Server, 'port' | 'headers'>;
  const readUsage = (): Promise<Usage> => {
    child.send('usage');
    return receive() as Promise<Usage>;
  };
  return { ...address, readUsage, [Symbol.dispose]: () => child.disconnect() };
}

/** Reports the address of a server to its parent process, and its usage on request. */
function report(address: Pick<Server, 'port' | 'headers'>): void {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system, pause: delays.max / 1e6 } satisfies Usage);
    delays.reset();
  });
  process.on('disconnect', () => process.exit());
  process.send?.(address);
}

/** Creates a mock, and the headers of an account that no benchmark can use up. */
function createRichMock() {
  const mock = createMock({ clock: 'manual', seed: 1 });
  const { testKey } = mock.sandbox.accounts.create({ name: 'rich', balances: { USD: '90000000000.00' } });
  return { mock, headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' } };
}

async function serveMock(file: string | undefined): Promise<void> {
  const { mock, headers } = createRichMock();
  if (file !== undefined) await keepData(mock, file);
  const { port } = await listen(mock, { port: 0 });
  report({ port, headers });
}

/** Serves the responses of the mock, and parses the body of a POST. */
function serveBare(responses: Readonly<Record<Method, string>>): void {
  const parse = (text: string): { headers: Record<string, string>; body: string } => {
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const lines = head
      .split('\r\n')
      .slice(1)
      .filter((line) => !/^(?:date|connection|keep-alive):/i.test(line));
    return { headers: Object.fromEntries(lines.map((line) => line.split(': '))), body };
  };
  const parsed = { GET: parse(responses.GET), POST: parse(responses.POST) };
  const server = createServer((request, response) => {
    const method = request.method as Method;
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      if (method === 'POST') JSON.parse(text);
      response.writeHead(statuses[method], parsed[method].headers).end(parsed[method].body);
    });
  }).listen(0, '127.0.0.1', () => report({ port: (server.address() as AddressInfo).port, headers: {} }));
}

/** Returns the bytes of a request. Each create has another amount and purpose. */
function toRequest(method: Method, { headers, port }: Pick<Server, 'port' | 'headers'>, index = 0): string {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map((pair) => pair.join(': '));
  const head = lines.join('\r\n');
  if (method === 'GET') return `GET /api/v1/balance HTTP/1.1\r\n${head}\r\n\r\n`;
  const body = toOrder(index);
  return `POST /api/v1/payments HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

const toOrder = (index: number): string =>
  JSON.stringify({
    from_currency: 'USD',
    to_currency: ['EUR', 'GBP', 'JPY', 'KES'][index % 4],
    amount: (1_000 + (index % 9_000)) / 100,
    beneficiary_name: `Supplier ${index} Ltd`,
    purpose: `INV-${index}`,
  });

/**
 * A connection with one request at a time. It is written over `node:net`, because `node:http` as a client needs more
 * processor time than the bare server and would hide the cost of the servers.
 */
async function openConnection(port: number) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  await once(socket, 'connect');
  const exchange = (request: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = '';
      const fail = (): void => reject(new Error('The server closed the connection.'));
      const append = (part: string): void => {
        text += part;
        const end = text.indexOf('\r\n\r\n');
        const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
        if (end < 0 || text.length < end + 4 + Number(length)) return;
        socket.off('data', append).off('close', fail);
        resolve(text);
      };
      socket.on('data', append).on('close', fail).write(request);
    });
  return { exchange, close: () => socket.destroy() };
}

async function sendOnce(method: Method, server: Server): Promise<string> {
  const { exchange, close } = await openConnection(server.port);
  const response = await exchange(toRequest(method, server));
  close();
  return response;
}

/** Sends requests over all connections. Returns the responses per second, and adds the usage of one to a list. */
function createLoad(server: Server, method: Method, usages: Usage[]): Subject {
  return async () => {
    const connections = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => openConnection(server.port)),
    );
    // Created before the measurement, so that the load needs less processor time than the servers.
    const requests = Array.from({ length: REQUESTS }, (_, index) => toRequest(method, server, index));
    const until = performance.now() + MAX_DURATION;
    let responses = 0;
    const [before, start] = [await server.readUsage(), performance.now()];
    const work = connections.map(async ({ exchange }) => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
        const response = await exchange(next);
        if (!response.startsWith(`HTTP/1.1 ${statuses[method]} `))
          throw new Error(`${method} responded with ${response.slice(0, 40)}`);
        responses += 1;
        if (performance.now() > until) return;
      }
    });
    await Promise.all(work);
    const seconds = (performance.now() - start) / 1_000;
    const { cpu, pause } = await server.readUsage();
    usages.push({ cpu: (cpu - before.cpu) / responses, pause });
    for (const { close } of connections) close();
    return responses / seconds;
  };
}

/** Times the writes of a page to the disk, in milliseconds. */
function timeFsync(path: string): number[] {
  const file = openSync(path, 'w');
  const times = Array.from({ length: 50 }, () => {
    writeSync(file, Buffer.alloc(4_096));
    const start = performance.now();
    fsyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  return times;
}

async function measureHttp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mock-'));
  using mock = await startServer('serve-mock');
  using data = await startServer('serve-mock', join(folder, 'data'));
  const responses = { GET: await sendOnce('GET', mock), POST: await sendOnce('POST', mock) };
  using bare = await startServer('serve-bare', JSON.stringify(responses));
  for (const method of ['GET', 'POST'] as const) {
    const usages: Record<'mock' | 'data' | 'bare', Usage[]> = { mock: [], data: [], bare: [] };
    const rates = await runRounds(
      {
        mock: createLoad(mock, method, usages.mock),
        data: createLoad(data, method, usages.data),
        bare: createLoad(bare, method, usages.bare),
      },
      9,
    );
    const costs = (of: readonly Usage[]): number[] => of.slice(WARM_UP).map(({ cpu }) => cpu);
    printFigures(method === 'GET' ? 'GET /balance' : 'POST /payments', {
      'responses per second, mock / bare': ratios(rates.mock, rates.bare),
      'responses per second, mock with --data / mock': ratios(rates.data, rates.mock),
      'processor time of the server, mock / bare': ratios(costs(usages.mock), costs(usages.bare)),
      'responses per second, mock': rates.mock,
      'longest pause of the event loop with --data, ms': usages.data.slice(WARM_UP).map(({ pause }) => pause),
    });
  }
  printFigures('The disk of --data', { 'one fsync of 4 KiB, ms': timeFsync(join(folder, 'fsync')) });
  rmSync(folder, { recursive: true });
}

/** A bare script that prints the lines for which the measurement of the start waits. */
const BARE = `const server = require('node:http').createServer((request, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () => console.log('url: http://127.0.0.1:' + server.address().port + '\\ntestKey: none'));`;

/** Returns a subject that times a program from its spawn to the first response, in milliseconds. */
function timeStart(args: readonly string[]): Subject {
  return async () => {
    const start = performance.now();
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    for await (const part of child.stdout) {
      text += String(part);
      const [, url, key] = /^url: +(\S+)\n[^]*^testKey: +(\S+)\n/m.exec(text) ?? [];
      if (url === undefined) continue;
      const response = await fetch(`${url}/api/v1/balance`, { headers: { authorization: `Bearer ${key}` } });
      if (!response.ok) throw new Error(`The first response was ${response.status}.`);
      break;
    }
    const time = performance.now() - start;
    const exited = once(child, 'exit');
    child.kill();
    await exited;
    return time;
  };
}

async function measureStart(): Promise<void> {
  const cli = join(import.meta.dirname, '../packages/cli/bin/service-cli.js');
  const times = await runRounds(
    { cli: timeStart([cli, 'mock', '--port', '0', '--quiet']), bare: timeStart(['--eval', BARE]) },
    15,
  );
  printFigures('Start of service-cli mock', {
    'spawn to first response, service-cli mock / bare': ratios(times.cli, times.bare),
    'service-cli mock, ms': times.cli,
  });
}

/** Sends `GET /balance` every 5 ms, each on a free connection, and the waits to the parent process on request. */
async function sendAtFixedRate(address: Pick<Server, 'port' | 'headers'>): Promise<void> {
  const request = toRequest('GET', address);
  const idle: Awaited<ReturnType<typeof openConnection>>[] = [];
  const running = new Set<Promise<void>>();
  let waits: number[] = [];
  process.on('disconnect', () => process.exit());
  const reportWaits = async (): Promise<void> => {
    await Promise.all(running);
    process.send?.(waits);
    waits = [];
  };
  process.on('message', () => void reportWaits());
  const send = async (start: number): Promise<void> => {
    const connection = idle.pop() ?? (await openConnection(address.port));
    await connection.exchange(request);
    waits.push(performance.now() - start);
    idle.push(connection);
  };
  // A request does not wait for the previous one, so that a block of 1 s counts as 200 requests.
  for (let due = performance.now(); ; due += 5) {
    await sleep(Math.max(0, due - performance.now()));
    const sent = send(due);
    running.add(sent);
    void sent.finally(() => running.delete(sent));
  }
}

async function measureWaits(): Promise<void> {
  const { mock, headers } = createRichMock();
  for (let created = 0; created < PAYMENTS; created += 1) {
    const init = { method: 'POST', headers, body: toOrder(created) };
    const { status } = await mock.fetch(`${mock.baseUrl}/payments`, init);
    if (status !== 201) throw new Error(`POST /payments responded with ${status}.`);
    if (created % 1_000 === 0) await sleep(1);
  }
  const { port, close } = await listen(mock, { port: 0 });
  const client = fork(import.meta.filename, ['client', JSON.stringify({ port, headers })]);
  const collect = async (): Promise<number[]> => {
    client.send('collect');
    return ((await once(client, 'message')) as [number[]])[0];
  };
  const send = (method: Method, path: string, body?: string) => async (): Promise<void> => {
    const init = { method, headers: { 'content-type': 'application/json' }, ...(body && { body }) };
    const response = await fetch(`http://127.0.0.1:${port}/_sandbox${path}`, init);
    if (!response.ok) throw new Error(`${path} responded with ${response.status}.`);
    await response.arrayBuffer();
  };
  /** Downloads in another process, because the snapshot is large. */
  const download = async (path: string): Promise<void> => {
    const [code] = (await once(fork(import.meta.filename, ['download', String(port), path]), 'exit')) as [
      number,
    ];
    if (code !== 0) throw new Error(`${path} was not downloaded.`);
  };
  // An advance comes last: it changes the payments.
  for (const [name, run] of Object.entries({
    'no operation': () => sleep(2_000),
    'a list of 1 000': send('GET', '/payments?limit=1000'),
    'a snapshot': () => download('/snapshot'),
    'an advance of 10 s': send('POST', '/clock/advance', '{"by":"10s"}'),
  })) {
    globalThis.gc?.();
    await sleep(500);
    await collect();
    await run();
    const waits = (await collect()).toSorted((a, b) => a - b);
    printFigures(`Waits of another client during ${name} of ${PAYMENTS} payments`, {
      'median, ms': [medianOf(waits)],
      'p99, ms': [waits[Math.ceil(waits.length * 0.99) - 1] ?? Number.NaN],
      'longest, ms': [waits.at(-1) ?? Number.NaN],
    });
  }
  client.disconnect();
  await close();
}

const [role, argument = '', path = ''] = process.argv.slice(2);
if (role === 'serve-mock') await serveMock(argument || undefined);
else if (role === 'serve-bare') serveBare(JSON.parse(argument) as Record<Method, string>);
else if (role === 'client') await sendAtFixedRate(JSON.parse(argument) as Server);
else if (role === 'download') {
  const response = await fetch(`http://127.0.0.1:${argument}/_sandbox${path}`);
  for await (const _ of response.body ?? []);
  if (!response.ok) process.exitCode = 1;
} else {
  const parts = { http: measureHttp, start: measureStart, waits: measureWaits };
  for (const [name, measure] of Object.entries(parts)) if ((role ?? name) === name) await measure();
}
