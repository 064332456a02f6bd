import { createDeferred } from '@service/internal';
import type { IncomingMessage } from 'node:http';
import type { MockRequest } from '../http/request.ts';

/** The path as a URL parser normalizes it, and the query without the question mark. */
export type RequestTarget = Pick<MockRequest, 'path' | 'search'>;

/** Matches targets that a URL parser does not change. */
const PLAIN = /^\/[\w/-]*(?:\?[\w\-.~!$&()*+,;=:@/?%]*)?$/;

/** Matches targets whose path a URL parser resolves to another one: with dot segments, backslashes or a fragment. */
const RESOLVED = /^[^?]*(?:[\\#]|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;

/**
 * Parses a request target, a path or an absolute URL, like the other transports. Returns other targets, such
 * as `*` or `/x/../balance`, unchanged: they match no path of the service.
 */
export function readTarget(sent: string): RequestTarget {
  if (PLAIN.test(sent)) {
    const mark = sent.indexOf('?');
    return mark < 0
      ? { path: sent, search: '' }
      : { path: sent.slice(0, mark), search: sent.slice(mark + 1) };
  }
  const url = URL.parse(sent.startsWith('/') ? `http://localhost${sent}` : sent);
  if (url === null || !/^https?:$/.test(url.protocol) || RESOLVED.test(sent))
    return { path: sent, search: '' };
  return { path: url.pathname, search: url.search.slice(1) };
}

/**
 * Converts a request of `node:http`. The server must join duplicate headers, as `Headers` does. Calls
 * `sendContinue` before it waits for the body.
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
    headers: () => incoming.rawHeaders,
    readBody: (limit) => {
      sendContinue();
      return readBody(incoming, limit);
    },
  };
}

/** Reads a body. Returns undefined if it is longer than `limit` bytes. Rejects if the client disconnects. */
function readBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  // With `optimizeEmptyRequests`, a request without a body ends before a listener is added.
  if (incoming.readableEnded) return Promise.resolve(new Uint8Array());
  const { promise, resolve, reject } = createDeferred<Uint8Array | undefined>();
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
    if (!incoming.readableEnded) reject(new Error('the client disconnected before the end of the body'));
  });
  return promise;
}
