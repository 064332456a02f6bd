import type { Attempt } from './call.ts';

/**
 * The number of empty chunks before the bytes of a body. Each `Request`, `clone()` or pipe in a wrapper of `fetch` reads one chunk
 * ahead, before there is a connection. undici 6 and 7 do that once themselves.
 */
const EMPTY_CHUNKS = 8;

/**
 * Streams a body so that the runtime cannot replay the request: Node replays on 421, Deno on a broken
 * keep-alive connection, and both only if they hold the bytes of the body. A stream whose bytes were not read
 * proves that no body was sent. With its bytes read, a failure to connect proves nothing: it can be that of a
 * second request of a wrapper.
 */
export function toStream(body: string, bytes: Uint8Array, attempt: Attempt): ReadableStream {
  attempt.isBodyRead = false;
  let chunks = 0;
  const assertOpen = (): void => {
    // The outcome `not_sent` is final.
    if (attempt.phase === 'preparing') throw new Error('The call has ended.');
  };
  // Not `new Response(bytes).body`: Deno still holds the bytes of that stream.
  const stream = new ReadableStream(
    {
      pull: (controller) => {
        assertOpen();
        chunks += 1;
        if (chunks <= EMPTY_CHUNKS) return controller.enqueue(new Uint8Array());
        attempt.isBodyRead = true;
        controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  // node-fetch as the global `fetch` takes the text of an object that it does not know, once per request, before it connects.
  stream.toString = () => {
    assertOpen();
    attempt.isBodyRead = attempt.isBodyRead === false ? undefined : true;
    return body;
  };
  return stream;
}
