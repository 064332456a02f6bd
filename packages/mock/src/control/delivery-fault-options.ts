import { type EventName, eventNames } from '../domain/event.ts';
import type { InjectedDeliveryFault, DeliveryFaults } from '../webhooks/delivery-faults.ts';
import { type DeliveryFaultKind, deliveryFaultKinds } from '../domain/delivery-fault.ts';
import { type Duration, parseDuration } from '../state/duration.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { State } from '../state/state.ts';
import { checkArguments } from './arguments.ts';
import { type AccountModeRef, findAccountState } from './locate.ts';

/** Says what is to go wrong with the deliveries of an account and mode. */
export interface DeliveryFaultInput extends AccountModeRef {
  /**
   * What goes wrong with the first attempt at an event; every later attempt is an ordinary one.
   *
   * - `duplicate`: a second delivery of the same event leaves together with it.
   * - `reorder`: it waits for the next event of its payment and leaves right after that one. It is not due until then, so
   *   `idle()` does not wait for it, and the last event of a payment is left alone.
   * - `drop`: it is never sent and counts as failed, so that the first retry follows on the schedule.
   * - `delay`: it leaves `by` later on the sandbox's clock; the events after it do not wait.
   * - `tamper`: one byte of the body, its last digit, is changed after it was signed.
   * - `wrong_secret`: it is signed with another secret.
   */
  readonly kind: DeliveryFaultKind;
  /**
   * How many events it happens to.
   *
   * @default 1
   */
  readonly times?: number | 'unlimited';
  /** The event that it happens to; any when left out. */
  readonly event?: EventName;
  /** How long a `delay` is, up to `'365d'`; no other kind takes it. */
  readonly by?: Duration;
}

const LONGEST_DELAY = 365 * 86_400_000;

/** Arms a disturbance. Throws `SandboxError` with nothing armed. */
export function injectDeliveryFault(
  state: State,
  deliveryFaults: DeliveryFaults,
  options: DeliveryFaultInput,
): InjectedDeliveryFault {
  checkArguments('webhooks.disturb', options, ['account', 'mode', 'kind', 'times', 'event', 'by']);
  const { kind, event } = options;
  if (!deliveryFaultKinds.includes(kind))
    throw refuse(`kind must be one of ${deliveryFaultKinds.join(', ')}`);
  if (event !== undefined) checkEvent(event);
  const order = { kind, event, times: readTimes(options.times), by: readDelay(kind, options.by) };
  return deliveryFaults.inject(findAccountState(state, options), order);
}

/** Checks the name of an event. Throws `SandboxError`. */
export function checkEvent(event: EventName): void {
  if (!eventNames.includes(event)) throw refuse(`event must be one of ${eventNames.join(', ')}`);
}

function readTimes(times: number | 'unlimited' = 1): number {
  if (times === 'unlimited') return Number.POSITIVE_INFINITY;
  if (Number.isSafeInteger(times) && times > 0) return times;
  throw refuse("times must be a whole number from 1 or 'unlimited'");
}

function readDelay(kind: DeliveryFaultKind, by: Duration | undefined): number {
  if (kind !== 'delay') {
    if (by === undefined) return 0;
    throw refuse(`by says how long a delay is; ${kind} takes none`);
  }
  const delay = by === undefined ? 0 : parseDuration(by);
  if (delay >= 1 && delay <= LONGEST_DELAY) return delay;
  throw refuse("a delay needs by, from '1ms' to '365d'");
}

function refuse(message: string): SandboxError {
  return new SandboxError('invalid_argument', `${message}.`);
}
