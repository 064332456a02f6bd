import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  closedEnvironment,
  keepSecret,
  openService,
  openWorld,
  runCli,
  testKey,
  type World,
} from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sandbox = (world: Pick<World, 'env'>, argv: string, options = {}) =>
  runCli(['sandbox', ...argv.split(' ')], { env: world.env, ...options });

async function pay({ env }: World): Promise<string> {
  const argv = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--json'];
  return (await runCli(argv, { env })).document.id;
}

const balanceOf = async ({ env }: World, currency: string): Promise<unknown> => {
  const { document } = await runCli(['balance', '--json'], { env });
  return (document.balances as { currency: string; balance: unknown }[]).find(
    (wallet) => wallet.currency === currency,
  )?.balance;
};

describe('sandbox', () => {
  it('moves a manual clock, and with it what falls due', async () => {
    await using world = await openWorld({ clock: 'manual' });
    const id = await pay(world);
    const { code, lines, stderr } = await sandbox(world, 'clock advance 4s');
    expect({ code, lines, stderr }).toEqual({
      code: 0,
      lines: ['now:   2026-01-31T12:00:04.000Z', 'clock: manual'],
      stderr: '',
    });
    expect((await runCli(['payment', 'get', id, '--json'], { env: world.env })).document.status).toBe(
      'completed',
    );
  });

  it('writes the answer of the control as one document with --json', async () => {
    await using world = await openWorld({ clock: 'manual' });
    expect((await sandbox(world, 'clock show --json')).document).toEqual({
      now: '2026-01-31T12:00:00.000Z',
      clock: 'manual',
    });
    expect((await sandbox(world, 'idle --json')).document).toEqual({});
    expect((await sandbox(world, 'idle')).lines).toEqual(['Done.']);
  });

  it('puts money as it was written into the wallet of the account of the key', async () => {
    await using world = await openWorld();
    const other = world.mock.sandbox.accounts.create({ balances: {} });
    const env = { ...world.env, SERVICE_API_KEY: keepSecret(other.testKey) };
    expect((await sandbox({ env }, 'wallet set USD 100.07')).code).toBe(0);
    expect((await sandbox({ env }, 'wallet credit USD 0.10')).code).toBe(0);
    expect(await balanceOf({ ...world, env }, 'USD')).toBe(100.17);
    expect(await balanceOf(world, 'USD')).toBe(100_000);
  });

  it('means the account that is named, whatever the key', async () => {
    await using world = await openWorld();
    const { id, testKey: key } = world.mock.sandbox.accounts.create({ balances: {} });
    const env = { SERVICE_BASE_URL: world.env.SERVICE_BASE_URL! };
    expect((await sandbox({ env }, `wallet set USD 5 --account ${id}`)).code).toBe(0);
    expect(await balanceOf({ ...world, env: { ...env, SERVICE_API_KEY: keepSecret(key) } }, 'USD')).toBe(5);
  });

  it('moves payments by hand', async () => {
    await using world = await openWorld({ clock: 'manual' });
    const id = await pay(world);
    expect((await sandbox(world, `payment complete ${id}`)).stdout).toMatch(/^status: +completed$/m);
    expect((await sandbox(world, `payment return ${id} --json`)).document.status).toBe('failed');
  });

  it('advises what a shell can do, and no code', async () => {
    await using world = await openWorld();
    const { stderr } = await sandbox(world, 'clock advance 1s');
    expect(stderr).toContain('Start it with mock --clock manual to move it.');
    const env = { ...world.env, SERVICE_API_KEY: keepSecret('service_test_of-nobody-012345') };
    const unknown = await sandbox({ env }, 'account get');
    expect(unknown.stderr).toContain('with mock --accounts open a test key of your own opens an account.');
  });

  it('shows a setting that is a list as it is set', async () => {
    await using world = await openWorld();
    const { stdout } = await sandbox(world, 'profile set events=completed,failed');
    expect(stdout).toMatch(/^events: +completed,failed$/m);
  });

  it('opens an account and shows its keys, and masks them everywhere else', async () => {
    await using world = await openWorld();
    const { stdout } = await sandbox(
      world,
      'account create --name shop --balance USD=1.10 --setting numbers=string --json',
      {
        reveals: true,
      },
    );
    const created = JSON.parse(stdout) as { id: string; testKey: string; liveKey: string };
    expect(created.testKey).toMatch(/^service_test_\w{20,}$/);
    keepSecret(created.testKey);
    keepSecret(created.liveKey);
    const env = { ...world.env, SERVICE_API_KEY: created.testKey };
    expect(await balanceOf({ ...world, env }, 'USD')).toBe(1.1);
    expect((await sandbox({ env }, 'profile show --json')).document).toMatchObject({ numbers: 'string' });
    expect((await sandbox({ env }, 'account find')).stdout).toContain(created.id);
    expect((await sandbox({ env }, 'account get --json')).document.id).toBe(created.id);
  });

  it('replaces the key in use and shows the new one', async () => {
    await using world = await openWorld();
    const { stdout } = await sandbox(world, 'account regenerate-key', { reveals: true });
    const [, key = ''] = /testKey: (\S+)/.exec(stdout) ?? [];
    expect((await runCli(['balance'], { env: world.env })).code).toBe(1);
    expect((await runCli(['balance'], { env: { ...world.env, SERVICE_API_KEY: key } })).code).toBe(0);
    const { code, stderr } = await sandbox(world, 'account get');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error: No account has this key: the key was replaced. (not_found, HTTP 404)\n',
    });
  });

  it('lists in a table, and below it what else there is', async () => {
    await using world = await openWorld({ clock: 'manual' });
    await pay(world);
    const { lines } = await sandbox(world, 'requests list');
    expect(lines[0]).toMatch(/^at +id +method +path +operation +status +account +mode +fault$/);
    expect(lines[1]).toMatch(/ POST +\/api\/v1\/payments +createPayment +201 +acct_\w+ +test +-$/);
    expect(lines.slice(2)).toEqual(['', 'dropped: 0']);
  });

  it('lets calls of this account go wrong, and none of others unless told to', async () => {
    await using world = await openWorld();
    const other = world.mock.sandbox.accounts.create();
    const env = { ...world.env, SERVICE_API_KEY: keepSecret(other.testKey) };
    const injected = await sandbox(world, 'faults inject status --status 403 --times unlimited');
    expect(injected.lines).toEqual([expect.stringMatching(/^flt_\w+$/)]);
    const codes = async (): Promise<number[]> => [
      (await runCli(['balance'], world)).code,
      (await runCli(['balance'], { env })).code,
    ];
    expect(await codes()).toEqual([1, 0]);
    await sandbox(world, `faults remove ${injected.lines[0]}`);
    await sandbox(world, 'faults inject status --status 403 --times unlimited --all-accounts');
    expect(await codes()).toEqual([1, 1]);
    await sandbox(world, 'faults clear --all-accounts');
    expect(await codes()).toEqual([0, 0]);
  });

  it('gives a secret once, alone on its line, or takes one from a file', async () => {
    await using world = await openWorld();
    const { stdout } = await sandbox(world, 'endpoint set http://localhost:9/hook', { reveals: true });
    expect(stdout).toMatch(/^[0-9a-f]{64}\n$/);
    expect((await sandbox(world, 'endpoint show')).lines).toEqual(['http://localhost:9/hook']);
    const own = await sandbox(world, 'endpoint set http://localhost:9/hook --secret-file -', {
      reveals: true,
      stdin: 'a secret of my own\n',
    });
    expect(own.stdout).toBe('a secret of my own\n');
    await sandbox(world, 'endpoint remove');
    expect((await sandbox(world, 'endpoint show')).lines).toEqual(['-']);
  });

  it('restores what a snapshot has written, with --json or without', async () => {
    await using world = await openWorld({ clock: 'manual' });
    for (const argv of ['snapshot', 'snapshot --json']) {
      const { stdout } = await sandbox(world, argv, { reveals: true });
      const [before] = (await sandbox(world, 'state-hash')).lines;
      await pay(world);
      expect((await sandbox(world, 'state-hash')).lines).not.toEqual([before]);
      expect((await sandbox(world, 'restore -', { stdin: stdout })).code).toBe(0);
      expect((await sandbox(world, 'restore -', { stdin: `\ufeff${stdout}` })).code).toBe(0);
      expect((await sandbox(world, 'state-hash')).lines).toEqual([before]);
    }
  });

  it('exits 1 with what the control says', async () => {
    await using world = await openWorld();
    const { code, stdout, stderr } = await sandbox(world, 'clock advance 3s');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*manual.* \(invalid_state, HTTP 409\)\n$/);
    const { document } = await sandbox(world, 'wallet set USD 1.001 --json');
    expect(document.error).toMatchObject({ name: 'ControlError', code: 'invalid_argument', status: 400 });
  });

  it.each([
    ['clock advance soon', "such as '500ms', '3s'"],
    ['clock advance', "missing required argument 'by'"],
    ['clock advnce 3s', 'Did you mean advance?'],
    ['faults inject explode', "'latency' or 'status'"],
    ['faults inject status --times many', "a whole number, or 'unlimited'"],
    ['faults inject latency --commit perhaps', 'true or false'],
    ['profile set numbers', 'such as NAME=VALUE'],
    ['profile set colour=red', 'There is no colour; there are createStatus'],
    ['profile set events=done', 'events must be a list of any of'],
    ['profile set __proto__=1', 'There is no __proto__'],
    ['profile set deprecation=[]', "deprecation must be 'none' or"],
    ['requests wait --count 1 --timeout 5m', 'Wait at most 4m'],
    ['requests wait', "required option '--count <count>' not specified"],
    ['requests list --account a --all-accounts', 'cannot be used with option'],
    ['restore /nowhere.json', 'there is no such file'],
    ['restore -', '"-" does not hold JSON'],
    ['payment advance ..', 'It must be an id'],
    ['account get --account .', 'It must be an id'],
    ['wallet set USD 1 --account ', 'It must be an id'],
    ['endpoint set http://localhost:9 --secret-file - --key-file -', 'Only one thing can come from stdin'],
    ['account find --key sk_live_4242424242', 'must begin with service_test_'],
    ['account find --key service_live_0123456789', 'A live key never travels over plain http'],
  ])('exits 2 for %s and sends nothing', async (argv, why) => {
    const fetch = (): Promise<Response> => Promise.reject(new Error('must not be called'));
    const env = { SERVICE_API_KEY: testKey };
    const { code, stdout, stderr } = await sandbox({ env }, argv, { stdin: '{', fetch });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr).not.toContain('4242');
  });

  it('exits 2 when nobody says whose account is meant', async () => {
    const fetch = (): Promise<Response> => Promise.reject(new Error('must not be called'));
    const { code, stderr } = await runCli(['sandbox', 'account', 'suspend'], { fetch });
    expect(code).toBe(2);
    expect(stderr).toContain('or name the account with --account ID');
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

describe('the token of a sandbox', () => {
  const token = keepSecret('a-token-of-my-own-16');

  const openGuarded = (): Promise<World> => openWorld({}, { control: { token } });

  it('comes from SERVICE_SANDBOX_TOKEN', async () => {
    await using world = await openGuarded();
    const env = { ...world.env, SERVICE_SANDBOX_TOKEN: token };
    expect((await sandbox({ env }, 'account get')).code).toBe(0);
  });

  it.each([
    ['missing', {}, 'Set SERVICE_SANDBOX_TOKEN to it. (unauthenticated, HTTP 401)'],
    ['wrong', { SERVICE_SANDBOX_TOKEN: 'another-token-of-16' }, 'is not that of this sandbox'],
  ])('is said to be %s with exit 1', async (_, given, why) => {
    await using world = await openGuarded();
    const { code, stderr } = await sandbox({ env: { ...world.env, ...given } }, 'clock show');
    expect(code).toBe(1);
    expect(stderr).toContain(why);
    expect((await sandbox(world, 'health')).code).toBe(0);
  });

  it('is struck out of every word of a refusal that repeats it', async () => {
    await using service = await openService((request, response) => {
      const repeated = request.headers.authorization?.slice('Bearer '.length);
      const refusal = { error: { code: `no-${repeated}`, message: `${repeated} is wrong` } };
      if (request.url === '/_sandbox/health') response.end('{"status":"ok","version":"0"}');
      else response.writeHead(400).end(JSON.stringify(refusal));
    });
    const env = { ...service.env, SERVICE_SANDBOX_TOKEN: token };
    const { code, stderr } = await runCli(['sandbox', 'idle'], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: … is wrong (no-…, HTTP 400)\n' });
  });

  it('is refused with exit 2, and not shown, when no header can hold it', async () => {
    const env = { SERVICE_SANDBOX_TOKEN: 'line\nbreak-in-a-token' };
    const { code, stderr } = await runCli(['sandbox', 'health'], { env });
    expect(code).toBe(2);
    expect(stderr).not.toContain('break-in');
  });
});

describe('an address without a control', () => {
  const argv = ['sandbox', 'account', 'get'];

  it.each([
    [404, '{"success":false,"error":{"type":"not_found","message":"No."}}', 1],
    [401, '{}', 1],
    [200, '<html>Welcome</html>', 3],
    [200, '{"status":"ok"}', 3],
    [302, '', 3],
    [503, 'gone', 3],
  ])('that answers %i %s is told and gets no key', async (status, body, expected) => {
    const asked: string[] = [];
    await using service = await openService((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(status, { location: '/elsewhere' }).end(body);
    });
    const env = { ...service.env, SERVICE_SANDBOX_TOKEN: keepSecret('a-token-of-my-own-16') };
    const { code, stderr } = await runCli(argv, { env });
    expect(code).toBe(expected);
    expect(stderr).toMatch(
      /^error: No control of a sandbox answers at http:.*\/_sandbox\. .*\(no_control, HTTP \d+\)\n$/,
    );
    expect(asked).toEqual(['GET /_sandbox/health']);
  });

  it('that never ends its health page is told', async () => {
    await using service = await openService((_, response) => {
      response.write('{"status":"ok","version":"');
      const more = (): void => void (response.destroyed || response.write('x'.repeat(10_000), more));
      more();
    });
    const { code, stderr } = await runCli(argv, { env: service.env });
    expect(code).toBe(3);
    expect(stderr).toContain('(no_control, HTTP 200)');
  });

  it('is told of a mock that lets nobody steer it', async () => {
    const mock = createMock();
    const server = await listen(mock, { port: 0, control: 'off' });
    const env = { SERVICE_API_KEY: keepSecret(mock.account.testKey), SERVICE_BASE_URL: server.baseUrl };
    const { code, stderr } = await runCli(argv, { env });
    expect(code).toBe(1);
    expect(stderr).toContain('without --no-control');
    await server.close();
    await mock.close();
  });

  it('exits 3 with the cause when nobody listens', async () => {
    const env = await closedEnvironment();
    const { code, stderr } = await runCli(argv, { env });
    expect(code).toBe(3);
    expect(stderr).toContain('cause: connect ECONNREFUSED');
    const { document } = await runCli([...argv, '--json'], { env });
    expect(document.error).toMatchObject({ name: 'ControlError', code: 'no_answer' });
  });

  it('exits 3 for an answer that breaks off', async () => {
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

  it('does not wait for ever to hear that it is one', async () => {
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
  ])('exits 3, and does nothing more, when it answers %s with %j', async (command, body) => {
    const asked: string[] = [];
    await using service = await openService((request, response) => {
      asked.push(request.url!);
      const isHealth = request.url === '/_sandbox/health';
      response.end(isHealth ? '{"status":"ok","version":"0"}' : body);
    });
    const { code, stderr } = await runCli(command.split(' '), { env: service.env });
    expect(code).toBe(3);
    expect(stderr).toContain('otherwise than its document says. (unreadable_answer)');
    expect(asked).toHaveLength(2);
  });

  it('exits 3 on Ctrl+C', async () => {
    const controller = new AbortController();
    await using service = await openService(() => controller.abort('SIGINT'));
    const { code, stderr } = await runCli(argv, { env: service.env, signal: controller.signal });
    expect(code).toBe(3);
    expect(stderr).toContain('gave no answer');
  });
});

it('masks a key that stands where an id belongs', async () => {
  await using world = await openWorld();
  const file = join(folder, 'key');
  writeFileSync(file, world.key);
  const env = { SERVICE_BASE_URL: world.env.SERVICE_BASE_URL! };
  const { code, stderr } = await sandbox({ env }, `account get --account ${testKey} --key-file ${file}`);
  expect(code).toBe(1);
  expect(stderr).toContain('accounts.find');
});
