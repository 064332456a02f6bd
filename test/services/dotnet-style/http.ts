import type { IncomingMessage } from 'node:http';
import type { AccountEnvironment } from './entities.ts';
import type { JsonObject } from './json-writer.ts';
import { ApiProblem } from './problems.ts';

/** Authenticated request that a controller action handles. */
export interface ActionContext {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly routeValues: readonly string[];
  readonly environment: AccountEnvironment;
}

export interface ActionResult {
  readonly status: number;
  readonly data: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Action = (context: ActionContext) => ActionResult | Promise<ActionResult>;

/**
 * Reads a JSON request body.
 *
 * @throws {ApiProblem} when the media type is not JSON or the body exceeds `maxSize` bytes.
 */
export async function readJsonBody(request: IncomingMessage, maxSize: number): Promise<string> {
  if (!isJson(request.headers['content-type'] ?? '')) {
    throw new ApiProblem(
      415,
      'unsupported_media_type',
      'The Content-Type of the request must be application/json.',
    );
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxSize) chunks.push(chunk);
  }
  if (size > maxSize) {
    throw new ApiProblem(
      413,
      'request_too_large',
      `Request body too large. The max request body size is ${maxSize} bytes.`,
    );
  }
  return Buffer.concat(chunks).toString('utf8');
}

function isJson(contentType: string): boolean {
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';');
  const isSupported = /^(?:application|text)\/json$|^application\/[\w.-]+\+json$/;
  const charset = parameters.map((parameter) => parameter.trim()).find(isCharset);
  return isSupported.test(mediaType.trim()) && /^(?:charset="?utf-8"?)?$/.test(charset ?? '');
}

function isCharset(parameter: string): boolean {
  return parameter.startsWith('charset=');
}
