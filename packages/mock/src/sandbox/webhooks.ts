import type { Deliveries } from '../delivery/deliveries.ts';
import type { ArmedDisturbance } from '../delivery/disturbances.ts';
import type { CollectedEvent } from '../delivery/inboxes.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { Books } from '../world/books.ts';
import { SandboxError } from '../world/sandbox-error.ts';
import type { World } from '../world/world.ts';
import { checkArguments } from './arguments.ts';
import { armDisturbance, type DisturbanceOptions } from './disturb.ts';
import { createEndpointControl, type EndpointControl } from './endpoint.ts';
import { type BooksRef, findBooks, showId } from './locate.ts';
import type { WaitOptions } from './wait.ts';
import { type DeliveryTarget, waitForDelivery } from './wait-for.ts';

export type { CollectedEvent } from '../delivery/inboxes.ts';

/** Registers where events go, shows how they got there, and makes that go wrong on purpose. */
export interface WebhookControl extends EndpointControl {
  /** Lists what has arrived since the last `collect`, in order; each one serves as `new Request(url, event)`. */
  readonly collected: (ref?: BooksRef) => readonly CollectedEvent[];
  /** Lists the deliveries with their attempts, oldest first. */
  readonly deliveries: (ref?: BooksRef) => readonly Delivery[];
  /** Tries a delivery once more, now, and returns it with that attempt. Throws `SandboxError` for an unknown one, or without an endpoint. */
  readonly redeliver: (id: string) => Promise<Delivery>;
  /** Makes something go wrong with the next deliveries, on purpose; `Delivery.disturbed` shows where it did. */
  readonly disturb: (disturbance: DisturbanceOptions) => ArmedDisturbance;
  /**
   * Waits until a delivery was acknowledged, and returns the first such one. It moves no clock. Rejects with a
   * `SandboxError`: `timeout` when there is none in time.
   */
  readonly waitFor: (target?: DeliveryTarget, options?: WaitOptions) => Promise<Delivery>;
}

/** Creates the control of webhooks. */
export function createWebhookControl(world: World, deliveries: Deliveries): WebhookControl {
  const find = (call: string, ref: BooksRef): Books => {
    checkArguments(`webhooks.${call}`, ref, ['account', 'mode']);
    return findBooks(world, ref);
  };
  return {
    ...createEndpointControl(world, deliveries),
    collected: (ref = {}) => deliveries.inboxes.list(find('collected', ref)),
    deliveries: (ref = {}) => [...find('deliveries', ref).deliveries.values()].map(show),
    async redeliver(id) {
      const { books } = findDelivery(world, id);
      if (books.endpoint === null)
        throw new SandboxError('invalid_state', 'There is no endpoint to deliver to.');
      await deliveries.redeliver(books, id);
      return show(findDelivery(world, id).delivery);
    },
    disturb: (disturbance) => armDisturbance(world, deliveries.disturbances, disturbance),
    waitFor: async (target = {}, options = {}) =>
      show(await waitForDelivery({ world, deliveries }, target, options)),
  };
}

/** Copies a delivery, so that whoever changes what it was shown changes nothing here. */
function show(delivery: Delivery): Delivery {
  const attempts = delivery.attempts.map((attempt) => ({ ...attempt, result: { ...attempt.result } }));
  return { ...delivery, attempts };
}

function findDelivery(world: World, id: string): { readonly books: Books; readonly delivery: Delivery } {
  for (const { books } of world.accounts.values()) {
    for (const each of [books.test, books.live]) {
      const delivery = each.deliveries.get(id);
      if (delivery !== undefined) return { books: each, delivery };
    }
  }
  throw new SandboxError('not_found', `There is no delivery ${showId(id)}.`);
}
