import { checkEndpointUrl } from '../delivery/address.ts';
import type { Deliveries, Delivery } from '../delivery/deliveries.ts';
import { deriveHex } from '../world/ids.ts';
import type { World } from '../world/world.ts';
import { checkArguments } from './arguments.ts';
import { type BooksRef, findBooks } from './locate.ts';

/** Registers where events go; there is one endpoint for each account and mode. */
export interface WebhookControl {
  /**
   * Sets the endpoint and returns the secret that signs its events: 64 hex digits, shown this once. What happened
   * before is not sent; what is queued is signed with the secret of the moment. Throws `SandboxError` for an address that is not on this machine.
   */
  readonly setEndpoint: (endpoint: BooksRef & { readonly url: string }) => { readonly secret: string };
  /** Removes the endpoint; events are recorded but no longer sent. */
  readonly removeEndpoint: (ref?: BooksRef) => void;
  /** Lists what was delivered, oldest first. */
  readonly deliveries: (ref?: BooksRef) => readonly Delivery[];
}

/** Creates the control of webhooks. */
export function createWebhookControl(world: World, deliveries: Deliveries): WebhookControl {
  return {
    setEndpoint(endpoint) {
      checkArguments('webhooks.setEndpoint', endpoint, ['account', 'mode', 'url']);
      const books = findBooks(world, endpoint);
      const url = checkEndpointUrl(endpoint.url);
      books.secretsIssued += 1;
      const secret = deriveHex(books.source, `signing secret ${books.secretsIssued}`, 64);
      books.endpoint = { url, secret };
      return { secret };
    },
    removeEndpoint(ref = {}) {
      findBooks(world, ref).endpoint = null;
    },
    deliveries: (ref = {}) => [...deliveries.list(findBooks(world, ref))],
  };
}
