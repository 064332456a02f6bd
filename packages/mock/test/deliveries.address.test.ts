import { createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSocketSender, type Lookup } from '../src/adapters/socket-sender.ts';
import { createAddressPolicy } from '../src/webhooks/address.ts';
import { sendWebhook } from '../src/webhooks/attempt.ts';
import { setUp, startReceiver } from './receiver.ts';
import { listenAtFreePort } from '../../../test/support/listen.ts';
import { createStillMock, order } from './support.ts';

const testAccount = order({ beneficiary_account: 'SIM-PENDING' });

describe('a webhook endpoint', () => {
  it.each([
    'http://LOCALHOST.:9/',
    'http://hooks.localhost/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'https://localhost/',
  ])('can be %s, a loopback host, in both modes', (url) => {
    const { mock } = createStillMock();
    expect(mock.sandbox.webhooks.setEndpoint({ url }).secret).toHaveLength(64);
    expect(mock.sandbox.webhooks.setEndpoint({ url, mode: 'live' }).secret).toHaveLength(64);
  });

  it('can be an allowed host by its exact name, in live mode only over https', () => {
    const allowHosts = [
      'Hooks.Example',
      'bücher.example',
      '10.0.0.1',
      'fd00::1',
      '[2001:db8::1]',
      '192.168.1',
    ];
    const { webhooks } = createStillMock({ webhooks: { allowHosts } }).mock.sandbox;
    for (const host of [
      'hooks.example',
      'HOOKS.example.',
      'bücher.example',
      'xn--bcher-kva.example',
      '10.0.0.1',
      '0x0a.1',
      '[fd00:0::1]',
      '[2001:db8::1]',
      '192.168.0.1',
    ]) {
      expect(webhooks.setEndpoint({ url: `http://${host}:8080/hooks?a=b` }).secret).toHaveLength(64);
      expect(webhooks.setEndpoint({ mode: 'live', url: `https://${host}/` }).secret).toHaveLength(64);
      expect(() => webhooks.setEndpoint({ mode: 'live', url: `http://${host}/` })).toThrow(
        /live mode requires https, except for loopback hosts/,
      );
    }
    for (const host of ['a.hooks.example', 'example', 'hooks.example.com', '10.0.0.2', '[fd00::2]']) {
      expect(() => webhooks.setEndpoint({ url: `https://${host}/` })).toThrow(
        /only loopback hosts are allowed/,
      );
    }
  });

  it('is checked again before each attempt, because it can come from a snapshot', async () => {
    const allowing = createStillMock({ webhooks: { allowHosts: ['hooks.example'] } }).mock;
    allowing.sandbox.webhooks.setEndpoint({ url: 'http://hooks.example/' });
    const { mock, post } = createStillMock();
    mock.sandbox.restore(allowing.sandbox.snapshot());
    await post('/payments', testAccount);
    await mock.sandbox.idle();
    expect(mock.sandbox.webhooks.deliveries()).toMatchObject([
      { state: 'retrying', attempts: [{ result: { outcome: 'failed', reason: 'address' } }] },
    ]);
  });
});

describe('a webhook connection', () => {
  type Addresses = readonly string[] | Error;

  /** Sends to `host` at the port of a receiver, with a stubbed resolver that returns one result per call. */
  async function sendTo(
    host: string,
    ...answers: Addresses[]
  ): Promise<{ result: Awaited<ReturnType<typeof sendWebhook>>; asked: string[]; received: unknown[] }> {
    const { url, received } = await startReceiver();
    const asked: string[] = [];
    const lookup: Lookup = (hostname, _, callback) => {
      asked.push(hostname);
      const answer = answers.shift() ?? new Error('asked too often');
      if (answer instanceof Error) callback(answer, []);
      else
        callback(
          null,
          answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
    };
    const { allowsAddress } = createAddressPolicy(['hooks.example']);
    const sender = createSocketSender(allowsAddress, lookup)!;
    const webhook = {
      url: `http://${host}:${new URL(url).port}/`,
      body: '{"event":"x"}',
      secret: 'a secret',
      ack: 200,
    } as const;
    return {
      result: await sendWebhook(webhook, sender, 5000),
      asked,
      received,
    };
  }

  /** Sends an event to a server of sockets, and returns its deliveries. */
  async function deliverTo(server: Server) {
    const port = await listenAtFreePort(server);
    const { mock, post } = createStillMock();
    mock.sandbox.webhooks.setEndpoint({ url: `http://127.0.0.1:${port}/` });
    await post('/payments', testAccount);
    await mock.sandbox.idle();
    return mock.sandbox.webhooks.deliveries();
  }

  const rejected = { outcome: 'failed', reason: 'address' };
  const arrived = { outcome: 'acknowledged', httpStatus: 200 };

  it('uses the checked address and resolves it once', async () => {
    const { result, asked, received } = await sendTo('hooks.example', ['127.0.0.1'], ['169.254.169.254']);
    expect([result, asked]).toEqual([arrived, ['hooks.example']]);
    expect(received).toHaveLength(1);
  });

  it.each([
    ['localhost', ['203.0.113.1']],
    ['localhost', ['127.0.0.1', '10.0.0.1']],
    ['localhost', ['::ffff:10.0.0.1']],
    ['elsewhere.example', ['127.0.0.1']],
  ])('from %s to %j is rejected', async (host, addresses) => {
    const { result, received } = await sendTo(host, addresses);
    expect([result, received]).toEqual([rejected, []]);
  });

  it('to localhost uses the address of the system', async () => {
    const { mock, post, url, received } = await setUp();
    mock.sandbox.webhooks.setEndpoint({ url: url.replace('127.0.0.1', 'localhost') });
    await post('/payments', testAccount);
    await mock.sandbox.idle();
    expect(received).toHaveLength(1);
  });

  it.each(['hooks.localhost', 'a.b.localhost', 'HOOKS.localhost.'])(
    'to %s uses 127.0.0.1 without a resolver',
    async (host) => {
      const { result, asked, received } = await sendTo(host, ['10.0.0.1']);
      expect([result, asked]).toEqual([arrived, []]);
      expect(received).toHaveLength(1);
    },
  );

  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{', { outcome: 'acknowledged', httpStatus: 200 }],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz',
      { outcome: 'acknowledged', httpStatus: 200 },
    ],
    ['HTTP/1.1 999 Odd\r\n\r\n', { outcome: 'refused', httpStatus: 999 }],
    [
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      { outcome: 'failed', reason: 'network' },
    ],
    ['no HTTP\r\n\r\n', { outcome: 'failed', reason: 'network' }],
    ['', { outcome: 'failed', reason: 'network', detail: 'connection closed without a response' }],
  ])('with the response %j has the expected result', async (answer, result) => {
    const server = createServer(
      (socket) => void socket.on('error', () => {}).once('data', () => socket.end(answer)),
    );
    onTestFinished(() => void server.close());
    const [delivery] = await deliverTo(server);
    expect(delivery?.attempts[0]?.result).toEqual(result);
  });

  it('closes early if the response does not end', async () => {
    const server = createServer((socket) => {
      const write = (): void => void (socket.writable && socket.write('x'.repeat(65_536), write));
      socket
        .on('error', () => {})
        .once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          write();
        });
    });
    const [delivery] = await deliverTo(server);
    expect(delivery?.state).toBe('acknowledged');
    // Resolves when no connection is open.
    await new Promise((closed) => void server.close(closed));
  });
});
