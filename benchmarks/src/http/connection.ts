import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Is an answer as it came over the wire; `Date` and what describes the connection are left out. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Is one keep-alive connection that carries one request at a time. It does as little as possible: `node:http` as a client
 * costs more than the bare server, and would hide what the servers cost.
 */
export interface Connection extends Disposable {
  /** Sends the bytes of a request and returns those of its answer. */
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
  const take = (part: string): void => {
    text += part;
    if (!isComplete(text)) return;
    socket.off('data', take).off('close', lose);
    resolve(text);
  };
  const lose = (): void => reject(new Error('the server closed a connection'));
  socket.on('data', take).on('close', lose);
  socket.write(request);
  return promise;
}

function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (length === undefined) throw new Error('an answer without a Content-Length');
  return text.length >= end + 4 + Number(length);
}

const OWN_HEADERS = new Set(['date', 'connection', 'keep-alive']);

/** Parses the bytes of an answer. */
export function parseReply(text: string): Reply {
  const end = text.indexOf('\r\n\r\n');
  const [start = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(start.split(' ')[1]),
    headers: Object.fromEntries(headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))),
    body: text.slice(end + 4),
  };
}
