import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@service/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order } from '../support/order.ts';
import { createNextApp, type NextProcess } from './app.ts';

const key = 'service_test_of-the-app';
const token = 'a-token-of-the-preview';
const secret = 'a signing secret of the app';

const route = (mock: string, options = '{}'): string => `import { createMock, persist } from '@service/mock';
import { mountSandbox } from '@service/mock/next';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const file = process.env.STORE_FILE;
const store = {
  load: async () => (existsSync(file) ? readFileSync(file, 'utf8') : null),
  save: async (text) => writeFileSync(file, text),
};
const keep = async (mock) => {
  await persist(mock, store);
  return mock;
};
export const { GET, POST, PUT, PATCH, DELETE } = mountSandbox(() => ${mock}, ${options});
`;
const sandboxRoute = 'app/sandbox/[...path]/route.js';
const files: Readonly<Record<string, string>> = {
  'next.config.js': 'export default { devIndicators: false };',
  [sandboxRoute]: route(
    `createMock({ initial: { seed: 1, accounts: [{ name: 'app', testKey: '${key}' }] }, clock: { speed: 10 } })`,
  ),
  'app/preview/sandbox/[...path]/route.js': route(
    "keep(createMock({ accounts: 'open' }))",
    `{ allowInProduction: true, control: { token: '${token}' } }`,
  ),
  'app/open/[...path]/route.js': route("createMock({ accounts: 'open' })", '{ allowInProduction: true }'),
  'app/single/[path]/route.js': route('createMock()'),
  'app/webhooks/route.js': `import { createReceiver } from '@service/webhooks';
import { toAppRouter } from '@service/webhooks/next';
const events = (globalThis.events ??= []);
const receive = createReceiver({ secrets: '${secret}', mode: 'test', on: {}, fallback: ({ event }) => events.push(event) });
export const POST = toAppRouter(receive);
export const GET = () => Response.json(events);`,
};

const app = createNextApp({ install: import.meta.dirname, files });

afterAll(app.remove);

const connect = (url: string): ReturnType<typeof createClient> =>
  createClient({ apiKey: key, baseUrl: `${url}/api/v1` });

async function readJson(url: string, init?: RequestInit): Promise<unknown> {
  return (await fetch(url, init)).json();
}

const sendJson = (method: string, url: string, body: object): Promise<unknown> =>
  readJson(url, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });

describe('mountSandbox in next dev', () => {
  let url = '';
  let dev: NextProcess;
  beforeAll(async () => {
    dev = await app.start('dev');
    ({ url } = dev);
  });
  afterAll(() => dev.stop());

  it('serves the API, with webhooks to the app', async () => {
    const endpoint = { url: `${url}/webhooks`, secret };
    expect(await sendJson('PUT', `${url}/sandbox/_sandbox/webhooks/endpoint`, endpoint)).toEqual({ secret });
    const client = connect(`${url}/sandbox`);
    await client.payments.create({ ...order, beneficiary_account: 'SIM-INSTANT' });
    const names = ['payment.pending', 'payment.processing', 'payment.completed'];
    await expect.poll(() => readJson(`${url}/webhooks`)).toEqual(names);
  });

  it('serves the control API and its documents', async () => {
    const control = `${url}/sandbox/_sandbox`;
    expect(await readJson(`${control}/health`)).toMatchObject({ status: 'ok' });
    expect(await readJson(`${control}/openapi.json`)).toHaveProperty(['paths', '/clock']);
    await connect(`${url}/sandbox`).balance.retrieve();
    expect(await readJson(`${control}/requests?operation=getBalance`)).toMatchObject({
      requests: [{ transport: 'http', path: '/api/v1/balance' }],
    });
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

  it('keeps its state when its file is edited', async () => {
    const client = connect(`${url}/sandbox`);
    const { id } = await client.payments.create(order);
    const file = join(app.folder, sandboxRoute);
    const text = readFileSync(file, 'utf8');
    const edited = `${text}export const OPTIONS = () => new Response('edited');\n`;
    const readOptions = async (): Promise<string> =>
      (await fetch(`${url}/sandbox/edited`, { method: 'OPTIONS' })).text();
    writeFileSync(file, edited);
    await expect.poll(readOptions).toBe('edited');
    expect(await client.payments.retrieve(id)).toMatchObject({ id });
  });

  it('names the form of the route if it is not a catch-all route', async () => {
    expect((await fetch(`${url}/single/api`)).status).toBe(500);
    await expect.poll(() => dev.log.join('\n')).toContain('such as app/sandbox/[...path]/route.ts');
  });
});

describe('mountSandbox in next build and next start', () => {
  beforeAll(async () => {
    await app.build();
  }, 120_000);

  it('responds 403 in production', async () => {
    const { url, stop } = await app.start('start');
    const response = await fetch(`${url}/sandbox/api/v1/balance`, { headers: { 'X-API-Key': key } });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('Pass allowInProduction: true');
    await stop();
  });

  it('keeps its state in a store over processes, if it is allowed', async () => {
    const first = await app.start('start');
    const { id } = await connect(`${first.url}/preview/sandbox`).payments.create(order);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await app.start('start');
    const { balance, payments } = connect(`${second.url}/preview/sandbox`);
    expect(await payments.retrieve(id)).toMatchObject({ id });
    expect((await balance.retrieve()).balances).toContainEqual({ currency: 'USD', balance: 99_900 });
    await second.stop();
  });

  it('serves the control API in production only with a token', async () => {
    const { url, stop } = await app.start('start');
    const readStatus = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
      (await fetch(`${url}${path}/_sandbox/clock`, { headers })).status;
    expect(await readStatus('/preview/sandbox')).toBe(401);
    expect(await readStatus('/preview/sandbox', { Authorization: `Bearer ${token}` })).toBe(200);
    expect(await readStatus('/open', { 'X-API-Key': key })).toBe(404);
    await stop();
  });
});
