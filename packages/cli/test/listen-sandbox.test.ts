import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { describe, expect, it } from 'vitest';
import { withListener } from './listen.support.ts';
import {
  closedEnvironment,
  failedWrite,
  keepSecret,
  openService,
  openWorld,
  runCli,
  type World,
} from './support.ts';

const order = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--account', 'SIM-INSTANT'];

type Endpoint = { url: string; secret: string } | null;

/** What the sandbox holds as the endpoint of its own account; no output may show its secret. */
function endpointOf({ mock }: Pick<World, 'mock'>, mode: 'test' | 'live' = 'test'): Endpoint {
  const { endpoint } = mock.sandbox.snapshot().state.accounts[0]!.modes[mode];
  if (endpoint !== null) keepSecret(endpoint.secret);
  return endpoint;
}

describe('webhooks listen --sandbox', () => {
  it('shows the events of a payment without any other set-up, and leaves no endpoint behind', async () => {
    await using world = await openWorld();
    const { env } = world;
    const argv = ['--sandbox', '--until', 'payment.completed', '--json'];
    const { code, shown, stderr } = await withListener(argv, { env }, async ({ url }) => {
      expect(endpointOf(world)?.url).toBe(url);
      expect((await runCli(order, { env })).code).toBe(0);
      await world.mock.sandbox.idle();
    });
    expect(code).toBe(0);
    expect(shown.map(({ event, answered }) => [event, answered])).toEqual([
      ['payment.pending', 200],
      ['payment.processing', 200],
      ['payment.completed', 200],
    ]);
    expect(stderr).toContain(
      `The sandbox at ${new URL(env.SERVICE_BASE_URL!).origin} sends the events of this key here.`,
    );
    expect(endpointOf(world)).toBeNull();
  });

  it.each(['http://127.0.0.1:9/app', 'collect:'])(
    'puts back %s with the secret that it had',
    async (former) => {
      await using world = await openWorld();
      const { webhooks } = world.mock.sandbox;
      if (former === 'collect:') webhooks.collect();
      else webhooks.setEndpoint({ url: former });
      const before = endpointOf(world);
      await withListener(['--sandbox'], { env: world.env }, async ({ url }) => {
        expect(endpointOf(world)).toMatchObject({ url });
      });
      expect(endpointOf(world)).toEqual(before);
      expect(before?.url).toBe(former);
    },
  );

  it('gives the endpoint a secret of your own, which the app behind it knows', async () => {
    await using world = await openWorld();
    const env = { ...world.env, SERVICE_WEBHOOK_SECRET: keepSecret('a-secret-of-my-own') };
    const { shown } = await withListener(['--sandbox', '--count', '3', '--json'], { env }, async () => {
      expect(endpointOf(world)?.secret).toBe('a-secret-of-my-own');
      await runCli(order, { env });
      await world.mock.sandbox.idle();
    });
    expect(shown.map(({ result }) => result)).toEqual(['event', 'event', 'event']);
  });

  it('leaves alone an endpoint that somebody has set meanwhile', async () => {
    await using world = await openWorld();
    const { stderr } = await withListener(['--sandbox'], { env: world.env }, async () => {
      world.mock.sandbox.webhooks.setEndpoint({ url: 'http://127.0.0.1:9/other' });
    });
    expect(endpointOf(world)?.url).toBe('http://127.0.0.1:9/other');
    expect(stderr).toContain('set or removed by somebody else meanwhile, and is left so.');
  });

  it('says where the events went, which may be a listener that is gone; a query is not shown', async () => {
    await using world = await openWorld();
    world.mock.sandbox.webhooks.setEndpoint({ url: 'http://127.0.0.1:9/app?token=t-0123' });
    const { stderr } = await withListener(['--sandbox'], { env: world.env }, async () => {});
    expect(stderr).toContain('They went to http://127.0.0.1:9/app so far, and will again when this ends.');
    expect(stderr).not.toContain('t-0123');
    world.mock.sandbox.webhooks.collect();
    const again = await withListener(['--sandbox'], { env: world.env }, async () => {});
    expect(again.stderr).toContain('They went to collect: so far');
  });

  it('puts the endpoint back also when its output is lost', async () => {
    await using world = await openWorld();
    const { env } = world;
    const onStdout = failedWrite('EPIPE');
    const { code } = await withListener(['--sandbox'], { env, onStdout }, async () => {
      await runCli(order, { env });
      await world.mock.sandbox.idle();
    });
    expect(code).toBe(0);
    expect(endpointOf(world)).toBeNull();
  });

  it('says so when the endpoint cannot be put back', async () => {
    const world = await openWorld();
    const { stderr, code } = await withListener(['--sandbox'], { env: world.env }, async () => {
      await world[Symbol.asyncDispose]();
    });
    expect(code).toBe(0);
    expect(stderr).toContain('warning: the endpoint in the sandbox was not put back. The control at');
  });

  it('sets the endpoint of the account of the key, and no other', async () => {
    await using world = await openWorld({ accounts: 'open' });
    const env = { ...world.env, SERVICE_API_KEY: keepSecret('service_test_of-somebody-else-0123') };
    const { shown } = await withListener(['--sandbox', '--count', '1', '--json'], { env }, async () => {
      expect(endpointOf(world)).toBeNull();
      await runCli(order, { env });
      await world.mock.sandbox.idle();
    });
    expect(shown).toMatchObject([{ event: 'payment.pending' }]);
  });
});

describe('webhooks listen --sandbox with a token', () => {
  const token = keepSecret('a-token-of-my-own-16');

  it('steers the sandbox with it, and says where to put it', async () => {
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

describe('webhooks listen --sandbox without a sandbox', () => {
  const argv = ['webhooks', 'listen', '--port', '0', '--sandbox'];

  it('exits 3 when nobody answers', async () => {
    const { code, stderr } = await runCli(argv, { env: await closedEnvironment() });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: The control at http:\/\/127\.0\.0\.1:\d+ gave no answer/);
    expect(stderr).toContain('connect ECONNREFUSED');
  });

  it.each([
    [404, '{"success":false}', 1],
    [200, '{"status":"ok"}', 3],
    [200, 'hello', 3],
    [302, '', 3],
  ])('shows neither key nor token to what answers %i %s, and exits %i', async (status, body, exit) => {
    const asked: string[] = [];
    await using service = await openService((request, response) => {
      asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.writeHead(status, { location: '/elsewhere' }).end(body);
    });
    const env = { ...service.env, SERVICE_SANDBOX_TOKEN: keepSecret('a-token-of-my-own-16') };
    const { code, stderr } = await runCli(argv, { env });
    expect(code).toBe(exit);
    expect(stderr).toContain('No control of a sandbox answers at');
    expect(asked).toEqual([expect.stringMatching(/^GET \/_sandbox\/health /)]);
    expect(asked[0]).not.toMatch(/a-token-of-my-own|service_test_/);
  });

  it('exits 1 for one that is not steered and an unknown key, 2 for a live key', async () => {
    await using mock = createMock();
    const server = await listen(mock, { port: 0, control: 'off' });
    const off = { SERVICE_API_KEY: keepSecret(mock.account.testKey), SERVICE_BASE_URL: server.baseUrl };
    expect(await runCli(argv, { env: off })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('without --no-control'),
    });
    await server.close();
    await using world = await openWorld();
    const unknown = { ...world.env, SERVICE_API_KEY: keepSecret('service_test_0123456789abcdefghij') };
    expect(await runCli(argv, { env: unknown })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not_found'),
    });
    const live = { ...world.env, SERVICE_API_KEY: keepSecret(world.mock.account.liveKey) };
    expect((await runCli(argv, { env: live })).code).toBe(2);
    const other = await runCli([...argv, '--mode', 'live'], { env: world.env });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('would refuse every event') });
    expect(endpointOf(world)).toBeNull();
  });

  it('exits 1 where the sandbox delivers to no such address, and changes nothing', async () => {
    await using world = await openWorld();
    const refusing = async (request: Request): Promise<Response> =>
      request.method === 'PUT'
        ? Response.json(
            { error: { code: 'invalid_argument', message: 'this machine only' } },
            { status: 400 },
          )
        : fetch(request);
    const { code, stderr } = await runCli(argv, { env: world.env, fetch: refusing });
    expect(code).toBe(1);
    expect(stderr).toBe('error: this machine only (invalid_argument, HTTP 400)\n');
    expect(endpointOf(world)).toBeNull();
  });

  it('ends on Ctrl+C while the sandbox does not answer', async () => {
    const controller = new AbortController();
    await using service = await openService(() => controller.abort('SIGINT'));
    const { code, stderr } = await runCli(argv, { env: service.env, signal: controller.signal });
    expect(code).toBe(3);
    expect(stderr).toContain('gave no answer');
  });

  it.each([
    ['GET', '/endpoint', { endpoint: { url: 'nowhere' } }],
    ['GET', '/endpoint', { endpoint: { url: 7 } }],
  ])('exits 3 where %s %s is answered with %j', async (method, end, answer) => {
    await using world = await openWorld();
    const junk = async (request: Request): Promise<Response> =>
      request.method === method && new URL(request.url).pathname.endsWith(end)
        ? Response.json(answer)
        : fetch(request);
    const { code, stderr } = await runCli(argv, { env: world.env, fetch: junk });
    expect(code).toBe(3);
    expect(stderr).toBe(
      'error: The control answered getEndpoint otherwise than its document says. (unreadable_answer)\n',
    );
    expect(endpointOf(world)).toBeNull();
  });

  it('takes back an endpoint that was set although its answer was lost', async () => {
    await using world = await openWorld();
    const losing = async (request: Request): Promise<Response> => {
      const response = await fetch(request);
      if (request.method === 'PUT')
        throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
      return response;
    };
    const { code, stderr } = await runCli(argv, { env: world.env, fetch: losing });
    expect(code).toBe(3);
    expect(stderr).toContain('socket hang up');
    expect(endpointOf(world)).toBeNull();
  });
});
