import type { paths } from '@service/contract';
import createOpenapiClient, { type Client as OpenapiClient } from 'openapi-fetch';
import { writePath } from '../transport/path.ts';
import { startProgress } from '../transport/progress.ts';
import { send, type Transport } from '../transport/send.ts';

/** Calls the service operation by operation, typed by its contract: what `openapi-fetch` offers. */
export type Api = OpenapiClient<paths>;

/**
 * Makes the `openapi-fetch` client on the guarded transport: each request gets the key, the timeout and the checks of
 * address, redirect and mode. It answers `{ data, error, response }`; what fails on the way is thrown as a ServiceError.
 */
export function createApi(transport: Transport): Api {
  const { baseUrl, headers, timeout } = transport.settings;
  return createOpenapiClient<paths>({
    baseUrl,
    headers,
    pathSerializer: writePath,
    fetch: async (request) => {
      const attempt = { progress: startProgress(), signal: request.signal, timeout };
      return (await send(request, attempt, transport)).response;
    },
  });
}
