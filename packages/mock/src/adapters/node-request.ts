import type { IncomingMessage } from 'node:http';
import type { MockRequest } from '../http/request.ts';

/** Says what a request asks for: a path as a URL parser leaves it, and the query without its question mark. */
export type RequestTarget = Pick<MockRequest, 'path' | 'search'>;

/** Matches the targets that a URL parser leaves as they are. */
const PLAIN = /^\/[\w/-]*(?:\?[\w\-.~!$&()*+,;=:@/?%]*)?$/;

/**
 * Reads a request target, in origin form or as a whole address, as the other ways in read theirs. What is no address of
 * this kind, such as `*`, stands as it was sent: no path of the service equals it.
 */
export function readTarget(sent: string): RequestTarget {
  if (PLAIN.test(sent)) {
    const mark = sent.indexOf('?');
    return mark < 0
      ? { path: sent, search: '' }
      : { path: sent.slice(0, mark), search: sent.slice(mark + 1) };
  }
  const url = URL.parse(sent.startsWith('/') ? `http://localhost${sent}` : sent);
  if (url === null || !/^https?:$/.test(url.protocol)) return { path: sent, search: '' };
  return { path: url.pathname, search: url.search.slice(1) };
}

/**
 * Describes a request of `node:http` as a call. The server must join duplicate headers, as `Headers` does; `invite` is called
 * before the body is waited for.
 */
export function toNodeRequest(
  incoming: IncomingMessage,
  target: RequestTarget,
  sendContinue: () => void,
): MockRequest {
  return {
    transport: 'http',
    method: incoming.method ?? '',
    path: target.path,
    search: target.search,
    header: (name) => {
      const value = incoming.headers[name];
      return typeof value === 'string' ? value : null;
    },
    headers: () => listHeaders(incoming),
    readBody: (limit) => {
      sendContinue();
      return readBody(incoming, limit);
    },
  };
}

function listHeaders({ headersDistinct }: IncomingMessage): [string, string][] {
  return Object.entries(headersDistinct).map(([name, values = []]) => [
    name,
    values.join(name === 'cookie' ? '; ' : ', '),
  ]);
}

/** Reads a body; undefined as soon as it is longer than `limit` bytes. Rejects when the caller goes before its end. */
function readBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  // A request without a body ends before anybody listens (`optimizeEmptyRequests`).
  if (incoming.readableEnded) return Promise.resolve(new Uint8Array());
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
  const chunks: Buffer[] = [];
  let length = 0;
  incoming.on('data', function take(chunk: Buffer) {
    length += chunk.byteLength;
    if (length <= limit) chunks.push(chunk);
    else {
      incoming.off('data', take);
      chunks.length = 0;
      resolve(undefined);
    }
  });
  incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length)));
  incoming.on('close', () => {
    if (!incoming.readableEnded) reject(new Error('the caller went before the end of the body'));
  });
  return promise;
}
