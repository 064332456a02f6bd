import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A response without `Date` and without the headers of the connection. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * A keep-alive connection with one request at a time. It is written over `node:net`, because `node:http` as a client needs
 * more CPU time than the bare server and would hide the cost of the servers.
 */
export interface Connection extends Disposable {
  /** Sends the bytes of a request and returns the bytes of its response. */
  readonly exchange: (request: string) => Promise<string>;
}

/** Opens a connection to a server on this machine. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setEncoding('latin1');
  await once(socket, 'connect');
  return { exchange: (request) => exchange(socket, request), [Symbol.dispose]: () => socket.destroy() };
}

function exchange(socket: Socket, request: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  const append = (part: string): void => {
    text += part;
    if (!isComplete(text)) return;
    socket.off('data', append).off('close', fail);
    resolve(text);
  };
  const fail = (): void => reject(new Error('The server closed the connection during a request.'));
  socket.on('data', append).on('close', fail);
  socket.write(request);
  return promise;
}

function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (length === undefined) throw new Error('The response has no Content-Length.');
  return text.length >= end + 4 + Number(length);
}

const connectionHeaders = new Set(['date', 'connection', 'keep-alive']);

/** Parses the bytes of a response. */
export function parseResponse(text: string): WireResponse {
  const end = text.indexOf('\r\n\r\n');
  const [start = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(start.split(' ')[1]),
    headers: Object.fromEntries(headers.filter(([name]) => !connectionHeaders.has(name.toLowerCase()))),
    body: text.slice(end + 4),
  };
}
