/** A signed request. The body is the exact bytes that were signed. */
interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * Sends a request without following redirects and returns the status. Rejects without a response, with
 * `AddressNotAllowed` for an address that is not allowed.
 */
export type WebhookSender = (signed: SignedRequest, signal: AbortSignal) => Promise<number>;

/** Sends a request, like the global `fetch`. */
export type FetchRequest = (request: Request) => Promise<Response>;

/** A host resolves to an address that is not allowed. */
export class AddressNotAllowed extends Error {}
