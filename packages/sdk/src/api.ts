/**
 * Direct calls of the operations, typed by the contract.
 *
 * @module
 */
import type { components, OperationTypes as operations, paths } from '@service/contract';
import createOpenapiClient, { type Client as OpenapiClient } from 'openapi-fetch';
import { isRecord } from '@service/internal';
import { checkId } from './body.ts';
import { type Client, findGuardedFetch } from './client.ts';
import { ConfigurationError } from './errors.ts';

export type { components, operations, paths };

/** The operations of the service by method and path, as `openapi-fetch` provides them. */
export type Api = OpenapiClient<paths>;

/**
 * Creates an `openapi-fetch` client that sends through a client of this package, with its API key, timeout,
 * hooks and checks. Sends each request once, and bodies as they are. Returns `{ data, error, response }`.
 *
 * @throws {ConfigurationError} when the argument is not a client of this package.
 * @example
 * const api = createApi(createClient());
 * const { data, error } = await api.GET('/balance');
 */
export function createApi(client: Client): Api {
  const guarded = findGuardedFetch(client);
  if (guarded === undefined)
    throw new ConfigurationError(
      'createApi needs the client that createClient returned, not a copy, from the same version of @service/sdk.',
    );
  return createOpenapiClient<paths>({ ...guarded, pathSerializer: writePath });
}

/**
 * Replaces the placeholders of a path by ids.
 *
 * @throws {ValidationError} when an id is missing or is not a payment id.
 */
function writePath(path: string, values: unknown): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    checkId(isRecord(values) ? values[name] : undefined),
  );
}
