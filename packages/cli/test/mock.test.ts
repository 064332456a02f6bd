import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createVerifier } from '@service/webhooks';
import { describe, expect, it } from 'vitest';
import { expectRefusals, makeFolder, openService, type Ran, runCli, withMock } from './support.ts';

describe('mock', () => {
  it('runs until it is interrupted, and exits 0', async () => {
    const { code, stderr } = await withMock(['--quiet'], async (mockServer, env) => {
      expect(Object.keys(mockServer)).toEqual(['url', 'baseUrl', 'dashboard', 'testKey', 'liveKey']);
      expect(mockServer.baseUrl).toBe(`${mockServer.url}/api/v1`);
      expect((await runCli(['balance'], { env })).code).toBe(0);
      expect(mockServer.dashboard).toBe(`${mockServer.url}/`);
      const page = await fetch(mockServer.dashboard!, { headers: { accept: 'text/html' } });
      expect(await page.text()).toContain('<title>Payments sandbox</title>');
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('reads settings from --profile', async () => {
    const file = join(makeFolder(), 'profile.json');
    await writeFile(file, '\ufeff{"successStatus":{"createPayment":202},"statuses":{"pending":"1ms"}}');
    await withMock(['--profile', file], async ({ baseUrl, testKey }) => {
      const { status } = await fetch(`${baseUrl}/payments`, {
        method: 'POST',
        headers: { 'x-api-key': testKey!, 'content-type': 'application/json' },
        body: '{"from_currency":"USD","to_currency":"EUR","amount":1,"beneficiary_name":"A"}',
      });
      expect(status).toBe(202);
    });
  });

  it('changes responses with the function of --respond, and logs its errors', async () => {
    const file = join(makeFolder(), 'respond.mjs');
    await writeFile(
      file,
      `export default ({ operation }, response) => {
        if (operation === 'getBalance') throw new Error('no balance');
        return { ...response, headers: { ...response.headers, 'X-Node': 'a' } };
      };`,
    );
    const { stderr } = await withMock(['--respond', file], async ({ baseUrl, testKey }) => {
      const headers = { authorization: `Bearer ${testKey}` };
      const listed = await fetch(`${baseUrl}/transactions`, { headers });
      expect(listed.headers.get('x-node')).toBe('a');
      const { status } = await fetch(`${baseUrl}/balance`, { headers });
      expect(status).toBe(500);
    });
    expect(stderr).toContain('The function `respond` failed for getBalance: no balance.');
  });

  it('exits 2 for a damaged data file, and does not change it', async () => {
    const folder = makeFolder();
    const file = join(folder, 'data.json');
    await writeFile(file, '{"format":');
    const { code, stderr } = await runCli(['mock', '--port', '0', '--data', file], {});
    expect(code).toBe(2);
    expect(stderr).toContain('is not a valid data file of a sandbox and was not changed.');
    expect(await readFile(file, 'utf8')).toBe('{"format":');
  });

  it('sends webhooks that the printed secret verifies, at the speed of --speed', async () => {
    const { promise: received, resolve } = Promise.withResolvers<[Buffer, string]>();
    const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = await buffer(request);
      response.end();
      if (body.includes('payment.completed')) resolve([body, String(request.headers['x-service-signature'])]);
    };
    await using receiver = await openService((...exchange) => void receive(...exchange));
    const url = `${receiver.env.SERVICE_BASE_URL}/hook`;
    await withMock(['--webhook-url', url, '--speed', '1000'], async ({ webhookSecret }, env) => {
      await runCli(['pay', 'USD', 'EUR', '1', '--name', 'Acme'], { env });
      const event = createVerifier({ secrets: webhookSecret, mode: 'test' }).verify(...(await received));
      expect(event.event).toBe('payment.completed');
    });
  });

  it('warns if --host is not a loopback address, and prints a control token', async () => {
    const { stderr } = await withMock(['--host', '0.0.0.0'], async ({ url, controlToken }) => {
      const { port } = new URL(url!);
      const fetchStatus = async (headers: Record<string, string>): Promise<number> =>
        (await fetch(`http://127.0.0.1:${port}/_sandbox/clock`, { headers })).status;
      expect([await fetchStatus({}), await fetchStatus({ authorization: `Bearer ${controlToken}` })]).toEqual(
        [401, 200],
      );
    });
    expect(stderr).toContain('warning: everyone with a key who can reach 0.0.0.0');
  });

  it('prints export commands that reach it, also with --host 0.0.0.0', async () => {
    const check = async (_: unknown, env: Record<string, string>): Promise<void> => {
      expect((await runCli(['balance'], { env })).code).toBe(0);
      expect((await runCli(['sandbox', 'clock', 'show'], { env })).code).toBe(0);
    };
    expect((await withMock(['--host', '0.0.0.0'], check, { isText: true })).code).toBe(0);
  });

  it('reads SERVICE_SANDBOX_TOKEN, and does not print it', async () => {
    const token = 'a-token-of-my-own-16';
    const check = async ({ url }: Record<string, string>): Promise<void> => {
      const send = (headers: Record<string, string>): Promise<Response> =>
        fetch(`${url}/_sandbox/clock`, { headers });
      expect((await send({})).status).toBe(401);
      expect((await send({ authorization: `Bearer ${token}` })).status).toBe(200);
    };
    const { stdout, stderr } = await withMock([], check, { env: { SERVICE_SANDBOX_TOKEN: token } });
    expect(stdout + stderr).not.toContain(token);
    const bad = await runCli(['mock', '--port', '0'], { env: { SERVICE_SANDBOX_TOKEN: 'short' } });
    expect(bad).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SERVICE_SANDBOX_TOKEN must be text of 16 to 512'),
    });
  });

  it('sends webhooks to the hosts of --allow-webhook-host', async () => {
    const hosts = ['--allow-webhook-host', 'app', '--allow-webhook-host', 'hooks.example'];
    await withMock(
      [...hosts, '--webhook-url', 'http://app:3000/webhooks'],
      async ({ webhookSecret, url }) => {
        expect(webhookSecret).toMatch(/^[0-9a-f]{64}$/);
        const body = JSON.stringify({ url: 'https://hooks.example/webhooks' });
        const headers = { 'content-type': 'application/json' };
        const init = { method: 'PUT', headers, body };
        expect((await fetch(`${url}/_sandbox/webhooks/endpoint`, init)).status).toBe(200);
      },
    );
  });

  it('cuts running requests after --grace', async () => {
    const ran = await withMock(['--clock', 'manual', '--grace', '1ms'], async ({ url, baseUrl, testKey }) => {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const body = JSON.stringify({ kind: 'latency', ms: 1000 });
      await fetch(`${url}/_sandbox/faults`, { ...post, body });
      const headers = { 'x-api-key': testKey! };
      fetch(`${baseUrl}/balance`, { headers }).catch(() => {});
      const count = async (): Promise<number> =>
        ((await (await fetch(`${url}/_sandbox/requests`)).json()) as { requests: unknown[] }).requests.length;
      await expect.poll(count).toBe(1);
    });
    expect(ran.code).toBe(0);
  });

  it('exits 0 beside connections without a request, long before the end of --grace', async () => {
    const sockets: Socket[] = [];
    const { code, stderr } = await withMock(['--quiet', '--grace', '10m'], async ({ url }) => {
      for (const text of ['', 'GET /api/v1/balance HTTP/1.1\r\nHost: local']) {
        const socket = connect(Number(new URL(url!).port), '127.0.0.1').on('error', () => {});
        sockets.push(socket);
        await once(socket, 'connect');
        socket.write(text);
      }
      await fetch(`${url}/_sandbox/health`);
    });
    for (const socket of sockets) socket.destroy();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('exits 2 for an invalid option, module or profile', async () => {
    const file = join(makeFolder(), 'respond.mjs');
    await writeFile(file, 'export default 5;');
    const invalid = 'must be a JSON object of settings, such as {"numbers": "string"}.';
    await expectRefusals({ command: 'mock --port 0' }, [
      [
        '--webhook-url https://example.com/hook',
        'only loopback hosts are allowed: localhost, 127.0.0.0/8 or [::1]. Allow others with mock --allow-webhook-host HOST.\n',
      ],
      ['--profile /nowhere.json', 'Cannot read "/nowhere.json": no such file or directory'],
      ...['[]', '{', 'null', ''].map((stdin) => ['--profile -', invalid, { stdin }] as const),
      ['--profile -', 'profile has no field "colour"; it takes successStatus', { stdin: '{"colour":"red"}' }],
      ['--clock manual --speed 2', 'cannot be used with option'],
      ['--host 192.0.2.1', 'Cannot listen on 192.0.2.1'],
      [['--respond', file], 'the default export of'],
      [['--respond', `${file}.none`], '--respond: cannot load'],
    ]);
  });
});

describe('request log of mock', () => {
  /** Runs `mock` while it gets a payment, an unknown key and a lost connection. */
  const logRequests = (isText: boolean): Promise<Ran> =>
    withMock(
      ['--seed', 'log'],
      async (_, env) => {
        await runCli(['pay', 'USD', 'EUR', '10', '--name', 'Acme'], { env });
        await runCli(['balance'], { env: { ...env, SERVICE_API_KEY: 'service_test_unknown' } });
        await runCli(['sandbox', 'faults', 'inject', 'reset_before_commit'], { env });
        const headers = { 'x-api-key': env.SERVICE_API_KEY! };
        await fetch(`${env.SERVICE_BASE_URL}/balance`, { headers }).catch(() => {});
      },
      { isText, clock: { now: () => Date.parse('2026-01-31T12:03:04Z'), sleep: () => Promise.resolve() } },
    );

  it('is one line per request on stderr', async () => {
    const { stderr } = await logRequests(true);
    expect(stderr.replaceAll(/\d+ ms/g, 'N ms').split('\n')).toEqual([
      expect.stringMatching(/^12:03:04 {2}POST {2}\/api\/v1\/payments {2}201 {2}N ms {2}pay_test_\w+$/),
      expect.stringMatching(/^12:03:04 {2}GET {3}\/api\/v1\/balance {2}401 {2}N ms {2}\S.+$/),
      '12:03:04  GET   /api/v1/balance  no response  N ms',
      '',
    ]);
  });

  it('is JSON with --json, next to one document on stdout', async () => {
    const { stdout, stderr } = await logRequests(false);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    const entries = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const common = { at: '2026-01-31T12:03:04.000Z', duration_ms: expect.any(Number) as number };
    const balance = { ...common, method: 'GET', path: '/api/v1/balance' };
    const text = expect.any(String) as string;
    expect(entries).toEqual([
      { ...common, method: 'POST', path: '/api/v1/payments', status: 201, id: text },
      { ...balance, status: 401, error: text },
      { ...balance, status: null },
    ]);
  });
});
