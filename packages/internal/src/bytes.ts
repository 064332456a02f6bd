/** A request or response, also of an implementation whose bodies are no web streams. */
export interface BodySource {
  readonly body?: unknown;
  readonly arrayBuffer?: () => Promise<ArrayBuffer>;
  readonly text?: () => Promise<string>;
}

/** Returns the web stream of a body. Undefined in React Native, and for the streams of Node that node-fetch has. */
export function findStream({ body }: BodySource): ReadableStream<Uint8Array<ArrayBuffer>> | undefined {
  const stream = body as ReadableStream<Uint8Array<ArrayBuffer>> | null | undefined;
  return typeof stream?.getReader === 'function' ? stream : undefined;
}

/**
 * Reads a body of at most `limit` bytes. Returns undefined for a longer one, without reading the rest of a
 * stream. Rejects with the error of the stream, and for chunks that are not bytes.
 */
export async function readBytes(
  source: BodySource,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const stream = findStream(source);
  if (stream) return readRest(stream.getReader(), limit);
  const bytes = source.arrayBuffer
    ? new Uint8Array(await source.arrayBuffer())
    : new TextEncoder().encode(await source.text?.());
  return bytes.byteLength > limit ? undefined : bytes;
}

/** Reads the rest of a stream of at most `limit` bytes, like `readBytes`. Adds each part to `chunks` as it arrives. */
export async function readRest(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  limit: number,
  chunks: Uint8Array<ArrayBuffer>[] = [],
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  let size = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    // A stream of text has no sizes, so it would have no limit.
    if (!ArrayBuffer.isView(step.value)) throw new TypeError('The stream must consist of bytes.');
    size += step.value.byteLength;
    if (size > limit) {
      // Not awaited: `cancel` of a source, or of a clone whose other half is not read, may never settle.
      void reader.cancel().catch(() => {});
      return undefined;
    }
    chunks.push(step.value);
  }
  return concatenate(chunks, size);
}

function concatenate(chunks: readonly Uint8Array<ArrayBuffer>[], size: number): Uint8Array<ArrayBuffer> {
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0];
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

/** Formats bytes as lowercase hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
