import { createFailure } from './receiver-failure.ts';

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** Reads a whole body of at most `maxBytes`, then stops. Throws `body_too_large`, `body_unreadable`. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('content-length')) > maxBytes) throw createFailure('body_too_large');
  // A used body of a Request can be null-like or locked; either way its bytes are gone.
  if (request.bodyUsed) throw createFailure('body_unreadable');
  if (request.body === null) return new Uint8Array();
  const reader = getReader(request.body);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let chunk = await read(reader); chunk !== undefined; chunk = await read(reader)) {
    if (!ArrayBuffer.isView(chunk)) throw createFailure('body_unreadable');
    size += chunk.byteLength;
    if (size > maxBytes) {
      // Not awaited: a source that never finishes cancelling must not hold back the answer.
      void reader.cancel().catch(() => {});
      throw createFailure('body_too_large');
    }
    chunks.push(chunk);
  }
  return concatenate(chunks, size);
}

function getReader(body: ReadableStream<Uint8Array<ArrayBuffer>>): Reader {
  try {
    return body.getReader();
  } catch (cause) {
    throw createFailure('body_unreadable', cause);
  }
}

async function read(reader: Reader): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return (await reader.read()).value;
  } catch (cause) {
    throw createFailure('body_unreadable', cause);
  }
}

/** Joins chunks whose sizes add up to `size`. */
function concatenate(chunks: readonly Uint8Array<ArrayBuffer>[], size: number): Uint8Array<ArrayBuffer> {
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
