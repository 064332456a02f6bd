import { http, HttpResponse, type RequestHandler } from 'msw';
// By the package's own name, so that the types of this entry and of the main one are the same.
import { type Mock, SandboxError } from '@service/mock';
import { CONNECTION_LOST } from '../http/request.ts';
import { BASE_PATH } from '../http/route.ts';
import { CORE } from '../core.ts';
import { handleRequest, respondTo, toMockRequest } from './fetch.ts';

/** Sets up the handlers of a mock. */
export interface HandlerOptions {
  /**
   * What the client under test has as its base URL: an http or https address; in a page also a path, which is one of the
   * page's own origin; or a path at whatever origin, written with a star. What stands below it is answered as what stands below
   * `/api/v1`.
   *
   * @default mock.baseUrl
   * @example '/backend/payments'
   */
  readonly baseUrl?: string;
}

/**
 * Creates the MSW handlers of a mock, for `setupServer` and `setupWorker` of msw 2.10 and later and of msw 3. Throws
 * `SandboxError` for a base URL at which nothing can be answered.
 *
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

const PATH = String.raw`(?:\/[\w.~%!$&',;=@-]+)`;

/** An origin with or without a path, or a path at the origin of the page, or after a star at any. */
const BASE_URL_FORM = new RegExp(String.raw`^(?:(https?:\/\/[^/?#@*]+)(${PATH}*)|\*?(${PATH}+))$`);

/** Holds where handlers stand, and the path there that stands for `/api/v1`. */
interface HandlerScope {
  readonly addresses: RegExp;
  readonly prefix: string;
}

function readOptions(mock: Mock, options: HandlerOptions): HandlerScope {
  if (typeof mock?.[CORE] !== 'function') throwInvalid('takes a mock that createMock made');
  const { baseUrl = mock.baseUrl, ...unknownNames } = options;
  const [unknownName] = Object.keys(unknownNames);
  if (unknownName !== undefined) throwInvalid(`has no option ${unknownName}; it takes baseUrl`);
  return readBaseUrl(baseUrl);
}

function readBaseUrl(text: string): HandlerScope {
  const [baseUrl, , below, path] = BASE_URL_FORM.exec(text) ?? [];
  if (baseUrl === undefined) {
    throwInvalid(
      "takes as baseUrl an address such as 'https://payments.example/api/v1', a path such as '/backend/payments', or a " +
        "path at any origin such as '*/api/v1'; without a slash at the end, a query or a fragment",
    );
  }
  const { location } = globalThis as { readonly location?: Location };
  if (baseUrl === path && location === undefined) {
    throwInvalid(
      `needs an origin before ${path}: there is no page here, so write the whole address or '*${path}'`,
    );
  }
  const start = baseUrl === path ? `${location?.origin}${path}` : baseUrl;
  return { addresses: toAddresses(start), prefix: below ?? path ?? '' };
}

/**
 * Matches what stands at or below an address, in any case. As text with a star msw 2 would decode what the star stands for, and
 * fail where it cannot be decoded.
 */
function toAddresses(start: string): RegExp {
  const source = start.replaceAll(/[.*+?^${}()|[\]\\]/g, (sign) => (sign === '*' ? '.*' : `\\${sign}`));
  return new RegExp(`^${source}(?:/.*)?$`, 'i');
}

function throwInvalid(message: string): never {
  throw new SandboxError('invalid_argument', `createHandlers ${message}.`);
}
