import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from './errors.ts';
import type { Workspace } from './workspace.ts';

/** Finds workspaces by key. It keeps digests only, so that a lookup does not depend on how much of a key is right. */
export class KeyRing {
  readonly #workspaces = new Map<string, Workspace>();

  add(key: string, workspace: Workspace): void {
    this.#workspaces.set(digest(key), workspace);
  }

  /** @throws {ApiError} when the key is missing or unknown */
  authenticate({ authorization, 'x-api-key': apiKey }: IncomingHttpHeaders): Workspace {
    const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    const key = bearer ?? (Array.isArray(apiKey) ? apiKey[0] : apiKey);
    if (key === undefined || key === '')
      throw unauthenticated('credentials_missing', 'An API key is required.', 'Bearer realm="payments"');
    const workspace = this.#workspaces.get(digest(key));
    const challenge = 'Bearer realm="payments", error="invalid_token"';
    if (!workspace) throw unauthenticated('credentials_invalid', 'The API key is not valid.', challenge);
    return workspace;
  }
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function unauthenticated(code: string, detail: string, challenge: string): ApiError {
  const headers = { 'WWW-Authenticate': challenge };
  return new ApiError({ status: 401, type: 'authentication_error', problems: [{ code, detail }], headers });
}
