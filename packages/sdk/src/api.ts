/**
 * Direct calls of the operations, typed by the contract.
 *
 * @module
 */
import type { components, OperationTypes as operations, paths } from '@service/contract';
import createOpenapiClient, { type Client as OpenapiClient } from 'openapi-fetch';
import { checkId } from './body.ts';
import type { Client } from './client.ts';
import { createValidationError } from './errors.ts';
import type { Mode } from './models.ts';
import { type ClientAccess, requireAccess } from './payments.ts';

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
  const access = requireAccess(client, 'createApi');
  const { baseUrl } = access.settings;
  const fetch = (request: Request): Promise<Response> => sendRequest(request, access);
  return createOpenapiClient<paths>({ baseUrl, fetch });
}

/** Sends a request once, to an operation at the base URL of the client, for a payment in the mode of the API key. */
async function sendRequest(request: Request, { settings, send }: ClientAccess): Promise<Response> {
  const { baseUrl } = settings;
  const { url, method, signal } = request;
  const idempotencyKey = request.headers.get('idempotency-key') ?? undefined;
  const isRead = /^(GET|HEAD)$/.test(method);
  const { origin, pathname } = new URL(url);
  const full = origin + pathname;
  const match = full.startsWith(`${baseUrl}/`) && operationPath.exec(full.slice(baseUrl.length));
  if (!match) throw createValidationError('The URL of the request is not an operation of the service.');
  const draft = {
    operation: 'api',
    method,
    path: url.slice(baseUrl.length),
    body: isRead ? undefined : await request.text(),
    check: (mode: Mode): void => void (match.groups?.id !== undefined && checkId(match.groups.id, mode)),
    isSentOnce: !isRead,
    read: () => undefined,
  } as const;
  return send(draft, { signal, idempotencyKey });
}

const operationPath = /^\/(?:balance|payments|quotes|transactions|payments\/(?<id>[^/]+))$/;
