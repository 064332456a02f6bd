import type { RawBody } from '../bytes.ts';
import type { Secret } from '../secret.ts';
import { SIGNATURE_HEADER } from '../signature.ts';
import { sign } from '../verifier.web.ts';

/** Configures a signed request. */
export interface SignedRequestOptions {
  /** Holds the signing secret. Required. */
  readonly secret: Secret;
  /** Names where the request goes. Default `http://localhost/webhooks`. */
  readonly url?: string | undefined;
  /** Adds headers, or replaces those of the service. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Builds the request that the service sends: `await receive(await signedRequest(events.completed(), { secret }))`. An
 * object is sent as compact JSON; text and bytes as they are. Rejects with `unusable_secret`.
 */
export async function signedRequest(
  event: object | RawBody,
  { secret, url = 'http://localhost/webhooks', headers = {} }: SignedRequestOptions,
): Promise<Request> {
  const isRaw = typeof event === 'string' || ArrayBuffer.isView(event) || event instanceof ArrayBuffer;
  const body = (isRaw ? event : JSON.stringify(event)) as string | Uint8Array<ArrayBuffer>;
  const signature = await sign(body, secret);
  return new Request(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature, ...headers },
  });
}
