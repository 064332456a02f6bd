import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMock } from '@service/mock';
import { listen, type MockServer } from '@service/mock/node';

function serve(grace: number): Promise<MockServer> {
  return listen(createMock(), { port: 0, grace });
}

interface RawClient {
  readonly socket: Socket;
  /** Returns the received text when it contains a part. */
  readonly receive: (part: string) => Promise<string>;
  /** Returns the received text at the end of the connection. */
  readonly ended: Promise<string>;
}

/** Connects a client that keeps its half of the connection open. */
function open({ port }: MockServer, text: string): RawClient {
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
    const server = await serve(60_000);
    const client = open(server, get('/_sandbox/health'));
    expect(await client.receive('"status":"ok"')).not.toContain('Connection: close');
    const closed = server.close();
    client.socket.write(get('/_sandbox/ready'));
    expect(await client.ended).toMatch(/Connection: close[^]*The server is closing/);
    client.socket.end();
    await closed;
    expect(server.cut).toBe(0);
  });

  it('needs no timer that a test has replaced', async () => {
    const server = await serve(100);
    const client = open(server, get('/_sandbox/health'));
    await client.receive('"status":"ok"');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    await server.close();
    expect(await client.ended).toMatch(/"status":"ok"/);
  });
});
