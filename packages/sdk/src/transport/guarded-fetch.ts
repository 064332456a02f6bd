import type { Mode } from '@service/contract';
import { hide } from '../errors/service-error.ts';
import { type ClientContext, sendAttempt, toFields } from './attempt.ts';
import { createCallState } from './call-state.ts';
import { preventReplay } from './no-replay.ts';
import { checkTarget } from './path.ts';
import { rebuildResponse } from './response.ts';

/** A `fetch` of one client. The API key and the headers of the client stay inside. */
export interface GuardedFetch {
  readonly baseUrl: string;
  /**
   * Sends one request with the API key, the timeout, the hooks, and the checks of address, redirect and mode.
   *
   * @throws {ServiceError} when no valid response was received.
   */
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * The property of a client that holds its guarded `fetch`. Global, because each entry point is bundled
 * separately.
 */
const GUARDED_FETCH: unique symbol = Symbol.for('@service/sdk/guarded-fetch');

/** Adds the guarded `fetch` to a client, as a property that is not enumerable. */
export function addGuardedFetch(client: object, context: ClientContext): void {
  hide(client, GUARDED_FETCH, createGuardedFetch(context));
}

/** Returns the guarded `fetch` of a client, or undefined for any other value. */
export function findGuardedFetch(client: unknown): GuardedFetch | undefined {
  return (client as { readonly [GUARDED_FETCH]?: GuardedFetch } | null | undefined)?.[GUARDED_FETCH];
}

function createGuardedFetch(context: ClientContext): GuardedFetch {
  const { baseUrl, headers, timeout } = context.settings;
  return {
    baseUrl,
    fetch: async (request) => {
      const { url, method, signal } = request;
      const draft = {
        operation: 'api',
        method,
        url,
        headers: { ...headers, ...toFields(request.headers) },
        body: /^(GET|HEAD)$/.test(method) ? undefined : await request.text(),
        check: (mode: Mode) => checkTarget(url, baseUrl, mode),
        preventReplay,
        isTooLate: undefined,
      } as const;
      return sendAttempt({ draft, callState: createCallState(), signal, timeout }, context, rebuildResponse);
    },
  };
}
