import type { paths } from '@service/contract';
import createOpenapiClient, { type Client as OpenapiClient } from 'openapi-fetch';
import { writePath } from '../transport/path.ts';
import { startProgress } from '../transport/progress.ts';
import { send, type Transport } from '../transport/send.ts';

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
      const body = method === 'GET' ? undefined : await request.text();
      const drafted = { operation: 'api', method, url, headers: request.headers, body } as const;
      return (await send(drafted, { progress: startProgress(), signal, timeout }, transport)).response;
    },
  });
}
