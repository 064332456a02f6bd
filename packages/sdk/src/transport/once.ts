import { isBrowserLike, repeatsByItself } from '../options/environment.ts';
import type { Once } from './request.ts';

type Streaming = RequestInit & { readonly duplex: 'half' };

/**
 * Makes a request one that can be sent only once. The `fetch` of Node repeats a request that is answered 421, that of Deno one
 * whose connection was used before and breaks, a POST too, as long as they hold the bytes of the body; of a stream they hold
 * none. Elsewhere the body stays as it is, since browsers send no streams over HTTP/1.
 */
export const once: Once = (init) => {
  if (!repeatsByItself() || isBrowserLike()) return init;
  const bytes = new TextEncoder().encode(init.body);
  // Without its length Node sends the body in chunks, which not every server takes; Deno does so in any case.
  const headers = { ...init.headers, 'content-length': String(bytes.byteLength) };
  const streaming: Streaming = { ...init, headers, body: toStream(bytes), duplex: 'half' };
  return streaming;
};

/** A stream of its own: of one that a `Response` makes of bytes, Deno still holds the bytes. */
function toStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
