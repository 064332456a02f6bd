import { isBrowserLike, repeatsByItself } from '../options/environment.ts';
import type { PreventReplay } from './request.ts';

type Streaming = RequestInit & { readonly duplex: 'half' };

/**
 * Streams the body so that the runtime cannot replay the request: Node replays on 421, Deno on a broken
 * keep-alive connection, and both only if they hold the bytes of the body. In other runtimes the body is
 * unchanged, because browsers do not stream over HTTP/1.
 */
export const preventReplay: PreventReplay = (init) => {
  if (!repeatsByItself() || isBrowserLike()) return init;
  const bytes = new TextEncoder().encode(init.body);
  // Without a length, Node sends the body in chunks, which some servers reject. Deno always sends chunks.
  const headers = { ...init.headers, 'content-length': String(bytes.byteLength) };
  const streaming: Streaming = { ...init, headers, body: toStream(bytes), duplex: 'half' };
  return streaming;
};

/**
 * Creates a stream of bytes. Not with `new Response(bytes).body`: Deno still holds the bytes of that stream.
 */
function toStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
