import { checkEndpointUrl } from '../delivery/address.ts';
import type { Deliveries } from '../delivery/deliveries.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { Books } from '../world/books.ts';
import { deriveHex } from '../world/ids.ts';
import { SandboxError } from '../world/sandbox-error.ts';
import type { World } from '../world/world.ts';
import { checkArguments } from './arguments.ts';
import { type BooksRef, findBooks } from './locate.ts';

/** Registers where events go; there is one endpoint for each account and mode. */
export interface WebhookControl {
  /**
   * Sets the endpoint and returns the secret that signs its events: 64 hex digits, shown this once. What happened before
   * is not sent; what is queued is signed with the secret of the moment. Throws `SandboxError` for an address that is not
   * on this machine.
   */
  readonly setEndpoint: (endpoint: BooksRef & { readonly url: string }) => { readonly secret: string };
  /** Replaces the secret; whatever is sent from now on is signed with the new one. Throws `SandboxError`. */
  readonly rotateSecret: (ref?: BooksRef) => { readonly secret: string };
  /** Removes the endpoint; events are recorded but no longer sent, and retries stop. */
  readonly removeEndpoint: (ref?: BooksRef) => void;
  /** Lists the deliveries with their attempts, oldest first. */
  readonly deliveries: (ref?: BooksRef) => readonly Delivery[];
  /** Tries a delivery once more, now, and returns it with that attempt. Throws `SandboxError` for an unknown one. */
  readonly redeliver: (id: string) => Promise<Delivery>;
}

/** Creates the control of webhooks. */
export function createWebhookControl(world: World, deliveries: Deliveries): WebhookControl {
  return {
    setEndpoint(endpoint) {
      checkArguments('webhooks.setEndpoint', endpoint, ['account', 'mode', 'url']);
      return issueSecret(findBooks(world, endpoint), checkEndpointUrl(endpoint.url));
    },
    rotateSecret(ref = {}) {
      checkArguments('webhooks.rotateSecret', ref, ['account', 'mode']);
      const books = findBooks(world, ref);
      if (books.endpoint === null)
        throw new SandboxError('invalid_state', 'There is no endpoint whose secret to rotate.');
      return issueSecret(books, books.endpoint.url);
    },
    removeEndpoint(ref = {}) {
      findBooks(world, ref).endpoint = null;
    },
    deliveries: (ref = {}) => [...findBooks(world, ref).deliveries.values()],
    async redeliver(id) {
      const books = findBooksOfDelivery(world, id);
      await deliveries.redeliver(books, id);
      return requireDelivery(books, id);
    },
  };
}

function issueSecret(books: Books, url: string): { secret: string } {
  books.secretsIssued += 1;
  const secret = deriveHex(books.source, `signing secret ${books.secretsIssued}`, 64);
  books.endpoint = { url, secret };
  return { secret };
}

function findBooksOfDelivery(world: World, id: string): Books {
  for (const { books } of world.accounts.values()) {
    for (const each of [books.test, books.live]) if (each.deliveries.has(id)) return each;
  }
  throw new SandboxError('not_found', `There is no delivery ${JSON.stringify(id)}.`);
}

function requireDelivery(books: Books, id: string): Delivery {
  const delivery = books.deliveries.get(id);
  if (delivery === undefined)
    throw new SandboxError('not_found', `There is no delivery ${JSON.stringify(id)}.`);
  return delivery;
}
