import type { IncomingHttpHeaders } from 'node:http';
import type { AccountEnvironment } from './entities.ts';
import { ApiProblem } from './problems.ts';

/**
 * Authenticates the API key of a request: the bearer token, or else the `X-API-Key` header.
 *
 * @throws {ApiProblem} when the key is missing or invalid.
 */
export function authenticate(
  environments: readonly AccountEnvironment[],
  headers: IncomingHttpHeaders,
): AccountEnvironment {
  const bearer = /^Bearer\s+(.*)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
  const apiKey = bearer ?? headers['x-api-key'];
  if (apiKey === undefined || apiKey === '') {
    throw createChallenge('No API key was provided.', 'Bearer');
  }
  const environment = environments.find((candidate) => candidate.apiKey === apiKey);
  if (environment === undefined) {
    throw createChallenge('The API key is invalid.', 'Bearer error="invalid_token"');
  }
  return environment;
}

function createChallenge(message: string, challenge: string): ApiProblem {
  return new ApiProblem(401, 'authentication_error', message, {
    headers: { 'WWW-Authenticate': challenge },
  });
}
