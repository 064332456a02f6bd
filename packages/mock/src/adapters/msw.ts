import { http, HttpResponse, type RequestHandler } from 'msw';
// By the package's own name, so that the types of this entry and of the main one are the same.
import type { Mock } from '@service/mock';
import { CONNECTION_LOST } from '../http/call.ts';
import { CORE } from '../core.ts';
import { handleCall, respondTo, toCall } from './fetch.ts';

/** Sets up the handlers of a mock. */
export interface HandlerOptions {
  /**
   * The address that the handlers answer at, up to and including `/api/v1`.
   *
   * @default mock.baseUrl
   */
  readonly baseUrl?: string;
}

/**
 * Creates the MSW handlers of a mock, for `setupServer` and `setupWorker` of msw 2.10 and later and of msw 3.
 *
 * @example
 * const server = setupServer(...createHandlers(mock));
 */
export function createHandlers(
  mock: Mock,
  { baseUrl = mock.baseUrl }: HandlerOptions = {},
): RequestHandler[] {
  const answer = async ({ request }: { request: Request }): Promise<Response> => {
    const answered = await handleCall(mock[CORE], toCall(request, 'msw'));
    if (answered === CONNECTION_LOST || answered.damage === 'garbage') return HttpResponse.error();
    return respondTo(answered, request);
  };
  return [http.all(baseUrl, answer), http.all(`${baseUrl}/*`, answer)];
}
