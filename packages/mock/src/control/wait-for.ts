import type { Deliveries } from '../webhooks/dispatcher.ts';
import { type EventName, eventNames } from '../domain/payment.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { AccountState } from '../state/account-state.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { State } from '../state/state.ts';
import { checkArguments } from './arguments.ts';
import { type AccountModeRef, findAccountState, findPayment, formatId } from './locate.ts';
import { readLimits, type WaitTimeoutOptions } from './wait.ts';

/** The delivery to wait for. */
export interface DeliveryTarget extends AccountModeRef {
  /** The id of a payment, in any account and mode unless they are given. */
  readonly payment?: string;
  readonly event?: EventName;
}

// Captured at load time: fake timers that a test installs later must not block a wait.
const { setTimeout, clearTimeout } = globalThis;

/**
 * Waits for the first acknowledged delivery that matches. Throws `SandboxError`, with the code `timeout`
 * without one.
 */
export async function waitForDelivery(
  parts: { readonly state: State; readonly deliveries: Deliveries },
  target: DeliveryTarget,
  options: WaitTimeoutOptions,
): Promise<Delivery> {
  const accountState = readTarget(parts.state, target);
  const { timeout, signal } = readLimits('webhooks.waitFor', options);
  const { promise, resolve, reject } = Promise.withResolvers<Delivery>();
  const offer = (delivery: Delivery): void => {
    if (matchesTarget(target, delivery) && delivery.state === 'acknowledged') resolve(delivery);
  };
  const stop = parts.deliveries.watch((changed, delivery) => {
    // Compares sources, so that a wait continues after a reset has replaced the account state.
    if (changed.source === accountState.source) offer(delivery);
  });
  const timer = setTimeout(() => reject(timeoutError(accountState, target)), timeout);
  const abort = (): void => reject(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  accountState.deliveries.forEach(offer);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    stop();
  }
}

function readTarget(state: State, target: DeliveryTarget): AccountState {
  checkArguments('webhooks.waitFor', target, ['account', 'mode', 'payment', 'event']);
  const { account, mode, payment, event } = target;
  if (event !== undefined) checkEvent(event);
  const isAnywhere = payment !== undefined && account === undefined && mode === undefined;
  if (isAnywhere) return findPayment(state, payment).accountState;
  const accountState = findAccountState(state, target);
  if (payment === undefined || accountState.payments.has(payment)) return accountState;
  throw new SandboxError('not_found', `There is no payment ${formatId(payment)} in that account and mode.`);
}

function checkEvent(event: EventName): void {
  if (eventNames.includes(event)) return;
  throw new SandboxError('invalid_argument', `event must be one of ${eventNames.join(', ')}.`);
}

function matchesTarget({ payment, event }: DeliveryTarget, delivery: Delivery): boolean {
  return (
    (payment === undefined || payment === delivery.payment_id) &&
    (event === undefined || event === delivery.event)
  );
}

function timeoutError(accountState: AccountState, target: DeliveryTarget): SandboxError {
  const asked = [...accountState.deliveries.values()].filter((delivery) => matchesTarget(target, delivery));
  const found = asked.map(({ id, event, state }) => `${id} (${event}) is ${state}`);
  const seen =
    accountState.endpoint === null ? 'there is no endpoint' : found.join(', ') || 'there is none yet';
  return new SandboxError('timeout', `No matching delivery was acknowledged in time: ${seen}.`);
}
