import { createDraw } from '../domain/ids.ts';
import { stopDelivery } from '../domain/delivery.ts';
import { type Payment, writeEvent } from '../domain/payment.ts';
import type { DeliveryFault } from '../domain/fault.ts';
import { behaviors, drawDuration } from '../domain/decision.ts';
import { type AccountState, nextDeliveryId } from '../state/account-state.ts';
import { type Changes, storeDelivery } from '../state/changes.ts';
import type { Faults } from '../state/faults.ts';
import type { CommittedPayment } from '../state/state.ts';
import type { DeliveryFaults } from '@service/internal';

/**
 * The ids of deliveries in the order in which they are sent: one group after another, each group at the same
 * time. A delivery with `next_at` waits for that time, and the next group does not wait for it.
 */
export type DeliveryGroups = readonly (readonly string[])[];

/** The injected faults of deliveries, and the recorder of their changes. */
export interface OutboxOptions {
  readonly faults: Faults<DeliveryFault>;
  readonly changes: Changes;
}

/**
 * Stores the deliveries of the event of a payment with a new status. Returns those to send now, including duplicate,
 * reordered and delayed ones, and not those that wait for another event.
 */
export function addEvent(
  { accountState, payment }: CommittedPayment,
  { faults, changes }: OutboxOptions,
): DeliveryGroups {
  const { endpoint, profile, held } = accountState;
  const isSent = endpoint !== null && profile.events.includes(payment.status);
  const fault = isSent ? matchFault(faults, accountState, payment) : undefined;
  const ids = isSent ? addDeliveries(accountState, payment, fault, changes) : [];
  if (fault?.kind === 'reorder') {
    hold(accountState, payment.id, ids);
    return [];
  }
  const waiting = held.get(payment.id) ?? [];
  held.delete(payment.id);
  // The last one of the deliveries that have waited comes first.
  const released = waiting.toReversed().map((id) => [id]);
  return isSent ? [ids, ...released] : released;
}

/** Returns the deliveries of a restored state that still have to be sent. */
export function listUnsent(accountState: AccountState): DeliveryGroups {
  const waiting = findReordered(accountState);
  const groups: string[][] = [];
  for (const { id, payment_id, state, next_at } of accountState.deliveries.values()) {
    if (waiting.has(id)) hold(accountState, payment_id, [id]);
    else if (state === 'queued' || next_at !== null) groups.push([id]);
  }
  return groups;
}

function hold({ held }: AccountState, payment: string, ids: readonly string[]): void {
  held.set(payment, [...(held.get(payment) ?? []), ...ids]);
}

/**
 * Returns the fault of an event and counts it as fired. The outcome of the payment has precedence, and a fault drawn with the
 * probabilities of the profile comes last.
 */
function matchFault(
  faults: Faults<DeliveryFault>,
  accountState: AccountState,
  { id, status, outcome, next }: Payment,
): DeliveryFault | undefined {
  const { deliveryFault } = behaviors[outcome];
  if (deliveryFault !== undefined && (deliveryFault.status ?? status) === status) return deliveryFault.fault;
  // The last event of a payment cannot wait for the next one.
  const isLast = status !== 'pending' && status !== 'processing' && next === null;
  const canApply = ({ kind }: DeliveryFault): boolean => kind !== 'reorder' || !isLast;
  const injected = faults.match({ accountState, event: `payment.${status}`, canApply })?.fault;
  const { deliveryFaults } = accountState.profile;
  if (injected !== undefined || deliveryFaults === 'none') return injected;
  const fault = drawFault(deliveryFaults, createDraw(id, `webhook ${status}`));
  return fault === undefined || canApply(fault) ? fault : undefined;
}

/** Draws the fault of an event. */
function drawFault(
  { duplicates = 0, reorder = 0, delay = 0 }: DeliveryFaults,
  draw: () => number,
): DeliveryFault | undefined {
  const [isReordered, isDuplicate] = [draw() < reorder, draw() < duplicates];
  const by = drawDuration(delay, draw);
  if (isReordered) return { kind: 'reorder', by: 0 };
  if (isDuplicate) return { kind: 'duplicate', by };
  return by > 0 ? { kind: 'delay', by } : undefined;
}

/** Stops the deliveries that have not ended. Events without an endpoint are never sent later. */
export function stopDeliveries(accountState: AccountState, changes: Changes): void {
  for (const delivery of accountState.deliveries.values())
    if (delivery.state === 'queued' || delivery.state === 'retrying')
      storeDelivery(changes, accountState, stopDelivery(delivery));
}

/** Stores the delivery of the event of a status, or the two of a duplicate, and returns their ids. */
function addDeliveries(
  accountState: AccountState,
  payment: Payment,
  fault: DeliveryFault | undefined,
  changes: Changes,
): string[] {
  const { id: payment_id, status, history } = payment;
  let id = nextDeliveryId(accountState);
  const body = writeEvent(payment, status, accountState.profile);
  const { kind = null, by = 0 } = fault ?? {};
  const isDelayed = (kind === 'delay' || kind === 'duplicate') && by > 0;
  const kinds = kind === 'duplicate' ? ([isDelayed ? 'delay' : null, kind] as const) : [kind];
  const next_at = isDelayed ? (history[status] ?? history.pending) + by : null;
  const ids: string[] = [];
  for (const each of kinds) {
    if (ids.length > 0) id = nextDeliveryId(accountState);
    storeDelivery(changes, accountState, {
      id,
      payment_id,
      status,
      event: `payment.${status}`,
      body,
      state: 'queued',
      attempts: [],
      next_at,
      fault: each,
    });
    ids.push(id);
  }
  return ids;
}

/** Returns the ids of the reordered deliveries that wait for the next event of their payment. */
function findReordered({ deliveries }: AccountState): Set<string> {
  const waiting = new Set<string>();
  const withLaterEvent = new Set<string>();
  for (const { id, payment_id, state, fault } of [...deliveries.values()].toReversed()) {
    const waits = fault === 'reorder' && state === 'queued' && !withLaterEvent.has(payment_id);
    if (waits) waiting.add(id);
    else withLaterEvent.add(payment_id);
  }
  return waiting;
}
