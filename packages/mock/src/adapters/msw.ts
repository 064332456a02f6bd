import { http, HttpResponse, type RequestHandler } from 'msw';
// Imported by package name, so that the types of both entries are identical.
import { type Mock, SandboxError } from '@service/mock';
import { CONNECTION_LOST } from '../http/request.ts';
import { BASE_PATH } from '../http/route.ts';
import { CORE } from '../core.ts';
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
  readonly baseUrl?: string;
}

/**
 * Creates the MSW handlers of a mock, for `setupServer` and `setupWorker` of msw 2.10 or later and msw 3.
 *
 * @throws {SandboxError} for an invalid base URL
 * @example
 * const server = setupServer(...createHandlers(mock));
 */
export function createHandlers(mock: Mock, options: HandlerOptions = {}): RequestHandler[] {
  const { addresses, prefix } = readOptions(mock, options);
  const respond = async ({ request }: { request: Request }): Promise<Response> => {
    const mockRequest = toMockRequest(request, 'msw');
    const mockResponse = await handleRequest(mock[CORE], {
      ...mockRequest,
      path: toServicePath(mockRequest.path, prefix),
    });
    if (mockResponse === CONNECTION_LOST || mockResponse.damage === 'garbage') return HttpResponse.error();
    return respondTo(mockResponse, request);
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

function readOptions(mock: Mock, options: HandlerOptions): HandlerScope {
  if (typeof mock?.[CORE] !== 'function') throwInvalid('needs a mock from createMock');
  const { baseUrl = mock.baseUrl, ...unknownNames } = options;
  const [unknownName] = Object.keys(unknownNames);
  if (unknownName !== undefined) throwInvalid(`has no option ${unknownName}; it takes baseUrl`);
  return readBaseUrl(baseUrl);
}

function readBaseUrl(text: string): HandlerScope {
  const [baseUrl, , below, path] = baseUrlForm.exec(text) ?? [];
  if (baseUrl === undefined) {
    throwInvalid(
      "needs a baseUrl: a URL such as 'https://payments.example/api/v1', a path such as '/backend/payments', or a " +
        "path at any origin such as '*/api/v1'. Omit a trailing slash, query and fragment",
    );
  }
  const { location } = globalThis as { readonly location?: Location };
  if (baseUrl === path && location === undefined) {
    throwInvalid(`needs an origin before ${path}: outside a browser, use an absolute URL or '*${path}'`);
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

function throwInvalid(message: string): never {
  throw new SandboxError('invalid_argument', `createHandlers ${message}.`);
}
