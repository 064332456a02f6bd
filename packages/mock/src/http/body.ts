import { isRecord, parseJson } from '@service/internal';
import { isDeeperThan, MAX_DEPTH } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import { HttpError } from './errors.ts';
import { MAX_BODY_BYTES, type MockRequest, RequestAborted } from './request.ts';

/** A request body as far as it was read: its text and either its JSON value or an error. */
export interface Body {
  /** Null for a request without a body and for one that was not read. */
  readonly text: string | null;
  readonly value?: unknown;
  readonly error?: Error;
}

/**
 * Reads a JSON body of at most `limit` bytes. Checks the media type, the size and the syntax, in this order, by the profile
 * that the owner has at the end of the body. `empty` is the value of an empty body, which is otherwise an error. Never rejects.
 */
export async function readBody(
  request: MockRequest,
  owner: { readonly profile: Profile },
  limit: number = MAX_BODY_BYTES,
  empty?: object,
): Promise<Body> {
  let text: string | null = null;
  try {
    const { mediaTypes, malformed: policy } = owner.profile.requestBody;
    const type = mediaTypes === 'any' ? 'application/json' : request.header('content-type');
    if (!/^application\/json(?: *; *charset="?utf-8"?)?$/i.test((type ?? '').trim()))
      throw unsupported('The Content-Type must be application/json.');
    if ((request.header('content-encoding')?.trim().toLowerCase() ?? 'identity') !== 'identity')
      throw unsupported('The request body must not be compressed.');
    const isAnnounced = Number(request.header('content-length')) > limit;
    const bytes = isAnnounced ? undefined : await request.readBody(limit).catch(abort);
    if (bytes === undefined) {
      const message = `The request body is larger than ${limit} bytes.`;
      throw new HttpError({ type: 'payload_too_large', message });
    }
    if (bytes.byteLength === 0 && empty !== undefined) return { text, value: empty };
    if (bytes.byteLength === 0) throw malformed('is empty');
    const decoded = decodeStrictly(bytes);
    text = decoded ?? looseDecoder.decode(bytes);
    if (decoded === undefined) throw malformed('is not valid UTF-8');
    const value = parseJson(text);
    if (policy === 'empty' && !isRecord(value)) return { text, value: {} };
    if (value === undefined) throw malformed('is not valid JSON');
    if (isDeeperThan(value, MAX_DEPTH)) throw malformed(`is nested deeper than ${MAX_DEPTH} levels`);
    return { text, value };
  } catch (error) {
    return { text, error: error as Error };
  }
}

/** Reads the body of a request now: its operation can run after the client has left. */
export async function bufferBody(request: MockRequest): Promise<MockRequest> {
  const bytes = await request.readBody(MAX_BODY_BYTES).catch(abort);
  return { ...request, readBody: () => Promise.resolve(bytes) };
}

/** Reads a body without parsing it. Returns null for an empty body and for one that is too large. */
export async function drainBody(request: MockRequest): Promise<string | null> {
  const bytes = await request.readBody(MAX_BODY_BYTES).catch(abort);
  return bytes === undefined || bytes.byteLength === 0 ? null : looseDecoder.decode(bytes);
}

/** @throws {RequestAborted} when the client disconnects */
function abort(cause: unknown): never {
  throw new RequestAborted('the body is incomplete', { cause });
}

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const looseDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes UTF-8. Returns undefined for invalid bytes. */
function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function malformed(problem: string): HttpError {
  const message = `The request body ${problem}.`;
  return new HttpError({ type: 'invalid_request_error', message, refusal: 'malformed_body' });
}

function unsupported(message: string): HttpError {
  return new HttpError({ type: 'unsupported_media_type', message });
}
