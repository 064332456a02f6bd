import { http, HttpResponse, type RequestHandler } from 'msw';
// Imported by package name, so that the types of both entries are identical.
import type { Mock } from '@service/mock';
import { parseInput } from '../control/operation.ts';
import * as s from '../domain/schema.ts';
import { CONNECTION_LOST, type MockRequest } from '../http/request.ts';
import { BASE_PATH } from '../http/route.ts';
import { CORE, handlerOf, REPORT_DEFECT } from '../core.ts';
import { handleRequest, respondTo, toMockRequest } from './fetch.ts';
import { createError } from './mount.ts';

/** The options of `createHandlers`. */
export interface HandlerOptions {
  /**
   * The base URL of the client under test: an http or https URL, or a path at any origin. Handlers serve the paths below it as those below `/api/v1`.
   *
   * @default mock.baseUrl
   * @example '/backend/payments'
   */
  readonly baseUrl?: string | undefined;
  /**
   * The API key that requests without a key get, as the back end of a front end adds it.
   *
   * @default requests without a key respond 401
   * @example mock.account.testKey
   */
  readonly apiKey?: string | undefined;
}

/**
 * Creates the MSW handlers of a mock, for `setupServer` and `setupWorker` of msw 2.10 or later and msw 3.
 *
 * @throws {SandboxError} for an invalid base URL
 * @example
 * const server = setupServer(...createHandlers(mock));
 */
export function createHandlers(mock: Mock, options: HandlerOptions = {}): RequestHandler[] {
  if (typeof mock?.[CORE] !== 'function') throw createError('createHandlers needs a mock from createMock.');
  const { baseUrl = mock.baseUrl, apiKey } = parseInput('createHandlers', options, fields, createError);
  // The path that replaces `/api/v1`.
  const prefix = baseUrl.replace(/^https?:\/\/[^/]+/, '');
  const respond = async ({ request }: { request: Request }): Promise<Response> => {
    // Listeners of life-cycle events clone the original later.
    const mockRequest = addKey(toMockRequest(request.clone(), 'msw'), apiKey);
    const { path } = mockRequest;
    const start = path.indexOf(prefix);
    const mockResponse = await handleRequest(handlerOf(mock), {
      ...mockRequest,
      path: start < 0 ? path : BASE_PATH + path.slice(start + prefix.length),
    });
    if (mockResponse === CONNECTION_LOST || mockResponse.damage === 'garbage') return HttpResponse.error();
    return respondTo(mockResponse, request, { onDefect: mock[REPORT_DEFECT] });
  };
  return [http.all(toAddresses(baseUrl), respond)];
}

/** An origin with an optional path, or a path. */
const baseUrlForm = /^(?!$)(?:https?:\/\/[^/?#@*]+)?(?:\/[\w.~%!$&',;=@-]+)*$/;

const fields = s.strict({
  baseUrl: s.optional(
    s.text(
      "a URL such as 'https://payments.example/api/v1', or a path such as '/backend/payments', without a trailing slash, query and fragment",
      { pattern: baseUrlForm.source },
    ),
  ),
  apiKey: s.optional(s.text('an API key of the mock', { minLength: 1 })),
});

/** Adds a key to a request that has none. */
function addKey(request: MockRequest, key: string | undefined): MockRequest {
  const isAnonymous = ['authorization', 'x-api-key'].every((name) => request.header(name) === null);
  if (key === undefined || !isAnonymous) return request;
  return {
    ...request,
    header: (name) => (name === 'x-api-key' ? key : request.header(name)),
    headers: [...request.headers, 'x-api-key', key],
  };
}

/**
 * Matches a URL, or a path at any origin, and everything below it, in any case. A pattern with a star would make msw 2 decode
 * the path, which fails for invalid escapes.
 */
function toAddresses(baseUrl: string): RegExp {
  const start = baseUrl.startsWith('/') ? 'https?://[^/]+' : '';
  const source = baseUrl.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${start}${source}(?:/.*)?$`, 'i');
}
