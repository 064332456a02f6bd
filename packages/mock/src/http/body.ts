import type { RequestRecord } from '../world/journal.ts';
import { type Call, CallLost, MAX_BODY_BYTES } from './call.ts';
import { Refused } from './respond.ts';

const MAX_DEPTH = 32;

/** Holds a parsed request body, and the text of the numbers at its top level before they became doubles. */
export interface Body {
  readonly value: unknown;
  readonly numberText: ReadonlyMap<string, string>;
}

/** Reads a JSON body, and notes its text: media type, size and syntax, in this order (contract.md 1). Throws `Refused`. */
export async function readJsonBody(call: Call, record: RequestRecord): Promise<Body> {
  checkMediaType(call);
  const bytes = await readBytes(call);
  const body = parseJson(decodeUtf8(bytes, record));
  if (isDeeperThan(body.value, MAX_DEPTH))
    throw invalid(`The request body is nested deeper than ${MAX_DEPTH} levels.`);
  return body;
}

/** Reads a body that nobody wants, and notes its text unless it is too large. */
export async function drainBody(call: Call, record: RequestRecord): Promise<void> {
  const bytes = await readWhole(call);
  if (bytes !== undefined && bytes.byteLength > 0) record.body = decodeLoosely(bytes);
}

function checkMediaType(call: Call): void {
  const type = (call.header('content-type') ?? '').trim();
  if (!/^application\/json(?: *; *charset="?utf-8"?)?$/i.test(type)) {
    throw unsupported('The Content-Type must be application/json.');
  }
  const encoding = call.header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw unsupported('The request body must not be compressed.');
}

async function readBytes(call: Call): Promise<Uint8Array> {
  const declared = Number(call.header('content-length') ?? '0');
  const bytes = declared > MAX_BODY_BYTES ? undefined : await readWhole(call);
  if (bytes === undefined) {
    const message = `The request body is larger than ${MAX_BODY_BYTES} bytes.`;
    throw new Refused({ type: 'payload_too_large', message });
  }
  if (bytes.byteLength === 0) throw invalid('The request body is empty.');
  return bytes;
}

/** Reads the body, or learns that the caller has gone. */
async function readWhole(call: Call): Promise<Uint8Array | undefined> {
  try {
    return await call.readBody(MAX_BODY_BYTES);
  } catch (cause) {
    throw new CallLost('the body broke off', { cause });
  }
}

function decodeUtf8(bytes: Uint8Array, record: RequestRecord): string {
  try {
    record.body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return record.body;
  } catch {
    record.body = decodeLoosely(bytes);
    throw invalid('The request body is not valid UTF-8.');
  }
}

function decodeLoosely(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

type JsonEntry = [key: string, value: unknown, context?: { readonly source?: string }];
type Reviver = (this: unknown, ...entry: JsonEntry) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

function parseJson(text: string): Body {
  const seen = new Map<unknown, Map<string, string>>();
  const keepNumberText: Reviver = function keep(...[key, value, context]) {
    if (typeof value !== 'number') return value;
    const texts = seen.get(this) ?? new Map<string, string>();
    seen.set(this, texts.set(key, context?.source ?? String(value)));
    return value;
  };
  try {
    const value = parseWith(text, keepNumberText);
    return { value, numberText: seen.get(value) ?? new Map() };
  } catch {
    throw invalid('The request body is not valid JSON.');
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

function invalid(message: string): Refused {
  return new Refused({ type: 'invalid_request_error', message });
}

function unsupported(message: string): Refused {
  return new Refused({ type: 'unsupported_media_type', message });
}
