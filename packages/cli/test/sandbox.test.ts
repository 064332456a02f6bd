import controlDocument from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { describe, expect } from 'vitest';
import {
  closedEnvironment,
  expectRefusals,
  it,
  keepSecret,
  type MockServer,
  openService,
  runCli,
  type RunOptions,
  startMockServer,
  testKey,
  toExplainLine,
} from './support.ts';

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
    const { code, lines, stderr } = await sandbox(mockServer, 'clock advance duration=4s');
    expect({ code, lines, stderr }).toEqual({
      code: 0,
      lines: ['now:     2026-01-31T12:00:04.000Z', 'clock:   manual', 'pending: 0'],
      stderr: '',
    });
    const { document } = await sandbox(mockServer, 'clock show --json');
    expect(document).toEqual({ now: '2026-01-31T12:00:04.000Z', clock: 'manual' });
    expect((await sandbox(mockServer, 'idle')).lines).toEqual(['Done.']);
    expect((await mockServer.run(['payment', 'get', id, '--json'])).document.status).toBe('completed');
  });

  it('changes the wallet of the account of the API key by exact amounts', async ({ mockServer }) => {
    const other = mockServer.mock.sandbox.accounts.create({ balances: {} });
    const env = { ...mockServer.env, SERVICE_API_KEY: keepSecret(other.testKey) };
    expect((await sandbox({ env }, 'wallet set currency=USD amount=100.07')).code).toBe(0);
    expect((await sandbox({ env }, 'wallet credit USD 0.10')).code).toBe(0);
    expect(await balanceOf({ ...mockServer, env }, 'USD')).toBe(100.17);
    expect(await balanceOf(mockServer, 'USD')).toBe(100_000);
  });

  it('exits 1 with the message of the mock, which names command line options', async ({ mockServer }) => {
    const { code, stdout, stderr } = await sandbox(mockServer, 'clock advance 1s');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^error: .*Start it with mock --clock manual to move it\. \(invalid_state, HTTP 409\)\nexplain: service-cli explain invalid_state\n$/,
    );
    const { document } = await sandbox(mockServer, 'payment complete pay_test_1 --json');
    expect(document.error).toMatchObject({ name: 'ControlError', code: 'not_found', status: 404 });
    const env = { ...mockServer.env, SERVICE_API_KEY: keepSecret('service_test_of-nobody-012345') };
    const unknown = await sandbox({ env }, 'account get');
    expect(unknown.stderr).toContain('with mock --accounts open a test key of your own opens an account.');
  });

  it('prints the keys of a new account, and masks them in all other output', async ({ mockServer }) => {
    const { stdout } = await sandbox(
      mockServer,
      'account create name=shop balances.USD=1.10 profile.numbers=string --json',
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

  it('replaces the API key and prints the new one', async ({ mockServer }) => {
    const { stdout } = await sandbox(mockServer, 'account regenerate-key', { reveals: true });
    const [, key = ''] = /testKey: (\S+)/.exec(stdout) ?? [];
    expect((await mockServer.run(['balance'])).code).toBe(1);
    expect((await runCli(['balance'], { env: { ...mockServer.env, SERVICE_API_KEY: key } })).code).toBe(0);
    const { code, stderr } = await sandbox(mockServer, 'account get');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: No account has this key; .* \(not_found, HTTP 404\)\n/);
  });

  it('prints a list as a table, followed by the other fields', async () => {
    await using mockServer = await startMockServer({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
    await pay(mockServer);
    const { lines } = await sandbox(mockServer, 'requests list');
    expect(lines[0]).toMatch(/^at +method +path +status +fault +account +mode +id$/);
    expect(lines[1]).toMatch(/ POST +\/api\/v1\/payments +201 +- +acct_\w+ +test +req_\w+$/);
    expect(lines.slice(2)).toEqual(['', 'total:   1', 'dropped: 0']);
  });

  it('waits for requests, and exits 1 after the timeout', async () => {
    await using mockServer = await startMockServer();
    const waiting = sandbox(mockServer, 'requests wait operation=createPayment --timeout 1m --json');
    await pay(mockServer);
    const { code, document } = await waiting;
    expect(code).toBe(0);
    expect(document).toMatchObject({ requests: [{ response: { status: 201 } }] });
    const { code: late, stderr } = await sandbox(mockServer, 'requests wait count=2 --timeout 5ms');
    expect(late).toBe(1);
    expect(stderr).toMatch(
      /^error: 1 of 2 requests that match had a response within 5 ms\. \(timeout, HTTP 408\)/,
    );
  });

  it('prints a new secret on its own line, or reads it from a file', async ({ mockServer }) => {
    const { stdout } = await sandbox(mockServer, 'endpoint set url=http://localhost:9/hook', {
      reveals: true,
    });
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
      const before = await mockServer.mock.sandbox.stateHash();
      await pay(mockServer);
      expect(await mockServer.mock.sandbox.stateHash()).not.toBe(before);
      expect((await sandbox(mockServer, 'restore -', { stdin: stdout })).code).toBe(0);
      expect((await sandbox(mockServer, 'restore -', { stdin: `\ufeff${stdout}` })).code).toBe(0);
      expect(await mockServer.mock.sandbox.stateHash()).toBe(before);
    }
  });

  it('lists the operations of the mock, those of a group, and the fields of one, with their sentences', async ({
    mockServer,
  }) => {
    const { lines } = await sandbox(mockServer, '--no-color');
    expect(lines).toContain('clock advance           Advances a manual clock');
    expect(lines.length).toBeGreaterThan(40);
    const clock = lines.filter((line) => line.startsWith('clock ')).map((line) => line.split(/ {2,}/));
    const shown = (await sandbox(mockServer, 'clock')).lines.map((line) => line.split(/ {2,}/));
    expect(shown).toEqual(clock);
    const help = await sandbox(mockServer, 'clock advance --help');
    expect(help.lines[0]).toBe('clock advance: Advances a manual clock.');
    expect(help.lines[1]).toMatch(/^ {2}duration=… {2}\(required\) .*'3s'/);
  });

  it('reads a value as its schema wants it', async ({ mockServer }) => {
    const name = '{"a":1}';
    const argv = ['sandbox', 'account', 'create', `name=${name}`, '--json'];
    const { stdout } = await runCli(argv, { env: mockServer.env, reveals: true });
    expect(JSON.parse(stdout)).toMatchObject({ name });
    for (const times of ['2', 'unlimited']) {
      const { document } = await sandbox(mockServer, `faults inject status status=503 times=${times} --json`);
      expect(document.id).toMatch(/^flt_/);
    }
    const profile = '{"numbers":"string","events":["completed"]}';
    for (const words of ['settings=@-', `settings=${profile}`, 'numbers=string settings.events=completed']) {
      const set = await sandbox(mockServer, `profile set ${words}`, { stdin: `\ufeff${profile}` });
      expect(set.code).toBe(0);
      const { document } = await sandbox(mockServer, 'profile show --json');
      expect(document).toMatchObject({ numbers: 'string', events: ['completed'] });
    }
  });

  it('exits 2 for a value that the mock rejects', async ({ mockServer }) => {
    for (const words of ['status times=many', 'status status=99', 'explode']) {
      const { code, stderr } = await sandbox(mockServer, `faults inject kind=${words}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining('(invalid_argument, HTTP 400)')]);
    }
    const { stderr } = await sandbox(mockServer, 'faults inject kind=status status=99');
    expect(stderr).toContain('status must be a whole number from 400 to 599, not 99.');
  });

  it('exits 2 for an invalid command, and changes nothing', async () => {
    const fetch = (request: Request): Response => {
      const { pathname } = new URL(request.url);
      if (pathname === '/_sandbox/health') return Response.json({ status: 'ok', version: '0' });
      expect(pathname).toBe('/_sandbox/openapi.json');
      return Response.json(controlDocument);
    };
    const withKey = (key: string): RunOptions => ({ env: { SERVICE_API_KEY: keepSecret(key) } });
    await expectRefusals({ command: 'sandbox', env: { SERVICE_API_KEY: testKey }, stdin: '{', fetch }, [
      ['clock advance', 'clock advance needs duration=…'],
      ['clock advnce 3s', 'Did you mean "clock advance"?'],
      ['clokc advance 3s', 'Did you mean "clock advance"?'],
      ['explode', '`service-cli sandbox` lists all operations.'],
      ['clock advance duraton=3s', 'clock advance: "duraton" is unknown. Did you mean "duration"?'],
      ['clock advance 3s 4s', '"4s" is not a field. Write NAME=VALUE.'],
      ['clock advance duration=', 'The value of duration is empty.'],
      ['clock advance 4', 'duration needs a unit. Write 4ms, 4s, 4m, 4h or 4d.'],
      ['clock advance duration=0.5', 'duration needs a unit. Write 0.5ms,'],
      ['deliveries list limit=1 limit=2', 'limit is given twice.'],
      ['clock advance 3s duration=4s', '"3s" is not a field. Write NAME=VALUE.'],
      ['account create balances.USD=1 balances.USD=2', 'balances.USD is given twice.'],
      ['account create balances.USD=1 balances={}', 'balances is given twice.'],
      ['account create balances={} balances.USD=1', 'balances.USD is given twice.'],
      ['profile set numbers=string settings.numbers=string', 'settings.numbers is given twice.'],
      ['requests wait timeout=1s --timeout 2s', 'timeout is given twice.'],
      ['requests wait --timeout 5', 'timeout needs a unit. Write 5ms, 5s, 5m, 5h or 5d.'],
      ['clock show --timeout 5s', 'clock show: "timeout" is unknown'],
      ['account create name=@missing.json', '"missing.json": no such file or directory'],
      ['account create @missing.json', '"@missing.json" is not a field.'],
      ['clock advance @missing.json', '"missing.json": no such file or directory'],
      ['account create profile=@missing.json', '"missing.json": no such file or directory'],
      ['account create name=@-', 'name must be valid JSON'],
      ['clock advance --by 3s', "unknown option '--by'."],
      ['profile set colour=red', '"colour" is unknown. Use one of: settings'],
      ['profile set number=red', 'Did you mean "numbers"?'],
      ['profile set settings={', 'settings must be valid JSON'],
      ['account create profile=@-', 'profile must be valid JSON'],
      ['requests list account=a --all-accounts', '--all-accounts cannot be used with account=ID'],
      ['requests list limit=5 --follow', 'Leave out limit and offset'],
      ['wallet list --all-accounts', 'wallet list has no --all-accounts'],
      ['clock show --follow', 'clock show has no --follow'],
      ['endpoint set url=http://localhost:9 secret=abc', 'Pass its file with --secret-file'],
      ['restore /nowhere.json', 'no such file or directory'],
      ['restore -', 'must be a JSON object'],
      ['payment advance ..', 'payment must be an id'],
      [
        'endpoint set url=http://localhost:9 --secret-file - --key-file -',
        "Only one option or argument can be '-'",
      ],
      ['account find', 'must start with service_test_', withKey('sk_live_4242424242')],
      ['account find', 'A live key is not sent to the default address', withKey('service_live_0123456789')],
      [
        'account find --base-url http://localhost:4010/api/v1',
        'A live key is never sent over plain http',
        withKey('service_live_0123456789'),
      ],
    ]);
  });

  it('injects faults for this account only, except with --all-accounts', async ({ mockServer }) => {
    const other = mockServer.mock.sandbox.accounts.create();
    const env = { ...mockServer.env, SERVICE_API_KEY: keepSecret(other.testKey) };
    const injected = await sandbox(mockServer, 'faults inject kind=status status=403 times=unlimited');
    expect(injected.lines).toEqual([expect.stringMatching(/^flt_\w+$/)]);
    const codes = async (): Promise<number[]> => [
      (await mockServer.run(['balance'])).code,
      (await runCli(['balance'], { env })).code,
    ];
    expect(await codes()).toEqual([1, 0]);
    await sandbox(mockServer, `faults remove ${injected.lines[0]}`);
    await sandbox(mockServer, 'faults inject status status=403 times=unlimited --all-accounts');
    expect(await codes()).toEqual([1, 1]);
    await sandbox(mockServer, 'faults clear --all-accounts');
    expect(await codes()).toEqual([0, 0]);
  });
});

describe('token of the control API', () => {
  const token = keepSecret('a-token-of-my-own-16');

  it('causes exit 1 if it is wrong', async () => {
    await using mockServer = await startMockServer({}, { control: { token } });
    const env = { ...mockServer.env, SERVICE_SANDBOX_TOKEN: 'another-token-of-16' };
    const { code, stderr } = await sandbox({ env }, 'clock show');
    expect(code).toBe(1);
    expect(stderr).toContain('is not the token of this mock');
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
      stderr: `error: … is wrong (no-…, HTTP 400)\n${toExplainLine('no_control')}`,
    });
  });
});

describe('sandbox without a usable control API', () => {
  const argv = ['sandbox', 'account', 'get'];

  it.each([
    [404, '{"success":false,"error":{"type":"not_found","message":"No."}}', 1],
    [200, '<html>Welcome</html>', 3],
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
      /^error: There is no control API at http:.*\/_sandbox\. .*\(no_control, HTTP \d+\)\nexplain: service-cli explain no_control\n$/,
    );
    expect(asked).toEqual(['GET /_sandbox/health']);
  });

  it('exits 3 with the cause if the connection is refused', async () => {
    const env = await closedEnvironment();
    const { code, stderr } = await runCli(argv, { env });
    expect(code).toBe(3);
    expect(stderr).toContain('cause: connect ECONNREFUSED');
    const { document } = await runCli([...argv, '--json'], { env });
    expect(document.error).toMatchObject({ name: 'ControlError', code: 'no_answer' });
  });

  it.each([
    ['sandbox wallet set USD 1', '{}'],
    ['sandbox clock show', '5'],
    ['sandbox requests list --all-accounts', '{"requests":5}'],
  ])('exits 3 and sends nothing more if the response to %s is %j', async (command, body) => {
    const asked: string[] = [];
    await using service = await openService((request, response) => {
      asked.push(request.url!);
      const isHealth = request.url === '/_sandbox/health';
      const isDocument = request.url === '/_sandbox/openapi.json';
      response.end(
        isHealth ? '{"status":"ok","version":"0"}' : isDocument ? JSON.stringify(controlDocument) : body,
      );
    });
    const { code, stderr } = await runCli(command.split(' '), { env: service.env });
    expect(code).toBe(3);
    expect(stderr).toContain('does not match its document. (unreadable_answer)');
    expect(asked).toHaveLength(3);
  });
});
