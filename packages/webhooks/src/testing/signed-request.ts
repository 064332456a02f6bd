import type { RawBody } from '../bytes.ts';
import type { Secret } from '../secret.ts';
import { SIGNATURE_HEADER } from '../signature.ts';
import { sign } from '../verifier.web.ts';

/** The options of `signedRequest`. */
export interface SignedRequestOptions {
  /** The signing secret. Required. */
  readonly secret: Secret;
  /**
   * The URL of the request.
   *
   * @default 'http://localhost/webhooks'
   */
  readonly url?: string | undefined;
  /** Additional headers. They replace the headers of the service. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Creates a signed request, as the service sends it. An object is sent as compact JSON, text and bytes
 * unchanged.
 *
 * @example await receive(await signedRequest(events.completed(), { secret }));
 * @throws {WebhookError} `unusable_secret`
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
