import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Detail {
  readonly field: string;
  readonly reason: string;
}

export class Rejection extends Error {
  readonly status: number;
  readonly type: string;
  readonly details: readonly Detail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, type: string, message: string, details: readonly Detail[] = [], headers = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.details = details;
    this.headers = headers;
  }
}

export interface Reply {
  readonly status?: number;
  readonly data: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reads a JSON object. */
export async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const body = await text(request);
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    throw new Rejection(415, 'unsupported_media_type', 'Send the body as application/json.');
  }
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Rejection(400, 'bad_request', 'The body is not JSON.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Rejection(400, 'bad_request', 'The body is not a JSON object.');
}

export function sendJson(response: ServerResponse, { status = 200, data, headers = {} }: Reply): void {
  send(response, status, { success: true, mode: 'test', data }, headers);
}

export function sendError(response: ServerResponse, error: unknown): void {
  const known = error instanceof Rejection ? error : new Rejection(500, 'internal_error', 'Internal error.');
  const { status, type, message, details, headers } = known;
  const body = { type, message, code: `E${status}0`, ...(details.length > 0 && { details }) };
  const mode = status === 401 ? {} : { mode: 'test' };
  send(response, status, { success: false, ...mode, error: body }, headers);
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>>,
): void {
  const json = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
    ...headers,
  });
  response.end(json);
}

/** Returns a timestamp with the offset -05:00 and without a fraction of a second. */
export function toEasternTime(date: Date): string {
  return new Date(date.getTime() - 5 * 3_600_000).toISOString().replace(/\.\d+Z$/, '-05:00');
}
