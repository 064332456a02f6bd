import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld, runCli, testKey, type World } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-cli-'));
const keyFile = join(folder, 'key');
let world: World;

beforeAll(async () => {
  world = await openWorld();
  writeFileSync(keyFile, `${world.key}\n`);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world[Symbol.asyncDispose]();
});

const baseUrl = (): string => world.env.SERVICE_BASE_URL!;

describe('the API key', () => {
  it('comes from SERVICE_API_KEY', async () => {
    expect((await runCli(['balance'], { env: world.env })).code).toBe(0);
  });

  it('comes from a file, before the environment; a line break at its end does not count', async () => {
    const env = { ...world.env, SERVICE_API_KEY: testKey };
    expect((await runCli(['balance', '--key-file', keyFile], { env })).code).toBe(0);
    expect((await runCli(['--key-file', keyFile, 'balance'], { env })).code).toBe(0);
  });

  it('comes from stdin', async () => {
    const { code, stderr } = await runCli(['balance', '--key-file', '-', '--base-url', baseUrl()], {
      stdin: `${world.key}\r\n`,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('is missed with exit 2 and advice when its file is empty', async () => {
    const { code, stderr } = await runCli(['balance', '--key-file', '-'], { stdin: '\n' });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: There is no API key: set SERVICE_API_KEY, or pass --key-file FILE .* with a key in it\.\n$/,
    );
  });

  it('goes over plain http to this machine alone, and the advice names the option of this command', async () => {
    const argv = ['balance', '--base-url', 'http://payments.example/api/v1'];
    const { code, stderr } = await runCli(argv, { env: { SERVICE_API_KEY: testKey } });
    expect(code).toBe(2);
    expect(stderr).toContain('pass --allow-insecure-http for a test key');
  });

  it('goes to no http address by https, and the cause is told in words', async () => {
    const argv = ['balance', '--base-url', baseUrl().replace('http:', 'https:')];
    const { code, stderr } = await runCli(argv, { env: world.env });
    expect(code).toBe(3);
    expect(stderr).toContain('cause: no TLS is spoken there: is it an http address?');
  });

  it('comes from --key with a warning', async () => {
    const { code, stdout, stderr } = await runCli(
      ['balance', '--json', '--key', world.key, '--base-url', baseUrl()],
      {},
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('balances');
    expect(stderr).toContain('warning: other users of this machine');
  });

  it('is missed with exit 2 and advice', async () => {
    const { code, stderr } = await runCli(['balance'], { env: { SERVICE_API_KEY: '' } });
    expect(code).toBe(2);
    expect(stderr).toContain('set SERVICE_API_KEY, or pass --key-file');
  });

  it.each(['sk_test_4242424242', 'service_test_', 'service_test_a b', 'service_test_ü'])(
    'is refused with exit 2 and not repeated when it is %j',
    async (key) => {
      const { code, stdout, stderr } = await runCli(['balance'], { env: { SERVICE_API_KEY: key } });
      expect(code).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^error: The API key/);
      expect(stderr).not.toContain('4242');
    },
  );

  it.each([
    ['no-such-file', 'there is no such file'],
    [folder, 'it is a directory'],
  ])('is refused with exit 2 when its file is %s', async (file, why) => {
    const { code, stderr } = await runCli(['balance', '--key-file', file], {});
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  });

  it('is refused by the service with exit 1', async () => {
    const env = { ...world.env, SERVICE_API_KEY: testKey };
    const { code, stderr } = await runCli(['balance'], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('authentication_error, HTTP 401, req_');
    const { document } = await runCli(['balance', '--json'], { env });
    expect(document.error).toMatchObject({
      name: 'AuthenticationError',
      type: 'authentication_error',
      status: 401,
      outcome: 'rejected',
      requestId: expect.stringMatching(/^req_/),
    });
  });
});

describe('the base URL', () => {
  it('comes from --base-url, before the environment', async () => {
    const env = { ...world.env, SERVICE_BASE_URL: 'http://127.0.0.1:9/api/v1' };
    expect((await runCli(['balance', '--base-url', baseUrl()], { env })).code).toBe(0);
  });

  it('is by default that of the sandbox', async () => {
    const asked: string[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      asked.push(request.url);
      return Response.json({ success: true, mode: 'test', data: { balances: [] } });
    };
    await runCli(['balance'], { env: { SERVICE_API_KEY: testKey }, fetch });
    expect(asked).toEqual(['http://localhost:4010/api/v1/balance']);
  });

  it.each(['not a url', 'ftp://x/api/v1', 'http://me:secret@localhost/api/v1'])(
    'is refused with exit 2 when it is %s',
    async (url) => {
      const { code, stderr } = await runCli(['balance', '--base-url', url], { env: world.env });
      expect(code).toBe(2);
      expect(stderr).not.toContain('secret');
    },
  );

  it('takes a key over plain http to another machine only when told to', async () => {
    const asked: string[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      asked.push(request.url);
      return Response.json({ success: true, mode: 'test', data: { balances: [] } });
    };
    const argv = ['balance', '--base-url', 'http://sandbox.example/api/v1'];
    const env = { SERVICE_API_KEY: testKey };
    expect((await runCli(argv, { env, fetch })).code).toBe(2);
    expect(asked).toEqual([]);
    expect((await runCli([...argv, '--allow-insecure-http'], { env, fetch })).code).toBe(0);
    expect(asked).toHaveLength(1);
  });
});
