import type { Deliveries } from '../delivery/deliveries.ts';
import type { EventName } from '../domain/event.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { Books } from '../world/books.ts';
import { SandboxError } from '../world/sandbox-error.ts';
import type { World } from '../world/world.ts';
import { checkArguments } from './arguments.ts';
import { checkEvent } from './disturb.ts';
import { type BooksRef, findBooks, findPayment, showId } from './locate.ts';
import { readLimits, type WaitOptions } from './wait.ts';

/** Says which delivery to wait for. */
export interface DeliveryTarget extends BooksRef {
  /** The id of a payment, of any account and mode when none is named. */
  readonly payment?: string;
  readonly event?: EventName;
}

// Kept from load time, so that fake timers installed later cannot make a wait endless.
const { setTimeout, clearTimeout } = globalThis;

/** Waits for the first acknowledged delivery that is asked for. Throws `SandboxError`, `timeout` when there is none in time. */
export async function waitForDelivery(
  parts: { readonly world: World; readonly deliveries: Deliveries },
  target: DeliveryTarget,
  options: WaitOptions,
): Promise<Delivery> {
  const books = readTarget(parts.world, target);
  const { timeout, signal } = readLimits('webhooks.waitFor', options);
  const { promise, resolve, reject } = Promise.withResolvers<Delivery>();
  const offer = (delivery: Delivery): void => {
    if (isAsked(target, delivery) && delivery.state === 'acknowledged') resolve(delivery);
  };
  const stop = parts.deliveries.watch((changed, delivery) => {
    // By name, so that a wait goes on where a reset has put other books in their place.
    if (changed.source === books.source) offer(delivery);
  });
  const timer = setTimeout(() => reject(timeoutError(books, target)), timeout);
  const abort = (): void => reject(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  books.deliveries.forEach(offer);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    stop();
  }
}

function readTarget(world: World, target: DeliveryTarget): Books {
  checkArguments('webhooks.waitFor', target, ['account', 'mode', 'payment', 'event']);
  const { account, mode, payment, event } = target;
  if (event !== undefined) checkEvent(event);
  const isAnywhere = payment !== undefined && account === undefined && mode === undefined;
  if (isAnywhere) return findPayment(world, payment).books;
  const books = findBooks(world, target);
  if (payment === undefined || books.payments.has(payment)) return books;
  throw new SandboxError('not_found', `There is no payment ${showId(payment)} in that account and mode.`);
}

function isAsked({ payment, event }: DeliveryTarget, { payment_id, status }: Delivery): boolean {
  return (
    (payment === undefined || payment === payment_id) &&
    (event === undefined || event === `payment.${status}`)
  );
}

function timeoutError(books: Books, target: DeliveryTarget): SandboxError {
  const asked = [...books.deliveries.values()].filter((delivery) => isAsked(target, delivery));
  const found = asked.map(({ id, status, state }) => `${id} (payment.${status}) is ${state}`);
  const seen = books.endpoint === null ? 'there is no endpoint' : found.join(', ') || 'there is none yet';
  return new SandboxError('timeout', `No such delivery was acknowledged in time: ${seen}.`);
}
