import { http, HttpResponse, type RequestHandler } from 'msw';
import { CONNECTION_LOST } from '../http/call.ts';
import { CORE, type Mock } from '../core.ts';
import { toCall, toResponse } from './fetch.ts';

// Kept from load time, so that fake timers installed later cannot hold back what follows an answer.
const { setTimeout } = globalThis;

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
  return [
    http.all(`${baseUrl}/*`, async ({ request }) => {
      const { answer, flushed } = await mock[CORE](toCall(request));
      setTimeout(flushed, 0);
      return answer === CONNECTION_LOST ? HttpResponse.error() : toResponse(answer);
    }),
  ];
}
