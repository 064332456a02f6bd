import type { IncomingMessage } from 'node:http';
import { ApiError } from './errors.ts';

const LARGEST_BODY = 64 * 1_024;

/**
 * Reads a body that must be a JSON object.
 *
 * @throws {ApiError} when it is not
 */
export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    const detail = 'Content-Type must be application/json.';
    throw bodyError(415, 'unsupported_media_type', { code: 'json_required', detail });
  }
  const value = parse(await readText(request));
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw bodyError(400, 'malformed_request', {
    code: 'object_required',
    detail: 'The body must be a JSON object.',
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= LARGEST_BODY) chunks.push(chunk);
  }
  if (length <= LARGEST_BODY) return Buffer.concat(chunks).toString();
  const detail = `The body must have at most ${LARGEST_BODY} bytes.`;
  throw bodyError(413, 'payload_too_large', { code: 'body_too_large', detail });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const detail = 'The body is not valid JSON.';
    throw bodyError(400, 'malformed_request', { code: 'invalid_json', detail });
  }
}

function bodyError(
  status: number,
  type: string,
  problem: { readonly code: string; readonly detail: string },
): ApiError {
  return new ApiError({ status, type, problems: [problem] });
}
