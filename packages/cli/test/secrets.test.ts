import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import controlDocument from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { keepSecret, runCli, testKey } from './support.ts';

const liveKey = keepSecret('service_live_of_the_caller_00000');
const token = keepSecret('a-token-of-the-caller-0123');
const secret = keepSecret('a signing secret of the caller');

const home = mkdtempSync(join(tmpdir(), 'secrets-'));
const folder = join(home, 'cloned');
mkdirSync(folder);
writeFileSync(join(folder, 'secret'), secret);
writeFileSync(join(folder, 'document.json'), JSON.stringify({ accounts: [{ endpoint: { secret } }] }));
writeFileSync(join(folder, 'payments.csv'), 'reference,from,to,amount,name\nA,USD,EUR,1,Acme\n');
afterAll(() => rmSync(home, { recursive: true }));

beforeEach(() =>
  writeFileSync(
    join(folder, 'service.config.json'),
    JSON.stringify({ baseUrl: 'https://cloned.example/api/v1', sandboxToken: 'of-the-cloned-folder' }),
  ),
);

/** Answers as a mock does, so that a command goes on. */
function answer(url: string): Response {
  if (url.endsWith('/openapi.json')) return Response.json(controlDocument);
  const account = { id: 'acct_1', url: 'http://127.0.0.1:9/', secret: 'of the mock', endpoint: null };
  return Response.json({ status: 'ok', version: '0', success: true, data: {}, ...account });
}

/** Runs a command in the cloned folder. Returns the addresses and the texts of all requests. */
async function run(argv: readonly string[], env: Record<string, string> = {}) {
  const urls: string[] = [];
  let sent = '';
  const ran = await runCli(
    argv.map((word) => word.replace(/^FOLDER/, folder)),
    {
      cwd: folder,
      env,
      signal: AbortSignal.timeout(5_000),
      fetch: async (request) => {
        urls.push(request.url);
        sent += `${request.url}\n${JSON.stringify([...request.headers])}\n${await request.text()}\n`;
        return answer(request.url);
      },
    },
  );
  return { ...ran, urls, sent };
}

/** The commands that send the token of a mock. */
const control = [
  ['sandbox', 'clock', 'show'],
  ['sandbox', 'reset'],
  ['sandbox', 'snapshot'],
  ['sandbox', 'requests', 'list', '--follow'],
  ['sandbox', 'deliveries', 'list', '--follow'],
  ['webhooks', 'listen', '--sandbox', '--port', '0'],
  ['--allow-insecure-http', 'sandbox', 'health'],
];

/** The commands that send a signing secret. */
const endpoints = [
  ['sandbox', 'endpoint', 'set', 'url=http://127.0.0.1:9/', '--secret-file', 'FOLDER/secret'],
  ['sandbox', 'deliveries', 'collect', '--secret-file', 'FOLDER/secret'],
  ['sandbox', 'load', 'FOLDER/document.json'],
  ['sandbox', 'restore', 'FOLDER/document.json'],
  ['webhooks', 'listen', '--sandbox', '--port', '0', '--secret-file', 'FOLDER/secret'],
  ['webhooks', 'listen', '--sandbox', '--port', '0'],
];

describe('the token of a mock', () => {
  it.each([
    [['--base-url', 'https://own.example/api/v1'], {}, 'https://own.example'],
    [[], { SERVICE_BASE_URL: 'https://own.example/api/v1' }, 'https://own.example'],
    [[], {}, 'http://localhost:4010'],
  ])(
    'is sent to the address of the caller or of a mock, after a check, with %j %j',
    async (argv, env, origin) => {
      const all = { ...env, SERVICE_SANDBOX_TOKEN: token };
      const { code, urls, sent } = await run(['sandbox', 'clock', 'show', ...argv], all);
      const paths = ['/health', '/openapi.json', '/clock'];
      expect({ code, urls }).toEqual({ code: 0, urls: paths.map((path) => `${origin}/_sandbox${path}`) });
      expect(sent.split(token)).toHaveLength(3);
    },
  );
});

describe('a signing secret', () => {
  it('is sent to the mock of the caller by each command', async () => {
    const env = { SERVICE_WEBHOOK_SECRET: secret, SERVICE_API_KEY: testKey };
    const own = ['--base-url', 'https://own.example/api/v1'];
    const ran = await Promise.all(endpoints.map((argv) => run([...argv, ...own], env)));
    expect(ran.map(({ sent }) => sent.includes(secret))).toEqual(endpoints.map(() => true));
  });
});

/** The commands that send a live key. */
const calls = [
  ['balance'],
  ['quote', 'USD', 'EUR', '1'],
  ['pay', 'USD', 'EUR', '1', '--name', 'Acme'],
  ['pay-file', 'payments.csv', '--live', '--max-total', 'USD=5', '--key-retention', 'none', '--yes'],
  ['payment', 'get', 'pay_live_1'],
  ['payment', 'wait', 'pay_live_1'],
  ['payment', 'reconcile', 'USD', 'EUR', '1', '--since', '2026-01-31T12:00:00Z'],
  ['transactions'],
  ['smoke', '--live', '--name', 'Acme'],
  ['probe'],
  ['webhooks', 'listen', '--sandbox', '--port', '0'],
];

describe('a live key', () => {
  it.each([
    [{ SERVICE_API_KEY: liveKey }, []],
    [{ SERVICE_API_KEY: liveKey, SERVICE_BASE_URL: '' }, []],
  ])('is not sent to the default address by any command, with %j %j', async (env, key) => {
    const ran = await Promise.all(calls.map((argv) => run([...argv, ...key], env)));
    const refusal =
      'A live key is not sent to the default address, a mock. Pass --base-url, or set SERVICE_BASE_URL.';
    const seen = ran.map(({ code, urls, stderr }, index) => [
      calls[index],
      code,
      urls,
      stderr.includes(refusal),
    ]);
    expect(seen).toEqual(calls.map((argv) => [argv, 2, [], true]));
  });

  it('is sent to the address of the caller, also to a mock on this machine', async () => {
    for (const url of ['https://own.example/api/v1', 'http://localhost:4010/api/v1']) {
      const { sent, urls } = await run(['balance', '--base-url', url], { SERVICE_API_KEY: liveKey });
      expect(urls).toEqual([`${url}/balance`]);
      expect(sent).toContain(liveKey);
    }
  });
});

describe('a cloned folder with the addresses of another person', () => {
  it('gets no request by any command, with or without a live key', async () => {
    for (const key of [liveKey, testKey]) {
      const env = {
        SERVICE_API_KEY: key,
        SERVICE_SANDBOX_TOKEN: token,
        SERVICE_WEBHOOK_SECRET: secret,
      };
      const all = [...control, ...endpoints, ...calls, ['smoke']];
      const ran = await Promise.all(all.map((argv) => run(argv, env)));
      const isLocal = (url: string): boolean => new URL(url).hostname === 'localhost';
      expect(ran.flatMap(({ urls }) => urls.filter((url) => !isLocal(url)))).toEqual([]);
    }
  });
});
