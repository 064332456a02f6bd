import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefusals, type MockServer, runCli, startMockServer, testKey } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-cli-'));
const keyFile = join(folder, 'key');
let mockServer: MockServer;

beforeAll(async () => {
  mockServer = await startMockServer();
  writeFileSync(keyFile, `${mockServer.key}\n`);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await mockServer[Symbol.asyncDispose]();
});

const baseUrl = (): string => mockServer.env.SERVICE_BASE_URL!;

describe('API key of service-cli', () => {
  it('is read from --key-file, a file or stdin, before SERVICE_API_KEY, without the line break at the end', async () => {
    const env = { ...mockServer.env, SERVICE_API_KEY: testKey };
    expect((await runCli(['balance', '--key-file', keyFile], { env })).code).toBe(0);
    expect((await runCli(['--key-file', keyFile, 'balance'], { env })).code).toBe(0);
    const argv = ['balance', '--key-file', '-', '--base-url', baseUrl()];
    expect(await runCli(argv, { stdin: `${mockServer.key}\r\n` })).toMatchObject({ code: 0, stderr: '' });
  });

  it('causes exit 2 and is not printed if it, or its file, is wrong', async () => {
    const keys = ['sk_test_4242424242', 'service_test_', 'service_test_a b', 'service_test_ü'];
    const wrong =
      /^error: The API key must start with service_test_ or service_live_ and have only visible ASCII characters(?![^]*4242)/;
    const missing =
      /^error: The API key is missing\. Set SERVICE_API_KEY, or pass --key-file FILE \(.*\)\.\nexplain: service-cli explain missing_key\n$/;
    await expectRefusals({ command: 'balance' }, [
      ...keys.map((key) => [[], wrong, { env: { SERVICE_API_KEY: key } }] as const),
      ['--key-file -', missing, { stdin: '\n' }],
      ['--key-file no-such-file', 'no such file or directory'],
      [['--key-file', folder], 'illegal operation on a directory'],
    ]);
  });

  it('causes exit 3 with a readable cause if the https address does not use TLS', async () => {
    const argv = ['balance', '--base-url', baseUrl().replace('http:', 'https:')];
    const { code, stderr } = await mockServer.run(argv);
    expect(code).toBe(3);
    expect(stderr).toContain('cause: the server does not use TLS: is it an http address?');
  });

  it('causes exit 1 if the service rejects it', async () => {
    const env = { ...mockServer.env, SERVICE_API_KEY: testKey };
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

/** Responds to each request for the balance, and lists the URLs. */
function recordRequests() {
  const requests: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(request.url);
    return Response.json({ success: true, mode: 'test', data: { balances: [] } });
  };
  return { requests, fetch };
}

describe('base URL of service-cli', () => {
  it('is read from --base-url before SERVICE_BASE_URL', async () => {
    const env = { ...mockServer.env, SERVICE_BASE_URL: 'http://127.0.0.1:9/api/v1' };
    expect((await runCli(['balance', '--base-url', baseUrl()], { env })).code).toBe(0);
  });

  it('is plain http to another machine only with --allow-insecure-http', async () => {
    const { requests, fetch } = recordRequests();
    const argv = ['balance', '--base-url', 'http://sandbox.example/api/v1'];
    const env = { SERVICE_API_KEY: testKey };
    expect((await runCli(argv, { env, fetch })).code).toBe(2);
    expect(requests).toEqual([]);
    expect((await runCli([...argv, '--allow-insecure-http'], { env, fetch })).code).toBe(0);
    expect(requests).toHaveLength(1);
  });

  it('is the address of service-cli mock by default', async () => {
    const { requests, fetch } = recordRequests();
    await runCli(['balance'], { env: { SERVICE_API_KEY: testKey }, fetch });
    expect(requests).toEqual(['http://localhost:4010/api/v1/balance']);
  });
});
