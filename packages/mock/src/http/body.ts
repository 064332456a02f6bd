import type { LoggedRequest } from '../state/logged-request.ts';
import { type MockRequest, RequestAborted, MAX_BODY_BYTES } from './request.ts';
import { HttpError } from './response.ts';

const MAX_DEPTH = 32;

/** A request body as text and as parsed JSON. */
export interface Body {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Reads and logs a JSON body. Checks the media type, the size and the syntax, in this order. Throws
 * `HttpError`.
 */
export async function readJsonBody(request: MockRequest, record: LoggedRequest): Promise<Body> {
  checkMediaType(request);
  const bytes =
    Number(request.header('content-length')) > MAX_BODY_BYTES ? undefined : await readWhole(request);
  if (bytes === undefined) throw tooLarge();
  if (bytes.byteLength === 0) throw invalid('The request body is empty.');
  const body = parseJson(decodeUtf8(bytes, record));
  if (isDeeperThan(body.value, MAX_DEPTH))
    throw invalid(`The request body is nested deeper than ${MAX_DEPTH} levels.`);
  return body;
}

/** Reads and logs a body without parsing it. A body that is too large is not logged. */
export async function drainBody(request: MockRequest, record: LoggedRequest): Promise<void> {
  const bytes = await readWhole(request);
  if (bytes !== undefined && bytes.byteLength > 0) record.body = looseDecoder.decode(bytes);
}

function checkMediaType(request: MockRequest): void {
  const type = (request.header('content-type') ?? '').trim();
  if (!/^application\/json(?: *; *charset="?utf-8"?)?$/i.test(type)) {
    throw unsupported('The Content-Type must be application/json.');
  }
  const encoding = request.header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw unsupported('The request body must not be compressed.');
}

/**
 * Reads the whole body.
 *
 * @throws {RequestAborted} when the client disconnects
 */
async function readWhole(request: MockRequest): Promise<Uint8Array | undefined> {
  try {
    return await request.readBody(MAX_BODY_BYTES);
  } catch (cause) {
    throw new RequestAborted('the body is incomplete', { cause });
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const looseDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array, record: LoggedRequest): string {
  try {
    record.body = decoder.decode(bytes);
    return record.body;
  } catch {
    record.body = looseDecoder.decode(bytes);
    throw invalid('The request body is not valid UTF-8.');
  }
}

function parseJson(text: string): Body {
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    throw invalid('The request body is not valid JSON.');
  }
}

/** Matches JSON that may contain a number of 16 digits or more: a double does not keep all of them. */
const LONG_NUMBER = /[:\s]-?\d[\d.]{15}/;

/**
 * Returns a top-level number as exact decimal text, or undefined if the field is not a number. Up to 15
 * digits come from the double, more from the source text (docs/contract.md#money).
 */
export function readNumber({ text, value }: Body, field: string): string | undefined {
  const number = (value as Readonly<Record<string, unknown>> | null)?.[field];
  if (typeof number !== 'number') return undefined;
  return (LONG_NUMBER.test(text) ? findSource(text, field) : undefined) ?? String(number);
}

type JsonEntry = [key: string, value: unknown, context?: { readonly source?: string }];
type Reviver = (this: unknown, ...entry: JsonEntry) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Returns the source text of a number, or undefined on a runtime without source text access. */
function findSource(text: string, field: string): string | undefined {
  const sources = new Map<unknown, string | undefined>();
  const root = parseWith(text, function keep(...[key, value, context]) {
    if (key === field && typeof value === 'number') sources.set(this, context?.source);
    return value;
  });
  return sources.get(root);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

function invalid(message: string): HttpError {
  return new HttpError({ type: 'invalid_request_error', message });
}

function tooLarge(): HttpError {
  const message = `The request body is larger than ${MAX_BODY_BYTES} bytes.`;
  return new HttpError({ type: 'payload_too_large', message });
}

function unsupported(message: string): HttpError {
  return new HttpError({ type: 'unsupported_media_type', message });
}
