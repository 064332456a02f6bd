import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@service/sdk';
import { createMock, type MockOptions } from '@service/mock';
import { createVerifier } from '@service/webhooks';
import { mountSandbox, type VitePluginOptions } from '@service/mock/vite';
import { build, createServer, type InlineConfig, preview } from 'vite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startReceiver } from './receiver.ts';

const key = 'service_test_of-the-page';

type PageOptions = MockOptions & VitePluginOptions;

function createConfig(options: PageOptions = {}, host = 'localhost'): InlineConfig {
  const { path, control, ...mockOptions } = options;
  const root = mkdtempSync(join(tmpdir(), 'service-vite-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(
    join(root, 'index.html'),
    '<!doctype html><title>page</title><script type="module" src="/main.js"></script>',
  );
  writeFileSync(join(root, 'main.js'), "document.title = 'loaded';");
  return {
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [mountSandbox(() => createMock({ accounts: 'open', ...mockOptions }), { path, control })],
    server: { port: 0, host },
    preview: { port: 0 },
  };
}

/** Starts a development server and returns its origin: that of the network, if it has one. */
async function startVite(options?: PageOptions, host?: string): Promise<string> {
  const server = await createServer(createConfig(options, host));
  onTestFinished(() => server.close());
  await server.listen();
  const { local, network } = server.resolvedUrls ?? { local: [], network: [] };
  return new URL(network[0] ?? local[0] ?? '').origin;
}

const order = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', beneficiary_name: 'Acme' };
const connect = (url: string): ReturnType<typeof createClient> =>
  createClient({ apiKey: key, baseUrl: `${url}/api/v1`, allowInsecureHttp: true });
const readHealth = async (url: string): Promise<number> => (await fetch(`${url}/_sandbox/clock`)).status;

describe('mountSandbox in a development server of Vite', () => {
  it('serves the API and the control API beside the page', async () => {
    const url = await startVite();
    const client = connect(`${url}/sandbox`);
    const { id } = await client.payments.create(order);
    expect(await client.payments.retrieve(id)).toMatchObject({ id, status: 'pending' });
    expect(await readHealth(`${url}/sandbox`)).toBe(200);
    expect(await (await fetch(url)).text()).toContain('<title>page</title>');
    expect((await fetch(`${url}/sandbox/api/v1/nowhere`, { headers: { 'X-API-Key': key } })).status).toBe(
      404,
    );
  });

  it('starts with the initial state, and delivers its webhooks', async () => {
    const { url: endpoint, received } = await startReceiver();
    const secret = 'a signing secret of the page';
    const account = {
      name: 'acme',
      testKey: key,
      balances: { USD: '50.00' },
      endpoint: { url: endpoint, secret },
    };
    const url = await startVite({
      accounts: 'strict',
      initial: { accounts: [account] },
      path: '/dev/payments',
    });
    const client = connect(`${url}/dev/payments`);
    expect(await client.balance.retrieve()).toMatchObject({ balances: [{ currency: 'USD', balance: 50 }] });
    await client.payments.create({ ...order, beneficiary_account: 'SIM-INSTANT' });
    await expect.poll(() => received.length).toBe(3);
    const verifier = createVerifier({ secrets: secret, mode: 'test' });
    expect(
      received.map(({ body, signature }) => verifier.verify(Buffer.from(body), signature).event),
    ).toEqual(['payment.pending', 'payment.processing', 'payment.completed']);
  });

  it.each([
    ['truncated', 'terminated'],
    ['reset_before_commit', 'fetch failed'],
  ])('breaks the connection for the fault %s', async (kind, message) => {
    const url = await startVite();
    const fault = { method: 'POST', body: JSON.stringify({ kind, operation: 'getBalance' }) };
    const headers = { 'Content-Type': 'application/json' };
    expect((await fetch(`${url}/sandbox/_sandbox/faults`, { ...fault, headers })).status).toBe(201);
    const reading = fetch(`${url}/sandbox/api/v1/balance`, { headers: { 'X-API-Key': key } });
    await expect(reading.then((response) => response.text())).rejects.toThrow(message);
  });

  it('serves the control API to other machines only with a token', async () => {
    const token = 'a-token-of-my-own-16';
    const [open, closed, off] = await Promise.all([
      startVite({ control: { token } }, '0.0.0.0'),
      startVite({}, '0.0.0.0'),
      startVite({ control: 'off' }),
    ]);
    // A request to an address of the network comes from that address.
    const withHost = (url: string, headers = {}): Promise<number> =>
      readStatus(`${url}/sandbox/_sandbox/clock`, headers);
    expect(await withHost(open, { authorization: `Bearer ${token}` })).toBe(200);
    expect(await withHost(open)).toBe(401);
    expect(await withHost(closed, { 'x-api-key': key })).toBe(404);
    expect(await withHost(off, { 'x-api-key': key })).toBe(404);
  });
});

/** Sends a request with a loopback `Host`, as another machine can do. */
async function readStatus(url: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  get(url, { headers: { host: 'localhost', ...headers }, agent: false }, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  }).on('error', reject);
  return promise;
}

describe('mountSandbox in vite build and vite preview', () => {
  it('serves a sandbox beside the built page, which does not contain it', async () => {
    const config = createConfig();
    const { output } = (await build(config)) as { output: readonly { code?: string }[] };
    expect(output.map(({ code = '' }) => code).join('')).not.toContain('sandbox');
    const server = await preview(config);
    onTestFinished(() => server.close());
    const { origin } = new URL(server.resolvedUrls?.local[0] ?? '');
    expect(await connect(`${origin}/sandbox`).payments.create(order)).toMatchObject({ status: 'pending' });
    expect(await (await fetch(origin)).text()).toContain('<title>page</title>');
  });
});
