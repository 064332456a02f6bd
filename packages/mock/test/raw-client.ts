import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A raw connection to a server of this machine. */
export interface RawClient {
  readonly socket: Socket;
  /** Returns the received text when it contains a part. */
  readonly receive: (part: string) => Promise<string>;
  /** Returns the received text when the server has ended its half. */
  readonly ended: Promise<string>;
  /** Returns the received text at the end of the connection, or rejects with the error that ended it. */
  readonly closed: Promise<string>;
}

/** Connects a client. By default it ends its half of the connection when the server does. */
export async function dial(port: number, { allowHalfOpen = false } = {}): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('latin1').on('data', (part) => (received += String(part)));
  const closed = new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => resolve(received));
  });
  closed.catch(() => {});
  const ended = new Promise<string>((resolve) => void socket.once('end', () => resolve(received)));
  await once(socket, 'connect');
  const receive = async (part: string): Promise<string> => {
    while (!received.includes(part)) await once(socket, 'data');
    return received;
  };
  return { socket, receive, ended, closed };
}
