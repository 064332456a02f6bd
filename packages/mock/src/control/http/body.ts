import { ControlError } from './control-error.ts';

const MAX_DEPTH = 32;

/** Returns whether a request has a body. */
export function hasBody({ headers }: Request): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? '0') > 0;
}

/**
 * Reads the fields of a JSON body. Returns an empty object without a body.
 *
 * @throws {ControlError}
 */
export async function readBody(request: Request, limit: number): Promise<object> {
  checkMediaType(request);
  if (!hasBody(request)) return {};
  const bytes = await readBytes(request, limit);
  return bytes.byteLength === 0 ? {} : parse(bytes);
}

/** Rejects the media types that a foreign page can send without a preflight request, also without a body. */
function checkMediaType(request: Request): void {
  const type = request.headers.get('content-type') ?? (hasBody(request) ? '' : 'application/json');
  if (!/^application\/json(?: *; *charset="?utf-8"?)?$/i.test(type.trim()))
    throw unsupported('The Content-Type must be application/json.');
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw unsupported('The request body must not be compressed.');
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const bytes =
    Number(request.headers.get('content-length') ?? '0') > limit ? undefined : await collect(request, limit);
  if (bytes !== undefined) return bytes;
  throw new ControlError('payload_too_large', `The request body is larger than ${limit} bytes.`);
}

/** Reads a body. Returns undefined without reading the rest if it is longer than `limit` bytes. */
async function collect({ body }: Request, limit: number): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  const origin = body.getReader();
  let length = 0;
  try {
    for (let part = await origin.read(); !part.done; part = await origin.read()) {
      length += part.value.byteLength;
      if (length > limit) return undefined;
      chunks.push(part.value);
    }
  } catch {
    throw invalid('The request body is incomplete.');
  } finally {
    origin.releaseLock();
  }
  return Buffer.concat(chunks, length);
}

function parse(bytes: Uint8Array): object {
  const value = parseJson(decode(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('The request body must be a JSON object.');
  if (isDeeperThan(value, MAX_DEPTH))
    throw invalid(`The request body is nested deeper than ${MAX_DEPTH} levels.`);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid('The request body is not valid UTF-8.');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The request body is not valid JSON.');
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

function invalid(message: string): ControlError {
  return new ControlError('invalid_argument', message);
}

function unsupported(message: string): ControlError {
  return new ControlError('unsupported_media_type', message);
}
