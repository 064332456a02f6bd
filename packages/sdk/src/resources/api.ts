import type { Mode, paths } from '@service/contract';
import createOpenapiClient, { type Client as OpenapiClient } from 'openapi-fetch';
import { rebuild } from '../transport/answer.ts';
import { attempt, toFields, type Transport } from '../transport/attempt.ts';
import { once } from '../transport/once.ts';
import { checkTarget, writePath } from '../transport/path.ts';
import { startProgress } from '../transport/progress.ts';

/** Calls the service operation by operation, typed by its contract: what `openapi-fetch` offers. */
export type Api = OpenapiClient<paths>;

/**
 * Makes the `openapi-fetch` client on the guarded transport: each request gets the key, the timeout, the hooks and the
 * checks of address, redirect and mode, and is sent once. It answers `{ data, error, response }`; what fails on the way is
 * thrown as a ServiceError.
 */
export function createApi(transport: Transport): Api {
  const { baseUrl, headers, timeout } = transport.settings;
  return createOpenapiClient<paths>({
    baseUrl,
    headers,
    pathSerializer: writePath,
    fetch: async (request) => {
      const { url, method, signal } = request;
      const body = /^(GET|HEAD)$/.test(method) ? undefined : await request.text();
      const draft = {
        operation: 'api',
        method,
        url,
        headers: toFields(request.headers),
        body,
        check: (mode: Mode) => checkTarget(url, baseUrl, mode),
        once,
        isTooLate: undefined,
      } as const;
      return attempt({ draft, progress: startProgress(), signal, timeout }, transport, rebuild);
    },
  });
}
