// Measures `service-cli mock` beside bare `node:http` servers: the processor time of a request, with and without `--data`, the time
// of a start, and a page of a long list: `node benchmarks/mock.ts http|start|pages`. `http` and `start` also compare the mock with that
// of a folder with another checkout that is built: `node benchmarks/mock.ts http ../before`.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createMock } from '@service/mock';
import { medianOf, printFigures, printTable, ratios, runRounds, type Subject, timeCalls } from './figures.ts';

const CONCURRENCY = 32;
const REQUESTS = 3_000;

const operations = {
  GET: { path: '/balance', status: 200 },
  POST: { path: '/payments', status: 201 },
} as const;
type Method = keyof typeof operations;

/** The address of a server, and the headers that its requests need. */
interface Address {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A server in another process. */
interface Server extends Address, Disposable {
  /** Returns the processor time of the process, in microseconds. */
  readonly readTime: () => Promise<number>;
}

/** Starts one of the roles of this file in a child process. */
async function startServer(...role: readonly string[]): Promise<Server> {
  const child = fork(import.meta.filename, role);
  const receive = async (): Promise<unknown> => ((await once(child, 'message')) as [unknown])[0];
  const address = (await receive()) as Address;
  const readTime = (): Promise<number> => {
    child.send('time');
    return receive() as Promise<number>;
  };
  return { ...address, readTime, [Symbol.dispose]: () => child.disconnect() };
}

/** Reports the address of a server to its parent process, and its processor time on request. */
function report(address: Address): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit());
  process.send?.(address);
}

/** Serves the mock of a checkout, with a data file or an endpoint for webhooks. */
async function serveMock(root: string, file: string, url: string): Promise<void> {
  const load = (name: string): Promise<unknown> => import(resolve(root, 'packages/mock/dist', name));
  const { createMock: create } = (await load('index.js')) as typeof import('@service/mock');
  const { keepData, listen } = (await load('node.js')) as typeof import('@service/mock/node');
  const mock = create({ clock: 'manual', seed: 1 });
  const balances = { USD: '90000000000.00' };
  const { id: account, testKey } = mock.sandbox.accounts.create({ name: 'rich', balances });
  if (file !== '') await keepData(mock, file);
  if (url !== '') mock.sandbox.webhooks.setEndpoint({ account, mode: 'test', url });
  const { port } = await listen(mock, { port: 0 });
  report({ port, headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' } });
}

/**
 * Serves the same response to every request of a method, and parses the body of a POST. With a queue it writes the responses of a
 * turn together, as the mock does.
 */
function serveBare(responses: Readonly<Record<Method, Answer>>, hasQueue: boolean): void {
  let waiting: (() => void)[] = [];
  const writeAll = (): void => {
    const all = waiting;
    waiting = [];
    for (const write of all) write();
  };
  const server = createServer((request, response) => {
    const method = request.method as Method;
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      if (method === 'POST') JSON.parse(text);
      const { headers, body } = responses[method];
      const write = (): void => void response.writeHead(operations[method].status, headers).end(body);
      if (!hasQueue) write();
      else if (waiting.push(write) === 1) setImmediate(writeAll);
    });
  }).listen(0, '127.0.0.1', () => report({ port: (server.address() as AddressInfo).port, headers: {} }));
}

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request. Each create has another amount and purpose. */
async function send(method: Method, { port, headers }: Address, index = 0): Promise<Answer> {
  const order = {
    from_currency: 'USD',
    to_currency: ['EUR', 'GBP', 'JPY', 'KES'][index % 4],
    amount: (1_000 + (index % 9_000)) / 100,
    beneficiary_name: `Supplier ${index} Ltd`,
    purpose: `INV-${index}`,
  };
  const init = { method, headers, ...(method === 'POST' && { body: JSON.stringify(order) }) };
  const { path, status } = operations[method];
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, init);
  const body = await response.text();
  if (response.status !== status) throw new Error(`${method} responded with ${response.status}: ${body}`);
  const {
    date: _date,
    connection: _connection,
    'keep-alive': _,
    ...own
  } = Object.fromEntries(response.headers);
  return { headers: own, body };
}

/** Returns a subject that measures the processor time of a server until `end`, in microseconds per request. */
function timeRequests(server: Server, method: Method, end?: () => Promise<void>): Subject {
  return async () => {
    const before = await server.readTime();
    const requests = Array.from({ length: REQUESTS }).keys();
    const sendAll = async (): Promise<void> => {
      for (const index of requests) await send(method, server, index);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, sendAll));
    await end?.();
    return ((await server.readTime()) - before) / REQUESTS;
  };
}

async function measureHttp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mock-'));
  const received: unknown[] = [];
  const receiver = createServer((_, response) => void received.push(response.end())).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;
  using mock = await startServer('serve-mock', here, '', '');
  using data = await startServer('serve-mock', here, join(folder, 'data'), '');
  using webhooks = await startServer('serve-mock', here, '', url);
  using other = await startServer('serve-mock', argument, '', url);
  const responses = { GET: await send('GET', mock), POST: await send('POST', mock) };
  using bare = await startServer('serve-bare', JSON.stringify(responses));
  using queue = await startServer('serve-queue', JSON.stringify(responses));
  const untilDelivered = async (): Promise<void> => {
    while (received.length < REQUESTS) await once(receiver, 'request');
    received.length = 0;
  };
  for (const method of ['GET', 'POST'] as const) {
    const end = method === 'POST' ? untilDelivered : undefined;
    const subjects = {
      mock: timeRequests(mock, method),
      data: timeRequests(data, method),
      bare: timeRequests(bare, method),
      queue: timeRequests(queue, method),
      webhooks: timeRequests(webhooks, method, end),
      other: timeRequests(other, method, end),
    };
    const times = await runRounds(subjects, 9);
    printFigures(`${method} ${operations[method].path}`, {
      'processor time, mock / bare server': ratios(times.mock, times.bare),
      'processor time, mock / bare server with a write queue': ratios(times.mock, times.queue),
      'processor time, mock with --data / mock': ratios(times.data, times.mock),
      'processor time with webhooks, mock / mock of the folder': ratios(times.webhooks, times.other),
      'processor time of the mock, µs': times.mock,
      'the same with webhooks': times.webhooks,
    });
  }
  receiver.close().closeAllConnections();
  rmSync(folder, { recursive: true });
}

/** Times a program that prints its address as JSON, from its spawn to the first response, in milliseconds. */
async function timeStart(args: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { baseUrl, testKey } = JSON.parse(line) as { readonly baseUrl: string; readonly testKey: string };
  const response = await fetch(`${baseUrl}/balance`, { headers: { authorization: `Bearer ${testKey}` } });
  if (!response.ok) throw new Error(`The first response was ${response.status}.`);
  const time = performance.now() - start;
  child.kill();
  await once(child, 'exit');
  return time;
}

async function measureStart(): Promise<void> {
  const flags = ['mock', '--port', '0', '--json', '--quiet'];
  const toArgs = (root: string): string[] => [resolve(root, 'packages/cli/bin/service-cli.js'), ...flags];
  const serve =
    "const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1', () => " +
    'console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${server.address().port}` })));';
  const builtin = `const { createServer } = process.getBuiltinModule('node:http'); ${serve}`;
  const imported = `import { createServer } from 'node:http'; ${serve}`;
  const times = await runRounds(
    {
      mock: () => timeStart(toArgs(here)),
      other: () => timeStart(toArgs(argument)),
      bare: () => timeStart(['--eval', builtin]),
      imported: () => timeStart(['--input-type=module', '--eval', imported]),
    },
    40,
  );
  printFigures('Start of service-cli mock', {
    'spawn to first response, ms': times.mock,
    'time, mock / bare script': ratios(times.mock, times.bare),
    'time, mock / script that imports `node:http`': ratios(times.mock, times.imported),
    'time, mock / mock of the folder': ratios(times.mock, times.other),
  });
}

/** Measures pages of the transaction list after more and more payments: the first one, with a filter, and the last one. */
async function measurePages(): Promise<void> {
  const mock = createMock({ clock: 'manual', seed: 1, requestLog: 'off' });
  const { sandbox, clientOptions } = mock;
  sandbox.wallets.set({ currency: 'USD', amount: '9000000000.00' });
  const payment = { from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'Acme' };
  const read = async (query: string): Promise<void> => {
    const url = `${mock.baseUrl}/transactions?per_page=100&${query}`;
    const response = await mock.fetch(url, { headers: { 'x-api-key': clientOptions.apiKey } });
    await response.text();
  };
  const rows: unknown[][] = [];
  for (const count of [1_000, 10_000, 100_000]) {
    for (let made = count === 1_000 ? 0 : count / 10; made < count; made += 1)
      sandbox.payments.create({ ...payment, status: made % 2 === 0 ? 'completed' : 'pending' });
    const queries = ['', 'status=completed', `page=${count / 100}`, `status=completed&page=${count / 200}`];
    const subjects = Object.fromEntries(queries.map((query) => [query, timeCalls(50, () => read(query))]));
    const times = await runRounds(subjects, 5);
    rows.push([count, ...queries.map((query) => Math.round(medianOf(times[query] ?? [])))]);
  }
  process.stdout.write('\n## Processor time of a page of 100 rows, µs\n');
  printTable(['payments', 'first page', 'with a filter', 'last page', 'last page with a filter'], rows);
}

const here = join(import.meta.dirname, '..');
const [role, argument = here, file = '', url = ''] = process.argv.slice(2);
if (role === 'serve-mock') await serveMock(argument, file, url);
else if (role === 'serve-bare' || role === 'serve-queue')
  serveBare(JSON.parse(argument) as Record<Method, Answer>, role === 'serve-queue');
else {
  const parts = { http: measureHttp, start: measureStart, pages: measurePages };
  for (const [name, measure] of Object.entries(parts)) if ((role ?? name) === name) await measure();
}
