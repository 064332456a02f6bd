import { checkEndpointUrl } from '../delivery/address.ts';
import type { Deliveries, Delivery } from '../delivery/deliveries.ts';
import type { Books } from '../world/books.ts';
import { deriveHex } from '../world/ids.ts';
import type { World } from '../world/world.ts';
import { type BooksRef, findBooks } from './locate.ts';

/** Registers where events go; there is one endpoint for each account and mode. */
export interface WebhookControl {
  /**
   * Sets the endpoint and returns the secret that signs its events: 64 hex digits, shown this once. Events that happened
   * before are not sent. Throws `SandboxError` for an address that is not on this machine.
   */
  readonly setEndpoint: (endpoint: BooksRef & { readonly url: string }) => { readonly secret: string };
  /** Removes the endpoint; events are recorded but no longer sent. */
  readonly removeEndpoint: (ref?: BooksRef) => void;
  /** Lists what was delivered, oldest first. */
  readonly deliveries: (ref?: BooksRef) => readonly Delivery[];
}

/** Creates the control of webhooks. */
export function createWebhookControl(world: World, deliveries: Deliveries): WebhookControl {
  const issued = new WeakMap<Books, number>();
  return {
    setEndpoint({ url, ...ref }) {
      const books = findBooks(world, ref);
      const checked = checkEndpointUrl(url);
      const count = (issued.get(books) ?? 0) + 1;
      issued.set(books, count);
      const secret = deriveHex(books.source, `signing secret ${count}`, 64);
      books.endpoint = { url: checked, secret };
      return { secret };
    },
    removeEndpoint(ref = {}) {
      findBooks(world, ref).endpoint = null;
    },
    deliveries: (ref = {}) => [...deliveries.list(findBooks(world, ref))],
  };
}
