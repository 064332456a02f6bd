import { once } from 'node:events';
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
