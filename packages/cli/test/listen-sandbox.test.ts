import { describe, expect } from 'vitest';
import { withListener } from './listen.support.ts';
import { failedWrite, it, keepSecret, type MockServer, startMockServer } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

const payArgs = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--account', 'SIM-INSTANT'];

type Endpoint = { url: string; secret: string } | null;

/** Returns the endpoint of the first account with its secret, which no output may contain. */
function endpointOf({ mock }: Pick<MockServer, 'mock'>, mode: 'test' | 'live' = 'test'): Endpoint {
  const { endpoint } = stateOf(mock.sandbox.snapshot()).accounts[0]!.modes[mode];
  if (endpoint !== null) keepSecret(endpoint.secret);
  return endpoint;
}

describe('webhooks listen --sandbox', () => {
  it('prints the events of a payment and removes its endpoint at the end', async ({ mockServer }) => {
    const { env } = mockServer;
    const argv = ['--sandbox', '--until', 'payment.completed', '--json'];
    const { code, shown, stderr } = await withListener(argv, { env }, async ({ url }) => {
      expect(endpointOf(mockServer)?.url).toBe(url);
      expect((await mockServer.run(payArgs)).code).toBe(0);
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

  it('restores the endpoint if the output is lost', async ({ mockServer }) => {
    const { env } = mockServer;
    const onStdout = failedWrite('EPIPE');
    const { code } = await withListener(['--sandbox'], { env, onStdout }, async () => {
      await mockServer.run(payArgs);
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

  it('does not restore an endpoint that was changed in the meantime', async ({ mockServer }) => {
    const { stderr } = await withListener(['--sandbox'], { env: mockServer.env }, async () => {
      mockServer.mock.sandbox.webhooks.setEndpoint({ url: 'http://127.0.0.1:9/other' });
    });
    expect(endpointOf(mockServer)?.url).toBe('http://127.0.0.1:9/other');
    expect(stderr).toContain('was changed in the meantime, so it is not restored.');
  });
});

describe('webhooks listen --sandbox without a usable mock', () => {
  const argv = ['webhooks', 'listen', '--port', '0', '--sandbox'];

  it('removes an endpoint that was set although the response was lost', async ({ mockServer }) => {
    const losing = async (request: Request): Promise<Response> => {
      const response = await fetch(request);
      if (request.method === 'PUT')
        throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
      return response;
    };
    const { code, stderr } = await mockServer.run(argv, { fetch: losing });
    expect(code).toBe(3);
    expect(stderr).toContain('socket hang up');
    expect(endpointOf(mockServer)).toBeNull();
  });
});
