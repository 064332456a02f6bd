import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  closedEnvironment,
  keepSecret,
  type MockServer,
  openService,
  runCli,
  startMockServer,
  testKey,
  toDocsLine,
} from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sandbox = (mockServer: Pick<MockServer, 'env'>, argv: string, options = {}) =>
  runCli(['sandbox', ...argv.split(' ')], { env: mockServer.env, ...options });

async function pay({ env }: MockServer): Promise<string> {
  const argv = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--json'];
  return (await runCli(argv, { env })).document.id;
}

const balanceOf = async ({ env }: MockServer, currency: string): Promise<unknown> => {
  const { document } = await runCli(['balance', '--json'], { env });
  return (document.balances as { currency: string; balance: unknown }[]).find(
    (wallet) => wallet.currency === currency,
  )?.balance;
};

describe('sandbox', () => {
  it('advances a manual clock and the payments', async () => {
    await using mockServer = await startMockServer({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
    const id = await pay(mockServer);
    const { code, lines, stderr } = await sandbox(mockServer, 'clock advance 4s');
    expect({ code, lines, stderr }).toEqual({
      code: 0,
      lines: ['now:     2026-01-31T12:00:04.000Z', 'clock:   manual', 'pending: 0'],
      stderr: '',
    });
    expect((await runCli(['payment', 'get', id, '--json'], { env: mockServer.env })).document.status).toBe(
      'completed',
    );
  });

  it('prints the response of the control API as one document with --json', async () => {
    await using mockServer = await startMockServer({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
    expect((await sandbox(mockServer, 'clock show --json')).document).toEqual({
      now: '2026-01-31T12:00:00.000Z',
      clock: 'manual',
    });
    expect((await sandbox(mockServer, 'idle --json')).document).toEqual({});
    expect((await sandbox(mockServer, 'idle')).lines).toEqual(['Done.']);
  });

  it('changes the wallet of the account of the API key by exact amounts', async () => {
    await using mockServer = await startMockServer();
    const other = mockServer.mock.sandbox.accounts.create({ balances: {} });
    const env = { ...mockServer.env, SERVICE_API_KEY: keepSecret(other.testKey) };
    expect((await sandbox({ env }, 'wallet set USD 100.07')).code).toBe(0);
    expect((await sandbox({ env }, 'wallet credit USD 0.10')).code).toBe(0);
    expect(await balanceOf({ ...mockServer, env }, 'USD')).toBe(100.17);
    expect(await balanceOf(mockServer, 'USD')).toBe(100_000);
  });

  it('uses --account in place of the API key', async () => {
    await using mockServer = await startMockServer();
    const { id, testKey: key } = mockServer.mock.sandbox.accounts.create({ balances: {} });
    const env = { SERVICE_BASE_URL: mockServer.env.SERVICE_BASE_URL! };
    expect((await sandbox({ env }, `wallet set USD 5 --account ${id}`)).code).toBe(0);
    expect(await balanceOf({ ...mockServer, env: { ...env, SERVICE_API_KEY: keepSecret(key) } }, 'USD')).toBe(
      5,
    );
  });

  it('changes the status of payments', async () => {
    await using mockServer = await startMockServer({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
    const id = await pay(mockServer);
    expect((await sandbox(mockServer, `payment complete ${id}`)).stdout).toMatch(/^status: +completed$/m);
    expect((await sandbox(mockServer, `payment return ${id} --json`)).document.status).toBe('failed');
  });

  it('names command line options in messages of the mock', async () => {
    await using mockServer = await startMockServer();
    const { stderr } = await sandbox(mockServer, 'clock advance 1s');
    expect(stderr).toContain('Start it with mock --clock manual to move it.');
    const env = { ...mockServer.env, SERVICE_API_KEY: keepSecret('service_test_of-nobody-012345') };
    const unknown = await sandbox({ env }, 'account get');
    expect(unknown.stderr).toContain('with mock --accounts open a test key of your own opens an account.');
  });

  it('prints a list setting in the form of the option', async () => {
    await using mockServer = await startMockServer();
    const { stdout } = await sandbox(mockServer, 'profile set events=completed,failed');
    expect(stdout).toMatch(/^events: +completed,failed$/m);
  });

  it('prints the keys of a new account, and masks them in all other output', async () => {
    await using mockServer = await startMockServer();
    const { stdout } = await sandbox(
      mockServer,
      'account create --name shop --balance USD=1.10 --setting numbers=string --json',
      {
        reveals: true,
      },
    );
    const created = JSON.parse(stdout) as { id: string; testKey: string; liveKey: string };
    expect(created.testKey).toMatch(/^service_test_\w{20,}$/);
    keepSecret(created.testKey);
    keepSecret(created.liveKey);
    const env = { ...mockServer.env, SERVICE_API_KEY: created.testKey };
    expect(await balanceOf({ ...mockServer, env }, 'USD')).toBe(1.1);
    expect((await sandbox({ env }, 'profile show --json')).document).toMatchObject({ numbers: 'string' });
    expect((await sandbox({ env }, 'account find')).stdout).toContain(created.id);
    expect((await sandbox({ env }, 'account get --json')).document.id).toBe(created.id);
  });

  it('replaces the API key and prints the new one', async () => {
    await using mockServer = await startMockServer();
    const { stdout } = await sandbox(mockServer, 'account regenerate-key', { reveals: true });
    const [, key = ''] = /testKey: (\S+)/.exec(stdout) ?? [];
    expect((await runCli(['balance'], { env: mockServer.env })).code).toBe(1);
    expect((await runCli(['balance'], { env: { ...mockServer.env, SERVICE_API_KEY: key } })).code).toBe(0);
    const { code, stderr } = await sandbox(mockServer, 'account get');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `error: No account has this key: the key was replaced. (not_found, HTTP 404)\n${toDocsLine('mock/errors#not_found')}`,
    });
  });

  it('prints a list as a table, followed by the other fields', async () => {
    await using mockServer = await startMockServer({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
    await pay(mockServer);
    const { lines } = await sandbox(mockServer, 'requests list');
    expect(lines[0]).toMatch(/^at +id +method +path +operation +status +account +mode +fault$/);
    expect(lines[1]).toMatch(/ POST +\/api\/v1\/payments +createPayment +201 +acct_\w+ +test +-$/);
    expect(lines.slice(2)).toEqual(['', 'dropped: 0']);
  });

  it('injects faults for this account only, except with --all-accounts', async () => {
    await using mockServer = await startMockServer();
    const other = mockServer.mock.sandbox.accounts.create();
    const env = { ...mockServer.env, SERVICE_API_KEY: keepSecret(other.testKey) };
    const injected = await sandbox(mockServer, 'faults inject status --status 403 --times unlimited');
    expect(injected.lines).toEqual([expect.stringMatching(/^flt_\w+$/)]);
    const codes = async (): Promise<number[]> => [
      (await runCli(['balance'], mockServer)).code,
      (await runCli(['balance'], { env })).code,
    ];
    expect(await codes()).toEqual([1, 0]);
    await sandbox(mockServer, `faults remove ${injected.lines[0]}`);
    await sandbox(mockServer, 'faults inject status --status 403 --times unlimited --all-accounts');
    expect(await codes()).toEqual([1, 1]);
    await sandbox(mockServer, 'faults clear --all-accounts');
    expect(await codes()).toEqual([0, 0]);
  });

  it('prints a new secret on its own line, or reads it from a file', async () => {
    await using mockServer = await startMockServer();
    const { stdout } = await sandbox(mockServer, 'endpoint set http://localhost:9/hook', { reveals: true });
    expect(stdout).toMatch(/^[0-9a-f]{64}\n$/);
    expect((await sandbox(mockServer, 'endpoint show')).lines).toEqual(['http://localhost:9/hook']);
    const own = await sandbox(mockServer, 'endpoint set http://localhost:9/hook --secret-file -', {
      reveals: true,
      stdin: 'a secret of my own\n',
    });
    expect(own.stdout).toBe('a secret of my own\n');
    await sandbox(mockServer, 'endpoint remove');
    expect((await sandbox(mockServer, 'endpoint show')).lines).toEqual(['-']);
  });

  it('restores a snapshot written with or without --json', async () => {
    await using mockServer = await startMockServer({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
    for (const argv of ['snapshot', 'snapshot --json']) {
      const { stdout } = await sandbox(mockServer, argv, { reveals: true });
      const [before] = (await sandbox(mockServer, 'state-hash')).lines;
      await pay(mockServer);
      expect((await sandbox(mockServer, 'state-hash')).lines).not.toEqual([before]);
      expect((await sandbox(mockServer, 'restore -', { stdin: stdout })).code).toBe(0);
      expect((await sandbox(mockServer, 'restore -', { stdin: `\ufeff${stdout}` })).code).toBe(0);
      expect((await sandbox(mockServer, 'state-hash')).lines).toEqual([before]);
    }
  });

  it('exits 1 with the message of the control API', async () => {
    await using mockServer = await startMockServer();
    const { code, stdout, stderr } = await sandbox(mockServer, 'clock advance 3s');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^error: .*manual.* \(invalid_state, HTTP 409\)\ndocs: https:\S+\/mock\/errors#invalid_state\n$/,
    );
    const { document } = await sandbox(mockServer, 'payment complete pay_test_1 --json');
    expect(document.error).toMatchObject({ name: 'ControlError', code: 'not_found', status: 404 });
  });

  it.each([
    ['clock advance soon', "such as '500ms', '3s'"],
    ['clock advance', "missing required argument 'by'"],
    ['clock advnce 3s', 'Did you mean advance?'],
    ['faults inject explode', "'latency' or 'status'"],
    ['faults inject status --times many', "a whole number from 1 to 1000000 or 'unlimited'"],
    ['faults inject latency --commit perhaps', 'true or false'],
    ['profile set numbers', 'such as NAME=VALUE'],
    ['profile set colour=red', 'colour is unknown; use one of createStatus'],
    ['profile set events=done', 'events must be a list of any of'],
    ['profile set __proto__=1', '__proto__ is unknown'],
    ['profile set deprecation=[]', "deprecation must be 'none' or"],
    ['requests wait --count 1 --timeout 5m', 'The maximum is 4m'],
    ['requests wait', "required option '--count <count>' not specified"],
    ['requests list --account a --all-accounts', 'cannot be used with option'],
    ['restore /nowhere.json', 'there is no such file'],
    ['restore -', '"-" must be JSON'],
    ['payment advance ..', 'Write an id'],
    ['account get --account .', 'Write an id'],
    ['wallet set USD 1 --account ', 'Write an id'],
    [
      'endpoint set http://localhost:9 --secret-file - --key-file -',
      "Only one option or argument can be '-'",
    ],
    ['account find --key sk_live_4242424242', 'must start with service_test_'],
    ['account find --key service_live_0123456789', 'A live key is never sent over plain http'],
  ])('exits 2 for %s and sends nothing', async (argv, reason) => {
    const fetch = (): Promise<Response> => Promise.reject(new Error('must not be called'));
    const env = { SERVICE_API_KEY: testKey };
    const { code, stdout, stderr } = await sandbox({ env }, argv, { stdin: '{', fetch });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('4242');
  });

  it('exits 2 without an account and an API key', async () => {
    const fetch = (): Promise<Response> => Promise.reject(new Error('must not be called'));
    const { code, stderr } = await runCli(['sandbox', 'account', 'suspend'], { fetch });
    expect(code).toBe(2);
    expect(stderr).toContain('or pass --account ID');
  });

  it.each([
    'not a url',
    'ftp://x/api/v1',
    'http://me:secret@localhost/api/v1',
    'http://sandbox.example/api/v1',
  ])('exits 2 for the base URL %s and sends nothing', async (url) => {
    const fetch = (): Promise<Response> => Promise.reject(new Error('must not be called'));
    const { code, stderr } = await runCli(['sandbox', 'health', '--base-url', url], { fetch });
    expect(code).toBe(2);
    expect(stderr).not.toContain('secret');
  });
});

describe('token of the control API', () => {
  const token = keepSecret('a-token-of-my-own-16');

  const openGuarded = (): Promise<MockServer> => startMockServer({}, { control: { token } });

  it('is read from SERVICE_SANDBOX_TOKEN', async () => {
    await using mockServer = await openGuarded();
    const env = { ...mockServer.env, SERVICE_SANDBOX_TOKEN: token };
    expect((await sandbox({ env }, 'account get')).code).toBe(0);
  });

  it.each([
    ['missing', {}, 'Set SERVICE_SANDBOX_TOKEN. (unauthenticated, HTTP 401)'],
    ['wrong', { SERVICE_SANDBOX_TOKEN: 'another-token-of-16' }, 'is not the token of this mock'],
  ])('causes exit 1 if it is %s', async (_, given, reason) => {
    await using mockServer = await openGuarded();
    const { code, stderr } = await sandbox({ env: { ...mockServer.env, ...given } }, 'clock show');
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    expect((await sandbox(mockServer, 'health')).code).toBe(0);
  });

  it('is masked in an error that repeats it', async () => {
    await using service = await openService((request, response) => {
      const repeated = request.headers.authorization?.slice('Bearer '.length);
      const refusal = { error: { code: `no-${repeated}`, message: `${repeated} is wrong` } };
      if (request.url === '/_sandbox/health') response.end('{"status":"ok","version":"0"}');
      else response.writeHead(400).end(JSON.stringify(refusal));
    });
    const env = { ...service.env, SERVICE_SANDBOX_TOKEN: token };
    const { code, stderr } = await runCli(['sandbox', 'idle'], { env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `error: … is wrong (no-…, HTTP 400)\n${toDocsLine('mock/errors')}`,
    });
  });

  it('causes exit 2 and is not printed if it is not a valid header', async () => {
    const env = { SERVICE_SANDBOX_TOKEN: 'line\nbreak-in-a-token' };
    const { code, stderr } = await runCli(['sandbox', 'health'], { env });
    expect(code).toBe(2);
    expect(stderr).not.toContain('break-in');
  });
});

describe('sandbox without a usable control API', () => {
  const argv = ['sandbox', 'account', 'get'];

  it.each([
    [404, '{"success":false,"error":{"type":"not_found","message":"No."}}', 1],
    [401, '{}', 1],
    [200, '<html>Welcome</html>', 3],
    [200, '{"status":"ok"}', 3],
    [302, '', 3],
    [503, 'gone', 3],
  ])('sends no key to a server that responds %i %s', async (status, body, expected) => {
    const asked: string[] = [];
    await using service = await openService((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(status, { location: '/elsewhere' }).end(body);
    });
    const env = { ...service.env, SERVICE_SANDBOX_TOKEN: keepSecret('a-token-of-my-own-16') };
    const { code, stderr } = await runCli(argv, { env });
    expect(code).toBe(expected);
    expect(stderr).toMatch(
      /^error: There is no control API at http:.*\/_sandbox\. .*\(no_control, HTTP \d+\)\ndocs: \S+#output-and-errors\n$/,
    );
    expect(asked).toEqual(['GET /_sandbox/health']);
  });

  it('exits 3 if the health response never ends', async () => {
    await using service = await openService((_, response) => {
      response.write('{"status":"ok","version":"');
      const more = (): void => void (response.destroyed || response.write('x'.repeat(10_000), more));
      more();
    });
    const { code, stderr } = await runCli(argv, { env: service.env });
    expect(code).toBe(3);
    expect(stderr).toContain('(no_control, HTTP 200)');
  });

  it('exits 1 for a mock with --no-control', async () => {
    const mock = createMock();
    const server = await listen(mock, { port: 0, control: 'off' });
    const env = { SERVICE_API_KEY: keepSecret(mock.account.testKey), SERVICE_BASE_URL: server.baseUrl };
    const { code, stderr } = await runCli(argv, { env });
    expect(code).toBe(1);
    expect(stderr).toContain('without --no-control');
    await server.close();
    await mock.close();
  });

  it('exits 3 with the cause if the connection is refused', async () => {
    const env = await closedEnvironment();
    const { code, stderr } = await runCli(argv, { env });
    expect(code).toBe(3);
    expect(stderr).toContain('cause: connect ECONNREFUSED');
    const { document } = await runCli([...argv, '--json'], { env });
    expect(document.error).toMatchObject({ name: 'ControlError', code: 'no_answer' });
  });

  it('exits 3 for a truncated response', async () => {
    await using service = await openService((request, response) => {
      if (request.url === '/_sandbox/health') {
        response.end('{"status":"ok","version":"0"}');
      } else {
        response.writeHead(200, { 'content-length': '99' }).write('{');
        response.destroy();
      }
    });
    const { code, stderr } = await runCli(['sandbox', 'idle'], { env: service.env });
    expect(code).toBe(3);
    expect(stderr).toContain('(no_answer)');
  });

  it('limits the health check to 10 s', async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    await using service = await openService(() => limit.abort());
    const { code } = await runCli(argv, { env: service.env });
    expect(code).toBe(3);
    expect(timeout).toHaveBeenCalledExactlyOnceWith(10_000);
  });

  it.each([
    ['sandbox wallet set USD 1', '{}'],
    ['sandbox wallet set USD 1', ''],
    ['sandbox clock show', '5'],
    ['sandbox clock show', ''],
    ['sandbox requests list --all-accounts', '{"requests":5}'],
    ['webhooks deliveries --account a', '{"deliveries":1}'],
    ['webhooks resend dlv_test_1', '{}'],
  ])('exits 3 and sends nothing more if the response to %s is %j', async (command, body) => {
    const asked: string[] = [];
    await using service = await openService((request, response) => {
      asked.push(request.url!);
      const isHealth = request.url === '/_sandbox/health';
      response.end(isHealth ? '{"status":"ok","version":"0"}' : body);
    });
    const { code, stderr } = await runCli(command.split(' '), { env: service.env });
    expect(code).toBe(3);
    expect(stderr).toContain('does not match its document. (unreadable_answer)');
    expect(asked).toHaveLength(2);
  });

  it('exits 3 on Ctrl+C during the health check', async () => {
    const controller = new AbortController();
    await using service = await openService(() => controller.abort('SIGINT'));
    const { code, stderr } = await runCli(argv, { env: service.env, signal: controller.signal });
    expect(code).toBe(3);
    expect(stderr).toContain('did not respond');
  });
});

describe('sandbox with a key as --account', () => {
  it('masks the key', async () => {
    await using mockServer = await startMockServer();
    const file = join(folder, 'key');
    writeFileSync(file, mockServer.key);
    const env = { SERVICE_BASE_URL: mockServer.env.SERVICE_BASE_URL! };
    const { code, stderr } = await sandbox({ env }, `account get --account ${testKey} --key-file ${file}`);
    expect(code).toBe(1);
    expect(stderr).toContain('accounts.find');
  });
});
