import { http, HttpResponse, type RequestHandler } from 'msw';
// Imported by package name, so that the types of both entries are identical.
import { type Mock, SandboxError } from '@service/mock';
import { parseInput } from '../control/operation.ts';
import * as s from '../domain/schema.ts';
import { CONNECTION_LOST, type MockRequest } from '../http/request.ts';
import { BASE_PATH } from '../http/route.ts';
import { CORE, handlerOf, REPORT_DEFECT } from '../core.ts';
import { handleRequest, respondTo, toMockRequest } from './fetch.ts';

/** The options of `createHandlers`. */
export interface HandlerOptions {
  /**
   * The base URL of the client under test: an http or https URL, a path of the page's own origin, or a path
   * at any origin, with a leading star. Handlers serve the paths below it as those below `/api/v1`.
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
  const { addresses, prefix, key } = readOptions(mock, options);
  const respond = async ({ request }: { request: Request }): Promise<Response> => {
    // Listeners of life-cycle events clone the original later.
    const mockRequest = addKey(toMockRequest(request.clone(), 'msw'), key);
    const mockResponse = await handleRequest(handlerOf(mock), {
      ...mockRequest,
      path: toServicePath(mockRequest.path, prefix),
    });
    if (mockResponse === CONNECTION_LOST || mockResponse.damage === 'garbage') return HttpResponse.error();
    return respondTo(mockResponse, request, { onDefect: mock[REPORT_DEFECT] });
  };
  return [http.all(addresses, respond)];
}

function toServicePath(path: string, prefix: string): string {
  const start = path.indexOf(prefix);
  return start < 0 ? path : BASE_PATH + path.slice(start + prefix.length);
}

const serverPath = String.raw`(?:\/[\w.~%!$&',;=@-]+)`;

/** An origin with an optional path, or a path with an optional leading star. */
const baseUrlForm = new RegExp(String.raw`^(?:(https?:\/\/[^/?#@*]+)(${serverPath}*)|\*?(${serverPath}+))$`);

/** The URLs that handlers match, and the path that replaces `/api/v1`. */
interface HandlerScope {
  readonly addresses: RegExp;
  readonly prefix: string;
}

const fields = s.strict({
  baseUrl: s.optional(
    s.text(
      "a URL such as 'https://payments.example/api/v1', a path such as '/backend/payments', or a path at any origin such " +
        "as '*/api/v1', without a trailing slash, query and fragment",
      { pattern: baseUrlForm.source },
    ),
  ),
  apiKey: s.optional(s.text('an API key of the mock', { minLength: 1 })),
});

function readOptions(
  mock: Mock,
  options: HandlerOptions,
): HandlerScope & { readonly key: string | undefined } {
  if (typeof mock?.[CORE] !== 'function') throw createError('createHandlers needs a mock from createMock.');
  const { baseUrl = mock.baseUrl, apiKey: key } = parseInput('createHandlers', options, fields, createError);
  return { ...readBaseUrl(baseUrl), key };
}

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

function readBaseUrl(text: string): HandlerScope {
  const [baseUrl = text, , below, path] = baseUrlForm.exec(text) ?? [];
  const { location } = globalThis as { readonly location?: Location };
  if (baseUrl === path && location === undefined) {
    throw createError(
      `createHandlers needs an origin before ${path}: outside a browser, use an absolute URL or '*${path}'.`,
    );
  }
  const start = baseUrl === path ? `${location?.origin}${path}` : baseUrl;
  return { addresses: toAddresses(start), prefix: below ?? path ?? '' };
}

/**
 * Matches a URL and everything below it, in any case. A pattern with a star would make msw 2 decode the path,
 * which fails for invalid escapes.
 */
function toAddresses(start: string): RegExp {
  const source = start.replaceAll(/[.*+?^${}()|[\]\\]/g, (sign) => (sign === '*' ? '.*' : `\\${sign}`));
  return new RegExp(`^${source}(?:/.*)?$`, 'i');
}

/** Creates an error of the class of the package, not of the copy in the file of this entry. */
function createError(message: string): SandboxError {
  return new SandboxError('invalid_argument', message);
}
