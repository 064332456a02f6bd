import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { closeServer, createDrain, type Drain, trackRequests } from '../src/adapters/drain.ts';
import { createRequestServer } from '../src/adapters/node-server.ts';
import type { MockResponse } from '../src/http/request.ts';

interface Served {
  readonly port: number;
  readonly drain: Drain;
  /** The paths of the processed requests. */
  readonly paths: string[];
  readonly close: (grace: number) => Promise<void>;
}

/** Serves responses that contain the path of the request, changed by a function. */
async function serve(
  createResponse?: (body: string) => Partial<MockResponse> | Promise<Partial<MockResponse>>,
): Promise<Served> {
  const drain = createDrain();
  const paths: string[] = [];
  const server = createRequestServer({
    onDefect() {},
    handle: async ({ path }) => {
      paths.push(path);
      const body = `answer to ${path};`;
      const created = await createResponse?.(body);
      return { response: { status: 200, headers: {}, body, ...created }, flushed() {} };
    },
    isHeld: () => drain.isHeld,
  });
  trackRequests(server, drain);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { port, drain, paths, close: (grace) => closeServer(server, drain, grace) };
}

interface RawClient {
  readonly socket: Socket;
  /** Returns the received text when it contains a part. */
  readonly receive: (part: string) => Promise<string>;
  /** Returns the received text at the end of the connection. */
  readonly ended: Promise<string>;
}

/** Connects a client that keeps its half of the connection open. */
function open({ port }: Served, text: string): RawClient {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.setEncoding('utf8').on('data', (part) => (received += String(part)));
  socket.on('error', () => {});
  socket.write(text);
  onTestFinished(() => void socket.destroy());
  return {
    socket,
    receive: async (part) => {
      while (!received.includes(part)) await once(socket, 'data');
      return received;
    },
    ended: new Promise((resolve) => void socket.once('end', () => resolve(received))),
  };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('the end of a server', () => {
  it('answers the next request of an idle connection, and then ends the connection', async () => {
    const served = await serve();
    const client = open(served, get('/first'));
    expect(await client.receive('answer to /first')).not.toContain('Connection: close');
    const closed = served.close(60_000);
    client.socket.write(get('/second'));
    expect(await client.ended).toMatch(/Connection: close[^]*answer to \/second;$/);
    client.socket.end();
    await closed;
    expect(served.drain.cut).toBe(0);
  });

  it('answers each client that connects for each of its requests', async () => {
    const served = await serve();
    const codes = new Set<string | undefined>();
    let answers = 0;
    const { promise: warm, resolve } = Promise.withResolvers<void>();
    const isAnswered = (): Promise<boolean> =>
      new Promise((settle) => {
        const sent = request({ port: served.port, host: '127.0.0.1', agent: new Agent() }).end();
        sent.once('response', (response) => {
          response.resume().once('close', () => settle(response.complete));
        });
        sent.once('error', ({ code }: NodeJS.ErrnoException) => {
          codes.add(code);
          settle(false);
        });
      });
    const repeat = async (): Promise<void> => {
      while (await isAnswered()) {
        answers += 1;
        if (answers === 100) resolve();
      }
    };
    const clients = Promise.all(Array.from({ length: 16 }, repeat));
    await warm;
    await served.close(60_000);
    await clients;
    expect([...codes]).toEqual(['ECONNREFUSED']);
    expect(served.drain.cut).toBe(0);
  });

  it('answers all requests that a connection has sent without waiting', async () => {
    const held: (() => void)[] = [];
    const served = await serve(async () => {
      await new Promise<void>((release) => void held.push(release));
      return {};
    });
    const client = open(served, get('/first') + get('/second'));
    await expect.poll(() => held).toHaveLength(2);
    const closed = served.close(60_000);
    await expect.poll(() => served.drain.isAnnounced).toBe(true);
    client.socket.write(get('/third'));
    await expect.poll(() => held).toHaveLength(3);
    for (const release of held) release();
    const received = await client.ended;
    expect(received.match(/answer to \/\w+;/g)).toEqual([
      'answer to /first;',
      'answer to /second;',
      'answer to /third;',
    ]);
    expect(received.match(/Connection: close/g)).toHaveLength(1);
    client.socket.end();
    await closed;
    expect(served.drain.cut).toBe(0);
  });

  it('counts a request after the response that ends the connection, and does not process it', async () => {
    const served = await serve(() => (served.drain.isAnnounced ? { damage: 'stalled' } : {}));
    const client = open(served, get('/first'));
    await client.receive('/first');
    const closed = served.close(500);
    await expect.poll(() => served.drain.isAnnounced).toBe(true);
    client.socket.write(get('/second'));
    await client.receive('Connection: close');
    client.socket.write(get('/third'));
    await expect.poll(() => served.drain.cut).toBe(1);
    await closed;
    expect(served.drain.cut).toBe(2);
    expect(served.paths).toEqual(['/first', '/second']);
  });

  it('counts a request that crosses the end of an idle connection, and does not process it', async () => {
    const served = await serve();
    const client = open(served, get('/first'));
    await client.receive('answer to /first');
    const closed = served.close(500);
    await client.ended;
    client.socket.write(get('/second'));
    await closed;
    expect(served.drain.cut).toBe(1);
    expect(served.paths).toEqual(['/first']);
  });

  it.each([
    ['a part of a head', 'GET /first HTTP/1.1\r\nHost:'],
    ['a part of a head after a request', `${get('/first')}GET`],
  ])('counts %s at the end of the grace period', async (_, text) => {
    const served = await serve();
    const client = open(served, text);
    if (text.startsWith(get('/first'))) await client.receive('answer to /first');
    await expect
      .poll(() => [...served.drain.connections.keys()].map((socket) => socket.bytesRead))
      .toEqual([text.length]);
    await served.close(100);
    expect(served.drain.cut).toBe(1);
  });

  it('counts a response that its client has not received at the end of the grace period', async () => {
    const served = await serve((body) => ({ body: body.repeat(5e6) }));
    const { socket } = open(served, get('/first'));
    await once(socket.pause(), 'readable');
    await served.close(100);
    expect(served.drain.cut).toBe(1);
  });

  it('counts no idle connection and no connection without a request', async () => {
    const served = await serve();
    await open(served, get('/first')).receive('answer to /first');
    open(served, '');
    await expect.poll(() => served.drain.connections.size).toBe(2);
    await served.close(100);
    expect(served.drain.cut).toBe(0);
  });

  it('needs no timer that a test has replaced', async () => {
    const served = await serve();
    const client = open(served, get('/first'));
    await client.receive('answer to /first');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    await served.close(100);
    expect(await client.ended).toMatch(/answer to \/first;$/);
  });
});
