import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createVerifier } from '@service/webhooks';
import { describe, expect, it } from 'vitest';
import { expectRefusals, makeFolder, type Ran, runCli } from './support.ts';

/** A free port, and a short wait for idle connections at the end. */
const quick = ['--port', '0', '--grace', '500ms'];

/** Runs `mock` while `use` runs with the printed document and its environment. */
async function withSandbox(
  argv: string[],
  use: (mockServer: Record<string, string>, env: Record<string, string>) => Promise<void>,
  env: Record<string, string> = {},
): Promise<Ran> {
  const controller = new AbortController();
  const { promise: printed, resolve } = Promise.withResolvers<string>();
  const running = runCli(['mock', ...quick, '--json', '--quiet', ...argv], {
    env,
    signal: controller.signal,
    onStdout: resolve,
    reveals: true,
  });
  const text = await Promise.race([printed, running.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  const mockServer = JSON.parse(text) as Record<string, string>;
  await use(mockServer, { SERVICE_API_KEY: mockServer.testKey!, SERVICE_BASE_URL: mockServer.baseUrl! });
  controller.abort('SIGINT');
  return running;
}

describe('mock', () => {
  it('runs until it is interrupted, and exits 0', async () => {
    const { code, stderr } = await withSandbox([], async (mockServer, env) => {
      expect(Object.keys(mockServer)).toEqual(['url', 'baseUrl', 'dashboard', 'testKey', 'liveKey']);
      expect(mockServer.baseUrl).toBe(`${mockServer.url}/api/v1`);
      expect((await runCli(['balance'], { env })).code).toBe(0);
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('prints the address of the dashboard', async () => {
    await withSandbox([], async ({ dashboard, url }) => {
      expect(dashboard).toBe(`${url}/`);
      const page = await fetch(dashboard!, { headers: { accept: 'text/html' } });
      expect(await page.text()).toContain('<title>Payments sandbox</title>');
    });
  });

  it('reads settings from --profile', async () => {
    const file = join(makeFolder(), 'profile.json');
    await writeFile(file, '\ufeff{"successStatus":{"createPayment":202},"statuses":{"pending":"1ms"}}');
    await withSandbox(['--profile', file], async ({ baseUrl, testKey }) => {
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
    const { stderr } = await withSandbox(['--respond', file], async ({ baseUrl, testKey }) => {
      const headers = { authorization: `Bearer ${testKey}` };
      const listed = await fetch(`${baseUrl}/transactions`, { headers });
      expect(listed.headers.get('x-node')).toBe('a');
      const { status } = await fetch(`${baseUrl}/balance`, { headers });
      expect(status).toBe(500);
    });
    expect(stderr).toContain('The function `respond` failed for getBalance: no balance.');
  });

  it('exits 2 for a module of --respond without a function', async () => {
    const folder = makeFolder();
    const file = join(folder, 'respond.mjs');
    await writeFile(file, 'export default 5;');
    await expectRefusals({ command: 'mock' }, [
      [['--respond', file], 'the default export of'],
      [['--respond', join(folder, 'none.mjs')], '--respond: cannot load'],
    ]);
  });

  it('exits 2 for a profile that is not a JSON object of settings', async () => {
    const profile = ['--profile', '-'];
    const invalid = 'must be a JSON object of settings, such as {"numbers": "string"}.';
    await expectRefusals({ command: 'mock --port 0' }, [
      ...['[]', '{', 'null', ''].map((stdin) => [profile, invalid, { stdin }] as const),
      [profile, 'profile has no field "colour"; it takes successStatus', { stdin: '{"colour":"red"}' }],
    ]);
  });

  it('accepts any test key with --accounts open', async () => {
    await withSandbox(['--accounts', 'open'], async (_, env) => {
      const { code } = await runCli(['balance'], {
        env: { ...env, SERVICE_API_KEY: 'service_test_of-my-own' },
      });
      expect(code).toBe(0);
    });
  });

  it('keeps account, balance and payments in --data across restarts', async () => {
    const folder = makeFolder();
    const seedFile = join(folder, 'seed.json');
    await writeFile(seedFile, '{"accounts":[{"name":"shop","balances":{"USD":100}}]}');
    const argv = ['--data', join(folder, 'data.json'), '--seed-file', seedFile];
    const seen: unknown[] = [];
    const notes: string[] = [];
    for (let start = 1; start <= 2; start += 1) {
      const { stderr } = await withSandbox(argv, async (mockServer, env) => {
        if (start === 1) await runCli(['pay', 'USD', 'EUR', '40', '--name', 'Acme'], { env });
        const { document } = await runCli(['balance', '--json'], { env });
        seen.push([mockServer.testKey, document.balances]);
      });
      notes.push(stderr);
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[0]).toEqual([expect.any(String), [{ currency: 'USD', balance: 60 }]]);
    expect(notes[0]).toContain('including keys and signing secrets');
    expect(notes[1]).toContain('--seed, --webhook-url and --profile apply to new files only');
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
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.end();
        const body = Buffer.concat(chunks);
        if (body.includes('payment.completed'))
          resolve([body, String(request.headers['x-service-signature'])]);
      });
    });
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    const { port } = receiver.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/hook`;
    await withSandbox(['--webhook-url', url, '--speed', '1000'], async ({ webhookSecret }, env) => {
      await runCli(['pay', 'USD', 'EUR', '1', '--name', 'Acme'], { env });
      const event = createVerifier({ secrets: webhookSecret, mode: 'test' }).verify(...(await received));
      expect(event.event).toBe('payment.completed');
    });
    receiver.close();
  });

  it('warns if --host is not a loopback address, and prints a control token', async () => {
    const { stderr } = await withSandbox(['--host', '0.0.0.0'], async ({ url, controlToken }) => {
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
    const controller = new AbortController();
    const { promise: printed, resolve } = Promise.withResolvers<string>();
    const running = runCli(['mock', ...quick, '--host', '0.0.0.0'], {
      signal: controller.signal,
      onStdout: resolve,
      reveals: true,
    });
    const exported = (await printed).matchAll(/^export (\S+?)=(.*)$/gm);
    const env = Object.fromEntries([...exported].map(([, name, value]) => [name, value] as const));
    expect((await runCli(['balance'], { env })).code).toBe(0);
    expect((await runCli(['sandbox', 'clock', 'show'], { env })).code).toBe(0);
    controller.abort('SIGINT');
    expect((await running).code).toBe(0);
  });

  it('reads SERVICE_SANDBOX_TOKEN, and does not print it', async () => {
    const token = 'a-token-of-my-own-16';
    const controller = new AbortController();
    const { promise: printed, resolve } = Promise.withResolvers<string>();
    const env = { SERVICE_SANDBOX_TOKEN: token };
    const running = runCli(['mock', ...quick, '--json'], {
      env,
      signal: controller.signal,
      onStdout: resolve,
      reveals: true,
    });
    const text = await printed;
    const { url } = JSON.parse(text) as Record<string, string>;
    const send = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${url}/_sandbox/clock`, { headers });
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: `Bearer ${token}` })).status).toBe(200);
    controller.abort('SIGINT');
    expect(text + (await running).stderr).not.toContain(token);
    const bad = await runCli(['mock', '--port', '0'], { env: { SERVICE_SANDBOX_TOKEN: 'short' } });
    expect(bad).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SERVICE_SANDBOX_TOKEN must be text of 16 to 512'),
    });
  });

  it('sends webhooks to the hosts of --allow-webhook-host', async () => {
    const hosts = ['--allow-webhook-host', 'app', '--allow-webhook-host', 'hooks.example'];
    await withSandbox(
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
    const ran = await withSandbox(
      ['--clock', 'manual', '--grace', '1ms'],
      async ({ url, baseUrl, testKey }) => {
        const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
        const body = JSON.stringify({ kind: 'latency', ms: 1000 });
        await fetch(`${url}/_sandbox/faults`, { ...post, body });
        const headers = { 'x-api-key': testKey! };
        fetch(`${baseUrl}/balance`, { headers }).catch(() => {});
        const count = async (): Promise<number> =>
          ((await (await fetch(`${url}/_sandbox/requests`)).json()) as { requests: unknown[] }).requests
            .length;
        await expect.poll(count).toBe(1);
      },
    );
    expect(ran.code).toBe(0);
  });

  it('exits 0 beside connections without a request, long before the end of --grace', async () => {
    const sockets: Socket[] = [];
    const { code, stderr } = await withSandbox(['--grace', '10m'], async ({ url }) => {
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

  it('exits 2 if the port is in use', async () => {
    await withSandbox([], async ({ url }) => {
      const { port } = new URL(url!);
      const { code, stderr } = await runCli(['mock', '--port', port], { reveals: true });
      expect(code).toBe(2);
      expect(stderr).toContain(`Port ${port} is in use. Choose another one with --port,`);
    });
  });

  it('exits 2 for an invalid option', async () => {
    await expectRefusals({ command: 'mock --port 0' }, [
      [
        '--webhook-url https://example.com/hook',
        'only loopback hosts are allowed: localhost, 127.0.0.0/8 or [::1]. Allow others with mock --allow-webhook-host HOST.\n',
      ],
      ['--profile /nowhere.json', 'Cannot read "/nowhere.json": no such file or directory'],
      ['--clock manual --speed 2', 'cannot be used with option'],
      ['--host 192.0.2.1', 'Cannot listen on 192.0.2.1'],
    ]);
  });
});

describe('request log of mock', () => {
  /** Runs `mock` while it gets a payment, an unknown key and a lost connection. Returns stderr. */
  async function logRequests(argv: string[], columns?: number): Promise<Ran> {
    const controller = new AbortController();
    const { promise: ready, resolve } = Promise.withResolvers<string>();
    const running = runCli(['mock', ...quick, '--seed', 'log', ...argv], {
      signal: controller.signal,
      columns,
      reveals: true,
      clock: { now: () => Date.parse('2026-01-31T12:03:04Z'), sleep: () => Promise.resolve() },
      onStdout: resolve,
    });
    const text = await ready;
    const [baseUrl, key] = [/http:[^"\s]+\/api\/v1/, /service_test_\w+/].map(
      (each) => each.exec(text)?.[0] ?? '',
    );
    const env = { SERVICE_API_KEY: key!, SERVICE_BASE_URL: baseUrl! };
    await runCli(['pay', 'USD', 'EUR', '10', '--name', 'Acme'], { env });
    await runCli(['balance'], { env: { ...env, SERVICE_API_KEY: 'service_test_unknown' } });
    await runCli(['sandbox', 'faults', 'inject', 'reset_before_commit'], { env });
    await fetch(`${baseUrl}/balance`, { headers: { 'x-api-key': key! } }).catch(() => {});
    controller.abort('SIGINT');
    return running;
  }

  it('is one line per request on stderr', async () => {
    const { stderr } = await logRequests([]);
    expect(stderr.replaceAll(/\d+ ms/g, 'N ms').split('\n')).toEqual([
      expect.stringMatching(/^12:03:04 {2}POST {2}\/api\/v1\/payments {2}201 {2}N ms {2}pay_test_\w+$/),
      expect.stringMatching(/^12:03:04 {2}GET {3}\/api\/v1\/balance {2}401 {2}N ms {2}\S.+$/),
      '12:03:04  GET   /api/v1/balance  no response  N ms',
      '',
    ]);
  });

  it('is JSON with --json, next to one document on stdout', async () => {
    const { stdout, stderr } = await logRequests(['--json']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    const entries = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const at = '2026-01-31T12:03:04.000Z';
    expect(entries).toEqual([
      {
        at,
        method: 'POST',
        path: '/api/v1/payments',
        status: 201,
        duration_ms: expect.any(Number),
        id: expect.any(String),
      },
      {
        at,
        method: 'GET',
        path: '/api/v1/balance',
        status: 401,
        duration_ms: expect.any(Number),
        error: expect.any(String),
      },
      { at, method: 'GET', path: '/api/v1/balance', status: null, duration_ms: expect.any(Number) },
    ]);
  });
});
