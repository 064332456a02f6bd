import type { Mode } from '@service/contract';
import { type Json, toJson } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import { type Cors, corsHeaders } from './cors.ts';
import { CONNECTION_LOST, type MockRequest, type MockResponse, type MockResult } from './request.ts';

/** The mode and profile of a response. */
export interface ResponseContext {
  /** Undefined omits the field; null and undefined are for unknown callers. */
  readonly mode: Mode | null | undefined;
  readonly profile: Profile;
}

/** Creates a response with the success envelope. */
export function okResponse(status: number, { mode, profile }: ResponseContext, data: Json): MockResponse {
  const body = toJson({ success: true, mode, data }, profile.numbers);
  return { status, headers: deprecationHeaders(profile), body };
}

/** Returns the deprecation headers of a profile (RFC 9745, RFC 8594). */
export function deprecationHeaders({ deprecation }: Profile): Readonly<Record<string, string>> {
  if (deprecation === 'none') return {};
  return {
    Deprecation: `@${Math.floor(Date.parse(deprecation.deprecated) / 1000)}`,
    Sunset: new Date(deprecation.sunset).toUTCString(),
    Link: `<${deprecation.link ?? '/deprecation'}>; rel="deprecation"`,
  };
}

/** The request of a response, its id, and the CORS option. */
export interface RenderContext {
  readonly id: string;
  readonly request: MockRequest;
  readonly cors: Cors;
}

/** Adds the headers of every response, and removes the body of a response to HEAD. */
export function renderResponse(result: MockResult, { id, request, cors }: RenderContext): MockResult {
  if (result === CONNECTION_LOST) return result;
  const headers: Record<string, string> = { 'X-Request-Id': id, 'Cache-Control': 'no-store' };
  if (result.body !== null) headers['Content-Type'] = 'application/json';
  Object.assign(headers, result.headers);
  if (cors !== 'off') Object.assign(headers, corsHeaders(cors, request, result.headers.Allow));
  return { ...result, headers, body: request.method === 'HEAD' ? null : result.body };
}
