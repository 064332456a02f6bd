import { join } from 'node:path';
import controlDocument from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import {
  keepSecret,
  makeFolder,
  openService,
  runCli,
  startMockServer,
  testKey,
  withMock,
} from './support.ts';

const token = keepSecret('a-token-of-the-test-0123');
describe('sandbox with the API key of an account', () => {
  it('controls the account, and needs the token for the whole sandbox', async () => {
    const control = { token, selfService: true };
    await using shared = await startMockServer({ accounts: 'open', clock: 'manual' }, { control });
    const run = (words: string, env = {}) =>
      shared.run(words.split(' '), { env: { ...shared.env, ...env }, reveals: true });
    const { document } = await run('pay USD EUR 10 --name Acme --json');
    const other = await run(`sandbox payment fail ${document.id}`, {
      SERVICE_API_KEY: keepSecret('service_test_b'),
    });
    expect(other.stderr).toContain('There is no payment');
    expect((await run(`sandbox payment fail ${document.id}`)).code).toBe(0);
    for (const operation of ['sandbox clock advance 1s', 'sandbox reset']) {
      const { code, stderr } = await run(operation);
      expect(code).toBe(1);
      expect(stderr).toContain('An API key controls only its own account');
      expect((await run(operation, { SERVICE_SANDBOX_TOKEN: token })).code).toBe(0);
    }
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
