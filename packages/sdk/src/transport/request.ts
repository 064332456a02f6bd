import type { OperationId, paths } from '@service/contract';
import { isBrowserLike, repeatsByItself } from '../environment.ts';

/** Names an operation in hooks and logs; `api` stands for what was called on the client beneath. */
export type Operation = OperationId | 'api';

/** Holds a request that is still to be signed and can be sent again. */
export type Draft = {
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
};

/** Describes what an operation asks: its path with the id filled in, the query and the body as JSON. */
export type Question = {
  readonly operation: OperationId;
  readonly path: keyof paths | `/payments/${string}`;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: string;
};

/** Drafts the request of an operation: one with a body is a POST. */
export function draft({ operation, path, query, body }: Question, baseUrl: string): Draft {
  const headers = new Headers(body === undefined ? undefined : { 'content-type': 'application/json' });
  const search = query === undefined ? '' : `?${new URLSearchParams(query as Record<string, string>)}`;
  const method = body === undefined ? 'GET' : 'POST';
  return { operation, method, url: `${baseUrl}${path}${search}`, headers, body };
}

/**
 * Makes a request that can be sent only once. The `fetch` of Node repeats a request that is answered 421, that of Deno one
 * whose connection was used before and breaks, a POST too, as long as they hold the bytes of the body; of a stream they hold none. Elsewhere the body stays as it is, since browsers send
 * no streams over HTTP/1. Reads and quotes, which do no harm when repeated,
 * stay as they are as well. A redirect is never followed.
 */
export function toRequest(
  { operation, method, url, body = '' }: Draft,
  headers: Headers,
  signal: AbortSignal,
): Request {
  const init = { method, headers, signal, redirect: 'manual' } as const;
  if (method === 'GET' || method === 'HEAD') return new Request(url, init);
  if (operation === 'createQuote' || !repeatsByItself() || isBrowserLike())
    return new Request(url, { ...init, body });
  const bytes = new TextEncoder().encode(body);
  // Without it Node sends the body in chunks, which not every server takes; Deno does so in any case.
  headers.set('content-length', String(bytes.byteLength));
  const once: OnceOnly = { ...init, body: toStream(bytes), duplex: 'half' };
  return new Request(url, once);
}

type OnceOnly = RequestInit & { readonly duplex: 'half' };

/** A stream of its own: of one that a `Response` makes of bytes, Deno still holds the bytes. */
function toStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
