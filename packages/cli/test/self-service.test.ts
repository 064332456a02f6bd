import { join } from 'node:path';
import controlDocument from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { withListener } from './listen.support.ts';
import {
  keepSecret,
  makeFolder,
  openService,
  runCli,
  startMockServer,
  testKey,
  withMock,
} from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

const token = keepSecret('a-token-of-the-test-0123');
const pay = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--json'];

/** Starts a mock with self-service, and returns the environments of two jobs and of the operator. */
async function startSharedServer() {
  const control = { token, selfService: true };
  const mockServer = await startMockServer({ accounts: 'open', clock: 'manual' }, { control });
  const openJob = async (name: string) => {
    const key = keepSecret(`service_test_${name}`);
    const env = { ...mockServer.env, SERVICE_API_KEY: key };
    const { document } = await runCli(pay, { env });
    const { id } = mockServer.mock.sandbox.accounts.find({ key });
    return { id, env, payment: document.id };
  };
  const jobs = { a: await openJob('a'), b: await openJob('b') };
  return { ...mockServer, ...jobs, operator: { ...jobs.a.env, SERVICE_SANDBOX_TOKEN: token } };
}

const sandbox = (env: Record<string, string>, argv: string, options = {}) =>
  runCli(['sandbox', ...argv.split(' ')], { env, ...options });

describe('sandbox with the API key of an account', () => {
  it('changes the account and no other one', async () => {
    await using shared = await startSharedServer();
    const { a, b } = shared;
    const { sandbox: control } = shared.mock;
    expect((await sandbox(a.env, `payment fail ${a.payment}`)).code).toBe(0);
    expect((await sandbox(a.env, `payment fail ${b.payment}`)).stderr).toContain('There is no payment');
    expect((await sandbox(a.env, 'wallet set CHF 7')).code).toBe(0);
    const found = stateOf(control.snapshot()).accounts.map((each) => JSON.stringify(each).includes('CHF'));
    expect(found.filter(Boolean)).toHaveLength(1);
    expect((await sandbox(b.env, `payment fail ${b.payment}`)).code).toBe(0);
  });

  it.each(['clock advance 1s', 'reset'])('exits 1 for %s, which needs the token', async (argv) => {
    await using shared = await startSharedServer();
    const { code, stderr } = await sandbox(shared.a.env, argv);
    expect(code).toBe(1);
    expect(stderr).toContain('An API key controls only its own account');
    expect((await sandbox(shared.operator, argv, { reveals: true })).code).toBe(0);
  });

  it('receives events with webhooks listen --sandbox and restores the endpoint with its secret', async () => {
    await using shared = await startSharedServer();
    const { webhooks } = shared.mock.sandbox;
    webhooks.setEndpoint({
      account: shared.a.id,
      url: 'http://127.0.0.1:9/app',
      secret: keepSecret('of-the-app'),
    });
    const argv = ['--sandbox', '--until', 'payment.pending', '--json'];
    const { code, shown } = await withListener(argv, { env: shared.a.env }, async () => {
      await runCli(pay, { env: shared.a.env });
      await shared.mock.sandbox.idle();
    });
    expect([code, shown.map(({ event }) => event)]).toEqual([0, ['payment.pending']]);
    const { accounts } = stateOf(shared.mock.sandbox.snapshot());
    const { endpoint } = accounts.find(({ id }) => id === shared.a.id)!.modes.test;
    expect(endpoint).toEqual({ url: 'http://127.0.0.1:9/app', secret: 'of-the-app' });
  });
});

describe('requests of the control API', () => {
  /** Runs a command against a stub, and returns the keys that it received by path. */
  async function readKeys(argv: string[], env: Record<string, string>, options = {}) {
    const keys: [string, unknown, unknown][] = [];
    await using service = await openService((request, response) => {
      const { authorization, 'x-api-key': key } = request.headers;
      keys.push([String(request.url).replace('/_sandbox', ''), key, authorization]);
      const isDocument = request.url?.endsWith('/openapi.json');
      const body = isDocument ? controlDocument : { id: 'acct_1', status: 'ok', version: '0' };
      response.end(JSON.stringify(body));
    });
    const { SERVICE_BASE_URL } = service.env;
    const { code, stderr } = await runCli(['sandbox', ...argv], {
      env: { SERVICE_BASE_URL: SERVICE_BASE_URL!, ...env },
      ...options,
    });
    return { keys, code, stderr };
  }

  it('contain the key, and the token if there is one, except for the health check', async () => {
    const { keys } = await readKeys(['wallet', 'set', 'USD', '1'], {
      SERVICE_API_KEY: testKey,
      SERVICE_SANDBOX_TOKEN: token,
    });
    expect(keys).toEqual([
      ['/health', undefined, undefined],
      ['/openapi.json', testKey, `Bearer ${token}`],
      ['/accounts/find', testKey, `Bearer ${token}`],
      ['/wallets/set', testKey, `Bearer ${token}`],
    ]);
  });

  it('contain no live key over http, and no malformed key', async () => {
    const live = keepSecret('service_live_0123456789abcdefghij');
    for (const SERVICE_API_KEY of [
      live,
      keepSecret('service_test_line\nbreak'),
      keepSecret('of-another-service'),
    ]) {
      const { keys, code } = await readKeys(['clock', 'show'], { SERVICE_API_KEY });
      expect([code, keys]).toEqual([
        0,
        [
          ['/health', undefined, undefined],
          ['/openapi.json', undefined, undefined],
          ['/clock', undefined, undefined],
        ],
      ]);
    }
  });

  it('contain a key from stdin, which is read once', async () => {
    const { keys, code } = await readKeys(
      ['wallet', 'set', 'USD', '1', '--key-file', '-'],
      {},
      { stdin: `${testKey}\n` },
    );
    expect([code, keys.map(([, key]) => key)]).toEqual([0, [undefined, testKey, testKey, testKey]]);
  });
});

describe('mock --self-service', () => {
  it('prints a token, and accepts the key of an account', async () => {
    const argv = ['--accounts', 'open', '--self-service', '--data', join(makeFolder(), 'data')];
    const { code } = await withMock(argv, async ({ url, controlToken }) => {
      const status = async (headers: Record<string, string>) =>
        (await fetch(`${url}/_sandbox/wallets`, { headers })).status;
      expect(await status({})).toBe(401);
      expect(await status({ authorization: `Bearer ${controlToken}` })).toBe(200);
      expect(await status({ 'x-api-key': testKey })).toBe(200);
    });
    expect(code).toBe(0);
  });
});
