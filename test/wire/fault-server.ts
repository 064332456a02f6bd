import { createServer, type Socket } from 'node:net';
import { listenAtFreePort } from '../support/listen.ts';
import { createGoodBody, type FaultyResponder } from './faults.ts';

/** A server on raw sockets, independent of the mock, that records complete requests and responds with faults. */
export interface FaultServer {
  readonly baseUrl: string;
  /** The request lines, in order. */
  readonly lines: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startFaultServer(respond: FaultyResponder): Promise<FaultServer> {
  const sockets = new Set<Socket>();
  const lines: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const [head = '', body] = received.split('\r\n\r\n');
      if (body === undefined) return;
      if (body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)) return;
      const [line = ''] = head.split('\r\n');
      received = '';
      lines.push(line);
      respond(socket, createGoodBody(line));
    });
  });
  const port = await listenAtFreePort(server);
  const self: FaultServer = {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    lines,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}
