import { createFailure } from './receiver-failure.ts';

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/**
 * Reads a whole body of at most `maxBytes`.
 *
 * @throws {WebhookError} `body_too_large`, `body_unreadable`
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('content-length')) > maxBytes) throw createFailure('body_too_large');
  // Checked first: the `body` of a used Request is null in some runtimes and locked in others.
  if (request.bodyUsed) throw createFailure('body_unreadable');
  if (request.body === null) return new Uint8Array();
  const reader = getReader(request.body);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let chunk = await readChunk(reader); chunk !== undefined; chunk = await readChunk(reader)) {
    if (!ArrayBuffer.isView(chunk)) throw createFailure('body_unreadable');
    size += chunk.byteLength;
    if (size > maxBytes) {
      // Not awaited: a source whose `cancel` never settles must not delay the response.
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

async function readChunk(reader: Reader): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return (await reader.read()).value;
  } catch (cause) {
    throw createFailure('body_unreadable', cause);
  }
}

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
