import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { parseJson } from '@service/internal';
import type { ExchangeMessage } from '../exchange.ts';

/** The size up to which a body is kept, in bytes. */
const MAX_BYTES = 1_048_576;

/** The bytes of a body. Undefined if it is too large to keep. */
export interface CapturedBody {
  readonly read: () => Buffer | undefined;
  /** Returns the size of the body, in bytes. */
  readonly size: () => number;
}

/** Collects the bytes of a stream that another reader consumes. */
export function captureBody(stream: Readable): CapturedBody {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size <= MAX_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  return { read: () => (size <= MAX_BYTES ? Buffer.concat(chunks) : undefined), size: () => size };
}

/** Decodes a body: JSON, or text. A body that is too large or cannot be decoded is only counted. */
export function decodeBody(
  { read, size }: CapturedBody,
  headers: IncomingHttpHeaders,
): Pick<ExchangeMessage, 'body' | 'text' | 'omitted'> {
  if (size() === 0) return {};
  const bytes = decompress(read(), headers['content-encoding']);
  if (bytes === undefined) return { omitted: size() };
  const text = decodeText(bytes);
  if (text === undefined) return { omitted: size() };
  const body = parseJson(text);
  return body === undefined ? { text } : { body };
}

const limits = { maxOutputLength: MAX_BYTES };

function decompress(bytes: Buffer | undefined, encoding = 'identity'): Buffer | undefined {
  if (bytes === undefined) return undefined;
  try {
    if (/^(?:x-)?gzip$/i.test(encoding)) return gunzipSync(bytes, limits);
    if (/^deflate$/i.test(encoding)) return inflateSync(bytes, limits);
    if (/^br$/i.test(encoding)) return brotliDecompressSync(bytes, limits);
    return /^identity$/i.test(encoding) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
