import type { Mode } from '@service/contract';
import { isRecord } from '@service/internal';
import { createValidationError } from '../errors/error-classes.ts';
import { hide } from '../errors/service-error.ts';
import type { HeaderFields } from '../options/headers.ts';
import { checkId } from '../values/payment.ts';
import { createCallContext, runAttempt } from './call.ts';
import type { ClientContext } from './client-context.ts';
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

/** The property of a client with its guarded `fetch`. Global, because `./api` may be of another copy of the package. */
const GUARDED_FETCH: unique symbol = Symbol.for('@service/sdk/guarded-fetch');

/** Adds the guarded `fetch` to a client, as a property that is not enumerable. */
export function addGuardedFetch(client: object, context: ClientContext): void {
  const { baseUrl, headers, timeout } = context.settings;
  const guarded: GuardedFetch = {
    baseUrl,
    fetch: async (request) => {
      const { url, method, signal } = request;
      const isRead = /^(GET|HEAD)$/.test(method);
      const draft = {
        operation: 'api',
        method,
        url,
        headers: { ...headers, ...toFields(request.headers) },
        body: isRead ? undefined : await request.text(),
        check: (mode: Mode) => checkTarget(url, baseUrl, mode),
        isSentOnce: !isRead,
        isExpired: undefined,
        unseenUntil: undefined,
      } as const;
      return runAttempt(draft, { ...createCallContext(context, { signal }), timeout }, rebuildResponse);
    },
  };
  hide(client, GUARDED_FETCH, guarded);
}

/** Returns the guarded `fetch` of a client, or undefined for any other value. */
export function findGuardedFetch(client: unknown): GuardedFetch | undefined {
  return (client as { readonly [GUARDED_FETCH]?: GuardedFetch } | null | undefined)?.[GUARDED_FETCH];
}

/** Converts headers to fields and removes API keys: the service rejects two different ones. */
function toFields(headers: Headers): HeaderFields {
  headers.delete('authorization');
  headers.delete('x-api-key');
  return Object.fromEntries(headers);
}

const operationPath = /^\/(?:balance|payments|quotes|transactions|payments\/(?<id>[^/]+))$/;

/**
 * Checks that a URL is an operation at the base URL of the client, for a payment in the mode of the API key.
 * Called after all code that builds requests, so that the API key is sent to no other URL.
 *
 * @throws {ValidationError} when the URL is not an operation, or its payment has another mode.
 */
function checkTarget(address: string, baseUrl: string, mode: Mode): void {
  const { origin, pathname } = new URL(address);
  const full = origin + pathname;
  const match = full.startsWith(`${baseUrl}/`) && operationPath.exec(full.slice(baseUrl.length));
  if (!match) throw createValidationError('The URL of the request is not an operation of the service.');
  if (match.groups?.id !== undefined) checkId(match.groups.id, mode);
}

/**
 * Replaces the placeholders of a path by ids.
 *
 * @throws {ValidationError} when an id is missing or is not a payment id.
 */
export function writePath(path: string, values: unknown): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    checkId(isRecord(values) ? values[name] : undefined),
  );
}
