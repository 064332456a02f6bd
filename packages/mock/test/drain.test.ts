import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMock } from '@service/mock';
import { listen, type MockServer } from '@service/mock/node';
import { dial, type RawClient } from './raw-client.ts';

function serve(grace: number): Promise<MockServer> {
  return listen(createMock(), { port: 0, grace });
}

/** Connects a client that keeps its half of the connection open, and sends a text. */
async function open({ port }: MockServer, text: string): Promise<RawClient> {
  const client = await dial(port, { allowHalfOpen: true });
  client.socket.write(text);
  return client;
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('the end of a server', () => {
  it.each([
    ['that has sent nothing', '', ''],
    ['with half a head', get('/_sandbox/health').slice(0, -2), ''],
    ['with half a request line', 'POST /api', ''],
    ['that is idle after a response', get('/_sandbox/health'), '"status":"ok"'],
    ['with half a head after a response', get('/_sandbox/health') + 'GET / HTTP', '"status":"ok"'],
    [
      'with a request to upgrade',
      get('/_sandbox/health').replace(/\r\n$/, 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      '"status":"ok"',
    ],
  ])('ends a connection %s, long before the grace period', async (_, text, wanted) => {
    const server = await serve(600_000);
    const client = await open(server, text);
    await client.receive(wanted);
    // The connection has been accepted, and its text read.
    await fetch(`${server.url}/_sandbox/health`, { headers: { connection: 'close' } });
    client.socket.on('end', () => client.socket.end());
    await expect(server.close()).resolves.toBeUndefined();
  });

  it('answers a request whose body arrives during the grace period', async () => {
    const mock = createMock();
    const server = await listen(mock, { port: 0, grace: 600_000 });
    const head = [
      'POST /api/v1/payments HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${mock.account.testKey}`,
      'Content-Type: application/json',
      'Expect: 100-continue',
      'Content-Length: 2',
    ];
    const client = await open(server, `${head.join('\r\n')}\r\n\r\n{`);
    await client.receive('100 Continue');
    const closed = server.close();
    await fetch(server.url).catch(() => {});
    client.socket.write('}');
    expect(await client.ended).toMatch(/HTTP\/1\.1 422 /);
    client.socket.end();
    await closed;
  });

  it('answers all pipelined requests', async () => {
    const mock = createMock({ clock: 'manual' });
    const server = await listen(mock, { port: 0, grace: 600_000 });
    mock.sandbox.faults.inject({ kind: 'latency', ms: 1000, times: 3 });
    const balance = get('/api/v1/balance').replace(
      /\r\n$/,
      `Authorization: Bearer ${mock.account.testKey}\r\n\r\n`,
    );
    const client = await open(server, balance + balance + balance);
    await expect.poll(() => mock.sandbox.requests.list().length).toBe(3);
    const closed = server.close();
    await mock.sandbox.clock.advance(1000);
    const text = await client.ended;
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    client.socket.end();
    await closed;
  });

  it('cuts a client that reads nothing after the grace period', async () => {
    const server = await serve(200);
    const client = await open(server, '');
    client.socket.pause().removeAllListeners('data');
    client.socket.write(get('/_sandbox/openapi.json').repeat(300));
    await expect.poll(() => client.socket.writableLength).toBe(0);
    await fetch(`${server.url}/_sandbox/openapi.json`).then((response) => response.text());
    await expect(server.close()).resolves.toBeUndefined();
  });

  it('needs no timer that a test has replaced', async () => {
    const server = await serve(100);
    const client = await open(server, get('/_sandbox/health'));
    await client.receive('"status":"ok"');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    await server.close();
    expect(await client.ended).toMatch(/"status":"ok"/);
  });
});
