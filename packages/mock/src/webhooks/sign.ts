import { toHex } from '@service/internal';
import { tamperBody } from '../domain/fault.ts';
import type { Profile } from '../domain/profile.ts';
import { mergeHeaders } from '../domain/response.ts';

/** The content, endpoint and signing secret of one attempt. */
export interface OutgoingWebhook {
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  /** The statuses that acknowledge the event. */
  readonly ack: Profile['ack'];
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Changes the body after signing. */
  readonly isTampered?: boolean;
}

/** A signed request. The body is the exact bytes that were signed. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Signs the webhook of an attempt. */
export async function signRequest(webhook: OutgoingWebhook): Promise<SignedRequest> {
  const { url, body, secret, isTampered = false } = webhook;
  const bytes = new TextEncoder().encode(body);
  const own = { 'Content-Type': 'application/json', 'User-Agent': 'service-webhooks/1' };
  const signature = { 'X-Service-Signature': await computeSignature(bytes, secret) };
  const headers = mergeHeaders(own, webhook.headers ?? {}, signature);
  return { url, headers, body: isTampered ? new TextEncoder().encode(tamperBody(body)) : bytes };
}

/**
 * Computes the HMAC-SHA256 of a body, in hexadecimal (docs/contract.md#webhooks). Synchronous in Node: the threads of
 * `crypto.subtle` end in any order, and the order of attempts must be the same in every run.
 */
function computeSignature(body: Uint8Array<ArrayBuffer>, secret: string): string | Promise<string> {
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  return node?.createHmac('sha256', secret).update(body).digest('hex') ?? signInBrowser(body, secret);
}

async function signInBrowser(body: Uint8Array<ArrayBuffer>, secret: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign']);
  return toHex(new Uint8Array(await subtle.sign('HMAC', key, body)));
}
