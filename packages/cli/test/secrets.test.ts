import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { keepSecret, runCli, testKey } from './support.ts';

const liveKey = keepSecret('service_live_of_the_caller_00000');
const token = keepSecret('a-token-of-the-caller-0123');
const secret = keepSecret('a signing secret of the caller');
const password = keepSecret('a-password-of-the-database');
/** The password is part of a URL that nothing listens at. */
const database = `postgres://ann:${password}@127.0.0.1:1/payments`;

const home = mkdtempSync(join(tmpdir(), 'secrets-'));
const folder = join(home, 'cloned');
mkdirSync(folder);
writeFileSync(join(folder, 'secret'), secret);
writeFileSync(join(folder, 'document.json'), JSON.stringify({ accounts: [{ endpoint: { secret } }] }));
writeFileSync(join(folder, 'payments.csv'), 'reference,from,to,amount,name\nA,USD,EUR,1,Acme\n');
afterAll(() => rmSync(home, { recursive: true }));

const PROJECT = 'https://cloned.example/api/v1';
const writeProject = (baseUrl = PROJECT): void =>
  writeFileSync(join(folder, 'service.config.json'), JSON.stringify({ baseUrl }));
beforeEach(() => writeProject());

/** Answers as a mock does, so that a command goes on. */
function answer(): Response {
  const account = { id: 'acct_1', url: 'http://127.0.0.1:9/', secret: 'of the mock', endpoint: null };
  return Response.json({ status: 'ok', version: '0', success: true, data: {}, ...account });
}

/** Runs a command in the cloned folder. Returns the addresses and the texts of all requests. */
async function run(argv: readonly string[], env: Record<string, string> = {}, cwd = folder) {
  const urls: string[] = [];
  let sent = '';
  const ran = await runCli(
    argv.map((word) => word.replace(/^FOLDER/, folder)),
    {
      cwd,
      env: { HOME: home, ...env },
      signal: AbortSignal.timeout(5_000),
      fetch: async (request) => {
        urls.push(request.url);
        sent += `${request.url}\n${JSON.stringify([...request.headers])}\n${await request.text()}\n`;
        return answer();
      },
    },
  );
  return { ...ran, urls, sent };
}

/** Runs commands that end before their first request, and name the project file. */
async function expectNotSent(commands: readonly string[][], env: Record<string, string>, message: string) {
  const told = `${message} ${join(folder, 'service.config.json')}, which others can change.`;
  const ran = await Promise.all(commands.map((argv) => run(argv, env)));
  const seen = ran.map(({ code, urls, stderr }, index) => [
    commands[index],
    code,
    urls,
    stderr.includes(told),
  ]);
  expect(seen).toEqual(commands.map((argv) => [argv, 2, [], true]));
}

/** The commands that send the token of a mock. */
const control = [
  ['sandbox', 'clock', 'show'],
  ['sandbox', 'reset'],
  ['sandbox', 'snapshot'],
  ['sandbox', 'requests', 'list', '--follow'],
  ['sandbox', 'deliveries', 'list', '--follow'],
  ['webhooks', 'deliveries'],
  ['webhooks', 'resend', 'dlv_test_1'],
  ['webhooks', 'listen', '--sandbox', '--port', '0'],
  ['--allow-insecure-http', 'sandbox', 'health'],
];

describe('the token of a mock', () => {
  it.each([PROJECT, 'http://localhost:4010/api/v1', 'http://127.0.0.1:9999/api/v1'])(
    'is not sent to the base URL %s of a project file by any command',
    async (baseUrl) => {
      writeProject(baseUrl);
      const env = { SERVICE_SANDBOX_TOKEN: token, SERVICE_API_KEY: testKey };
      await expectNotSent(control, env, 'The sandbox token is not sent to the base URL of');
    },
  );

  it('is not sent to a project file of a folder above, also from a profile', async () => {
    const file = join(home, '.config', 'service', 'config.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ profiles: { default: { sandboxToken: token } } }), { mode: 0o600 });
    const below = join(folder, 'packages');
    mkdirSync(below);
    const { code, urls, stderr } = await run(['sandbox', 'clock', 'show'], {}, below);
    rmSync(file);
    expect({ code, urls }).toEqual({ code: 2, urls: [] });
    expect(stderr).toContain('The sandbox token is not sent to');
  });

  it.each([
    [['--base-url', 'https://own.example/api/v1'], {}, 'https://own.example'],
    [[], { SERVICE_BASE_URL: 'https://own.example/api/v1' }, 'https://own.example'],
  ])('is sent to the address of the caller, %j %j, beside a project file', async (argv, env, origin) => {
    const all = { ...env, SERVICE_SANDBOX_TOKEN: token };
    const { code, urls, sent } = await run(['sandbox', 'clock', 'show', ...argv], all);
    expect({ code, urls }).toEqual({
      code: 0,
      urls: [`${origin}/_sandbox/health`, `${origin}/_sandbox/clock`],
    });
    expect(sent.split(token)).toHaveLength(2);
  });

  it('is sent to the default address, a mock on this machine', async () => {
    rmSync(join(folder, 'service.config.json'));
    const { code, sent } = await run(['sandbox', 'clock', 'show'], { SERVICE_SANDBOX_TOKEN: token });
    expect(code).toBe(0);
    expect(sent).toContain(`Bearer ${token}`);
  });

  it('is not needed for a mock of a project file without one', async () => {
    expect((await run(['sandbox', 'clock', 'show'], { SERVICE_API_KEY: testKey })).code).toBe(0);
  });
});

describe('a signing secret', () => {
  const commands = [
    ['sandbox', 'endpoint', 'set', 'http://127.0.0.1:9/', '--secret-file', 'FOLDER/secret'],
    ['sandbox', 'deliveries', 'collect', '--secret-file', 'FOLDER/secret'],
    ['sandbox', 'load', 'FOLDER/document.json'],
    ['sandbox', 'restore', 'FOLDER/document.json'],
    ['webhooks', 'listen', '--sandbox', '--port', '0', '--secret-file', 'FOLDER/secret'],
    ['webhooks', 'listen', '--sandbox', '--port', '0'],
  ];

  const env = { SERVICE_WEBHOOK_SECRET: secret, SERVICE_API_KEY: testKey };

  it('is not sent to the base URL of a project file by any command', async () => {
    await expectNotSent(commands, env, 'A signing secret is not sent to the base URL of');
  });

  it('is sent to the mock of the caller by each command', async () => {
    const own = ['--base-url', 'https://own.example/api/v1'];
    const ran = await Promise.all(commands.map((argv) => run([...argv, ...own], env)));
    const seen = ran.map(({ sent }) => [sent.includes(secret), sent.includes('cloned.example')]);
    expect(seen).toEqual(commands.map(() => [true, false]));
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
    [{ SERVICE_API_KEY: testKey }, ['--key', liveKey]],
  ])('is not sent to the default address by any command, with %j %j', async (env, key) => {
    rmSync(join(folder, 'service.config.json'));
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
    rmSync(join(folder, 'service.config.json'));
    for (const url of ['https://own.example/api/v1', 'http://localhost:4010/api/v1']) {
      const { sent, urls } = await run(['balance', '--base-url', url], { SERVICE_API_KEY: liveKey });
      expect(urls).toEqual([`${url}/balance`]);
      expect(sent).toContain(liveKey);
    }
  });
});

describe('the service.config.json of a cloned folder', () => {
  it('gets no secret by any command', async () => {
    const env = {
      SERVICE_API_KEY: liveKey,
      SERVICE_SANDBOX_TOKEN: token,
      SERVICE_WEBHOOK_SECRET: secret,
      SERVICE_INTENT_STORE: database,
    };
    const all = [...control, ...calls, ['smoke'], ['config', 'show']];
    const ran = await Promise.all(all.map((argv) => run(argv, env)));
    const leaks = [liveKey, token, secret, password];
    expect(all.filter((_, index) => leaks.some((each) => ran[index]?.sent.includes(each)))).toEqual([]);
  });
});
