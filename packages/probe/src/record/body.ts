import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { parseJson } from '@service/internal';
import type { ExchangeMessage } from '../exchange.ts';

/** The size up to which a body is kept, in bytes. */
const MAX_BYTES = 1_048_576;

/** Returns a message as a recording keeps it: a body that is too large or cannot be decoded is only counted. */
export function toMessage(headers: IncomingHttpHeaders, bytes: Buffer): ExchangeMessage {
  const joined = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === 'host' ? [] : [[name, String(value)]],
  );
  return { headers: Object.fromEntries(joined) as Record<string, string>, ...decodeBody(bytes, headers) };
}

function decodeBody(bytes: Buffer, headers: IncomingHttpHeaders): Omit<ExchangeMessage, 'headers'> {
  if (bytes.length === 0) return {};
  try {
    const plain = decompress(bytes, headers['content-encoding']);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(plain);
    const body = parseJson(text);
    return body === undefined ? { text } : { body };
  } catch {
    return { omitted: bytes.length };
  }
}

const limits = { maxOutputLength: MAX_BYTES };

/** @throws {Error} when the body is too large, or cannot be decoded. */
function decompress(bytes: Buffer, encoding = 'identity'): Buffer {
  if (/^(?:x-)?gzip$/i.test(encoding)) return gunzipSync(bytes, limits);
  if (/^deflate$/i.test(encoding)) return inflateSync(bytes, limits);
  if (/^br$/i.test(encoding)) return brotliDecompressSync(bytes, limits);
  if (bytes.length > MAX_BYTES || !/^identity$/i.test(encoding)) throw new Error(encoding);
  return bytes;
}
