import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createClient } from '@service/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const next = createRequire(import.meta.url).resolve('next/dist/bin/next');
const key = 'service_test_of-the-app';
const token = 'a-token-of-the-preview';
const secret = 'a signing secret of the app';
const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '10.00',
  beneficiary_name: 'Acme',
};

const route = (options: string): string => `import { mountSandbox } from '@service/mock/next';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const file = process.env.STORE_FILE;
const store = {
  load: async () => (existsSync(file) ? readFileSync(file, 'utf8') : null),
  save: async (text) => writeFileSync(file, text),
};
export const { GET, POST, PUT, PATCH, DELETE } = mountSandbox(${options});
`;
const sandboxRoute = 'app/sandbox/[...path]/route.js';
const files: Readonly<Record<string, string>> = {
  'package.json': '{ "private": true, "type": "module" }',
  'next.config.js': 'export default { devIndicators: false };',
  'app/layout.js': 'export default function Layout({ children }) { return children; }',
  [sandboxRoute]: route(
    `{ initial: { seed: 1, accounts: [{ name: 'app', testKey: '${key}' }] }, clock: { speed: 10 } }`,
  ),
  'app/preview/sandbox/[...path]/route.js': route(
    `{ accounts: 'open', allowInProduction: true, control: { token: '${token}' }, store }`,
  ),
  'app/open/[...path]/route.js': route("{ accounts: 'open', allowInProduction: true }"),
  'app/single/[path]/route.js': route('{}'),
  'app/api/webhooks/route.js': `import { createReceiver } from '@service/webhooks';
import { toAppRouter } from '@service/webhooks/next';
const events = (globalThis.events ??= []);
const receive = createReceiver({ secrets: '${secret}', mode: 'test', on: {}, fallback: ({ event }) => events.push(event) });
export const POST = toAppRouter(receive);
export const GET = () => Response.json(events);`,
};

let folder = '';
const open = new Set<ChildProcess>();
/** The output of the last process. */
let log: string[] = [];

beforeAll(() => {
  if (!existsSync(join(root, 'packages/mock/dist/next.js')))
    throw new Error('Next loads the built package: run npm run build first.');
  // Next resolves packages from the folder of the app upwards.
  folder = mkdtempSync(join(import.meta.dirname, 'node_modules/.next-app-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});

afterAll(async () => {
  await Promise.all([...open].map(stopNext));
  rmSync(folder, { recursive: true, force: true });
});

const env = (): Record<string, string | undefined> => {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, NEXT_TELEMETRY_DISABLED: '1', STORE_FILE: join(folder, 'store.json') };
};

/** Starts Next at a free port, in a separate process. */
async function startNext(command: 'dev' | 'start'): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [next, command, '-p', '0'], {
    cwd: folder,
    env: env(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  open.add(child);
  log = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  for await (const line of createInterface({ input: child.stdout })) {
    log.push(line);
    const [, url] = /Local: +(\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return { child, url };
  }
  throw new Error(`Next did not start: ${log.join('\n')}`);
}

async function stopNext(child: ChildProcess): Promise<void> {
  open.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

const connect = (url: string): ReturnType<typeof createClient> =>
  createClient({ apiKey: key, baseUrl: `${url}/api/v1` });

async function readJson(url: string, init?: RequestInit): Promise<unknown> {
  return (await fetch(url, init)).json();
}

const sendJson = (method: string, url: string, body: object): Promise<unknown> =>
  readJson(url, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });

describe('mountSandbox in next dev', () => {
  let url = '';
  let child: ChildProcess;
  beforeAll(async () => ({ child, url } = await startNext('dev')));
  afterAll(() => stopNext(child));

  it('serves the API, with webhooks to the app', async () => {
    const endpoint = { url: `${url}/api/webhooks`, secret };
    expect(await sendJson('PUT', `${url}/sandbox/_sandbox/webhooks/endpoint`, endpoint)).toEqual({ secret });
    const client = connect(`${url}/sandbox`);
    await client.payments.create({ ...order, beneficiary_account: 'SIM-INSTANT' });
    const names = ['payment.pending', 'payment.processing', 'payment.completed'];
    await expect.poll(() => readJson(`${url}/api/webhooks`)).toEqual(names);
  });

  it('serves the control API, its waits and its documents', async () => {
    const control = `${url}/sandbox/_sandbox`;
    expect(await readJson(`${control}/health`)).toMatchObject({ status: 'ok' });
    expect(await readJson(`${control}/openapi.json`)).toHaveProperty(['paths', '/clock']);
    const waiting = readJson(`${control}/requests/wait?operation=getBalance&count=1&timeout=20000`);
    await connect(`${url}/sandbox`).balance.retrieve();
    expect(await waiting).toMatchObject({ requests: [{ transport: 'http', path: '/api/v1/balance' }] });
    expect((await fetch(`${control}/clock`, { headers: { Origin: 'https://example.com' } })).status).toBe(
      403,
    );
  });

  it.each(['reset_before_commit', 'truncated', 'garbage'])(
    'breaks the response for the fault %s',
    async (kind) => {
      await sendJson('POST', `${url}/sandbox/_sandbox/faults`, { kind, operation: 'getBalance', times: 1 });
      const reading = fetch(`${url}/sandbox/api/v1/balance`, { headers: { 'X-API-Key': key } });
      await expect(reading.then((response) => response.text())).rejects.toThrow(
        /^(?:terminated|fetch failed)$/,
      );
    },
  );

  it('keeps its state when its file is edited, and starts anew for other options', async () => {
    const client = connect(`${url}/sandbox`);
    const { id } = await client.payments.create(order);
    const file = join(folder, sandboxRoute);
    const text = readFileSync(file, 'utf8');
    const edited = `${text}export const OPTIONS = () => new Response('edited');\n`;
    const readOptions = async (): Promise<string> =>
      (await fetch(`${url}/sandbox/edited`, { method: 'OPTIONS' })).text();
    writeFileSync(file, edited);
    await expect.poll(readOptions).toBe('edited');
    expect(await client.payments.retrieve(id)).toMatchObject({ id });
    writeFileSync(file, edited.replace('seed: 1', 'seed: 2').replace("'edited'", "'seeded'"));
    await expect.poll(readOptions).toBe('seeded');
    // Another client, because that of a create reads again for a time.
    await expect(connect(`${url}/sandbox`).payments.retrieve(id)).rejects.toThrow('There is no such payment');
  });

  it('names the form of the route if it is not a catch-all route', async () => {
    expect((await fetch(`${url}/single/api`)).status).toBe(500);
    await expect.poll(() => log.join('\n')).toContain('such as app/sandbox/[...path]/route.ts');
  });
});

describe('mountSandbox in next build and next start', () => {
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [next, 'build'], {
      cwd: folder,
      env: env(),
    });
  }, 120_000);

  it('responds 403 in production', async () => {
    const { child, url } = await startNext('start');
    const response = await fetch(`${url}/sandbox/api/v1/balance`, { headers: { 'X-API-Key': key } });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('Pass allowInProduction: true');
    await stopNext(child);
  });

  it('keeps its state in a store over processes, if it is allowed', async () => {
    const first = await startNext('start');
    const { id } = await connect(`${first.url}/preview/sandbox`).payments.create(order);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await startNext('start');
    const { balance, payments } = connect(`${second.url}/preview/sandbox`);
    expect(await payments.retrieve(id)).toMatchObject({ id });
    expect((await balance.retrieve()).balances).toContainEqual({ currency: 'USD', balance: 99_990 });
    await stopNext(second.child);
  });

  it('serves the control API in production only with a token', async () => {
    const { child, url } = await startNext('start');
    const readStatus = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
      (await fetch(`${url}${path}/_sandbox/clock`, { headers })).status;
    expect(await readStatus('/preview/sandbox')).toBe(401);
    expect(await readStatus('/preview/sandbox', { Authorization: `Bearer ${token}` })).toBe(200);
    expect(await readStatus('/open', { 'X-API-Key': key })).toBe(404);
    await stopNext(child);
  });
});
