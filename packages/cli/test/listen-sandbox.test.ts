import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { describe, expect, it } from 'vitest';
import { withListener } from './listen.support.ts';
import {
  closedEnvironment,
  failedWrite,
  keepSecret,
  type MockServer,
  openService,
  runCli,
  startMockServer,
  toDocsLine,
} from './support.ts';

const payArgs = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--account', 'SIM-INSTANT'];

type Endpoint = { url: string; secret: string } | null;

/** Returns the endpoint of the first account with its secret, which no output may contain. */
function endpointOf({ mock }: Pick<MockServer, 'mock'>, mode: 'test' | 'live' = 'test'): Endpoint {
  const { endpoint } = mock.sandbox.snapshot().state.accounts[0]!.modes[mode];
  if (endpoint !== null) keepSecret(endpoint.secret);
  return endpoint;
}

describe('webhooks listen --sandbox', () => {
  it('prints the events of a payment and removes its endpoint at the end', async () => {
    await using mockServer = await startMockServer();
    const { env } = mockServer;
    const argv = ['--sandbox', '--until', 'payment.completed', '--json'];
    const { code, shown, stderr } = await withListener(argv, { env }, async ({ url }) => {
      expect(endpointOf(mockServer)?.url).toBe(url);
      expect((await runCli(payArgs, { env })).code).toBe(0);
      await mockServer.mock.sandbox.idle();
    });
    expect(code).toBe(0);
    expect(shown.map(({ event, answered }) => [event, answered])).toEqual([
      ['payment.pending', 200],
      ['payment.processing', 200],
      ['payment.completed', 200],
    ]);
    expect(stderr).toContain(
      `The mock at ${new URL(env.SERVICE_BASE_URL!).origin} sends the events of this account here.`,
    );
    expect(endpointOf(mockServer)).toBeNull();
  });

  it.each(['http://127.0.0.1:9/app', 'collect:'])('restores %s with its secret', async (former) => {
    await using mockServer = await startMockServer();
    const { webhooks } = mockServer.mock.sandbox;
    if (former === 'collect:') webhooks.collect();
    else webhooks.setEndpoint({ url: former });
    const before = endpointOf(mockServer);
    await withListener(['--sandbox'], { env: mockServer.env }, async ({ url }) => {
      expect(endpointOf(mockServer)).toMatchObject({ url });
    });
    expect(endpointOf(mockServer)).toEqual(before);
    expect(before?.url).toBe(former);
  });

  it('uses the given secret for the endpoint', async () => {
    await using mockServer = await startMockServer();
    const env = { ...mockServer.env, SERVICE_WEBHOOK_SECRET: keepSecret('a-secret-of-my-own') };
    const { shown } = await withListener(['--sandbox', '--count', '3', '--json'], { env }, async () => {
      expect(endpointOf(mockServer)?.secret).toBe('a-secret-of-my-own');
      await runCli(payArgs, { env });
      await mockServer.mock.sandbox.idle();
    });
    expect(shown.map(({ result }) => result)).toEqual(['event', 'event', 'event']);
  });

  it('prints the new signing secret with --print-secret only', async () => {
    await using mockServer = await startMockServer();
    let secret = '';
    const use = async (): Promise<void> => {
      secret = mockServer.mock.sandbox.snapshot().state.accounts[0]?.modes.test.endpoint?.secret ?? '';
    };
    const options = { env: mockServer.env, columns: 80, reveals: true };
    const shown = await withListener(['--sandbox', '--print-secret'], options, use);
    expect(secret).toMatch(/^\w{32,}$/);
    expect(shown.stderr).toContain(`\n  export SERVICE_WEBHOOK_SECRET=${secret}\n`);
    const silent = await withListener(['--sandbox'], options, use);
    expect(silent.stderr).not.toContain(secret);
  });

  it.each([
    [[], {}, '--print-secret needs --sandbox, which creates the signing secret.'],
    [
      ['--sandbox'],
      { SERVICE_WEBHOOK_SECRET: keepSecret('a-secret-of-my-own') },
      '--print-secret prints only a new signing secret, and you have set your own.',
    ],
  ])('exits 2 for --print-secret with %j and %o', async (argv, secrets, message) => {
    await using mockServer = await startMockServer();
    const env = { ...mockServer.env, SERVICE_WEBHOOK_SECRET: 'another secret', ...secrets };
    const { code, stderr } = await runCli(['webhooks', 'listen', '--print-secret', ...argv], { env });
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${message}`);
  });

  it('does not restore an endpoint that was changed in the meantime', async () => {
    await using mockServer = await startMockServer();
    const { stderr } = await withListener(['--sandbox'], { env: mockServer.env }, async () => {
      mockServer.mock.sandbox.webhooks.setEndpoint({ url: 'http://127.0.0.1:9/other' });
    });
    expect(endpointOf(mockServer)?.url).toBe('http://127.0.0.1:9/other');
    expect(stderr).toContain('was changed in the meantime, so it is not restored.');
  });

  it('prints the previous endpoint without its query', async () => {
    await using mockServer = await startMockServer();
    mockServer.mock.sandbox.webhooks.setEndpoint({ url: 'http://127.0.0.1:9/app?token=t-0123' });
    const { stderr } = await withListener(['--sandbox'], { env: mockServer.env }, async () => {});
    expect(stderr).toContain('The endpoint http://127.0.0.1:9/app is restored at the end.');
    expect(stderr).not.toContain('t-0123');
    mockServer.mock.sandbox.webhooks.collect();
    const again = await withListener(['--sandbox'], { env: mockServer.env }, async () => {});
    expect(again.stderr).toContain('The endpoint collect: is restored at the end.');
  });

  it('restores the endpoint if the output is lost', async () => {
    await using mockServer = await startMockServer();
    const { env } = mockServer;
    const onStdout = failedWrite('EPIPE');
    const { code } = await withListener(['--sandbox'], { env, onStdout }, async () => {
      await runCli(payArgs, { env });
      await mockServer.mock.sandbox.idle();
    });
    expect(code).toBe(0);
    expect(endpointOf(mockServer)).toBeNull();
  });

  it('warns if the endpoint cannot be restored', async () => {
    const mockServer = await startMockServer();
    const { stderr, code } = await withListener(['--sandbox'], { env: mockServer.env }, async () => {
      await mockServer[Symbol.asyncDispose]();
    });
    expect(code).toBe(0);
    expect(stderr).toContain('warning: the endpoint of the mock could not be restored. The control API at');
  });

  it('sets only the endpoint of the account of the API key', async () => {
    await using mockServer = await startMockServer({ accounts: 'open' });
    const env = { ...mockServer.env, SERVICE_API_KEY: keepSecret('service_test_of-somebody-else-0123') };
    const { shown } = await withListener(['--sandbox', '--count', '1', '--json'], { env }, async () => {
      expect(endpointOf(mockServer)).toBeNull();
      await runCli(payArgs, { env });
      await mockServer.mock.sandbox.idle();
    });
    expect(shown).toMatchObject([{ event: 'payment.pending' }]);
  });
});

describe('webhooks listen --sandbox with a token', () => {
  const token = keepSecret('a-token-of-my-own-16');

  it('sends SERVICE_SANDBOX_TOKEN, and names it if it is missing or wrong', async () => {
    await using mock = createMock({ seed: 42 });
    const server = await listen(mock, { port: 0, control: { token } });
    const env = { SERVICE_API_KEY: keepSecret(mock.account.testKey), SERVICE_BASE_URL: server.baseUrl };
    const argv = ['webhooks', 'listen', '--port', '0', '--sandbox'];
    for (const wrong of [{}, { SERVICE_SANDBOX_TOKEN: 'another-token-of-16' }]) {
      const { code, stderr } = await runCli(argv, { env: { ...env, ...wrong } });
      expect(code).toBe(1);
      expect(stderr).toContain('SERVICE_SANDBOX_TOKEN');
    }
    const broken = await runCli(argv, { env: { ...env, SERVICE_SANDBOX_TOKEN: `${token}\n` } });
    expect(broken).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SERVICE_SANDBOX_TOKEN must be'),
    });
    const right = { ...env, SERVICE_SANDBOX_TOKEN: token };
    await withListener(['--sandbox'], { env: right }, async ({ url }) => {
      expect(endpointOf({ mock })?.url).toBe(url);
    });
    expect(endpointOf({ mock })).toBeNull();
    await server.close();
  });
});

describe('webhooks listen --sandbox without a usable mock', () => {
  const argv = ['webhooks', 'listen', '--port', '0', '--sandbox'];

  it('exits 3 if the connection is refused', async () => {
    const { code, stderr } = await runCli(argv, { env: await closedEnvironment() });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: The control API at http:\/\/127\.0\.0\.1:\d+ did not respond/);
    expect(stderr).toContain('connect ECONNREFUSED');
  });

  it.each([
    [404, '{"success":false}', 1],
    [200, '{"status":"ok"}', 3],
    [200, 'hello', 3],
    [302, '', 3],
  ])(
    'sends neither key nor token to a server that responds %i %s, and exits %i',
    async (status, body, exit) => {
      const asked: string[] = [];
      await using service = await openService((request, response) => {
        asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
        response.writeHead(status, { location: '/elsewhere' }).end(body);
      });
      const env = { ...service.env, SERVICE_SANDBOX_TOKEN: keepSecret('a-token-of-my-own-16') };
      const { code, stderr } = await runCli(argv, { env });
      expect(code).toBe(exit);
      expect(stderr).toContain('There is no control API at');
      expect(asked).toEqual([expect.stringMatching(/^GET \/_sandbox\/health /)]);
      expect(asked[0]).not.toMatch(/a-token-of-my-own|service_test_/);
    },
  );

  it('exits 1 without a control API and for an unknown key, 2 for a live key', async () => {
    await using mock = createMock();
    const server = await listen(mock, { port: 0, control: 'off' });
    const off = { SERVICE_API_KEY: keepSecret(mock.account.testKey), SERVICE_BASE_URL: server.baseUrl };
    expect(await runCli(argv, { env: off })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('without --no-control'),
    });
    await server.close();
    await using mockServer = await startMockServer();
    const unknown = { ...mockServer.env, SERVICE_API_KEY: keepSecret('service_test_0123456789abcdefghij') };
    expect(await runCli(argv, { env: unknown })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not_found'),
    });
    const live = { ...mockServer.env, SERVICE_API_KEY: keepSecret(mockServer.mock.account.liveKey) };
    expect((await runCli(argv, { env: live })).code).toBe(2);
    const other = await runCli([...argv, '--mode', 'live'], { env: mockServer.env });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('would reject every event') });
    expect(endpointOf(mockServer)).toBeNull();
  });

  it('exits 1 if the mock rejects the address, and changes nothing', async () => {
    await using mockServer = await startMockServer();
    const refusing = async (request: Request): Promise<Response> =>
      request.method === 'PUT'
        ? Response.json(
            { error: { code: 'invalid_argument', message: 'this machine only' } },
            { status: 400 },
          )
        : fetch(request);
    const { code, stderr } = await runCli(argv, { env: mockServer.env, fetch: refusing });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: this machine only (invalid_argument, HTTP 400)\n${toDocsLine('mock/errors#invalid_argument')}`,
    );
    expect(endpointOf(mockServer)).toBeNull();
  });

  it('exits 3 on Ctrl+C while the mock does not respond', async () => {
    const controller = new AbortController();
    await using service = await openService(() => controller.abort('SIGINT'));
    const { code, stderr } = await runCli(argv, { env: service.env, signal: controller.signal });
    expect(code).toBe(3);
    expect(stderr).toContain('did not respond');
  });

  it.each([
    ['GET', '/endpoint', { endpoint: { url: 'nowhere' } }],
    ['GET', '/endpoint', { endpoint: { url: 7 } }],
  ])('exits 3 if the response to %s %s is %j', async (method, end, answer) => {
    await using mockServer = await startMockServer();
    const respondMalformed = async (request: Request): Promise<Response> =>
      request.method === method && new URL(request.url).pathname.endsWith(end)
        ? Response.json(answer)
        : fetch(request);
    const { code, stderr } = await runCli(argv, { env: mockServer.env, fetch: respondMalformed });
    expect(code).toBe(3);
    expect(stderr).toBe(
      'error: The response of the control API to getEndpoint does not match its document. (unreadable_answer)\n' +
        toDocsLine('cli/mock-and-sandbox#output-and-errors'),
    );
    expect(endpointOf(mockServer)).toBeNull();
  });

  it('removes an endpoint that was set although the response was lost', async () => {
    await using mockServer = await startMockServer();
    const losing = async (request: Request): Promise<Response> => {
      const response = await fetch(request);
      if (request.method === 'PUT')
        throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
      return response;
    };
    const { code, stderr } = await runCli(argv, { env: mockServer.env, fetch: losing });
    expect(code).toBe(3);
    expect(stderr).toContain('socket hang up');
    expect(endpointOf(mockServer)).toBeNull();
  });
});
