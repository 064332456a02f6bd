import type { Delivery } from '../../domain/delivery.ts';
import type { EventName } from '../../domain/payment.ts';
import type { AccountState } from '../../state/account-state.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import type { State } from '../../state/state.ts';
import type { CollectedEvent } from '../../webhooks/in-process-endpoint.ts';
import { endpoints, type EndpointControl } from './endpoint.ts';
import { accountMode, event, reference } from '../fields.ts';
import {
  type AccountModeIds,
  type AccountModeRef,
  findAccountState,
  findPayment,
  formatId,
} from '../locate.ts';
import { operation, type Operations } from '../operation.ts';
import { optional, text } from '../../domain/schema.ts';
import { waitFor, type WaitTimeoutOptions } from '../wait.ts';

/** The delivery to wait for. */
export interface DeliveryTarget extends AccountModeRef {
  /** The id of a payment, in any account and mode unless they are given. */
  readonly payment?: string;
  /** The name of the event, such as `'payment.completed'`. Any event without it. */
  readonly event?: EventName;
}

/** Webhook endpoints and deliveries. */
export interface WebhookControl extends EndpointControl {
  /**
   * Returns the events since the last `collect`, in order. Each one is valid in `new Request(url, event)`.
   */
  readonly collected: (ref?: AccountModeRef) => readonly CollectedEvent[];
  /** Returns the deliveries with their attempts, oldest first. */
  readonly deliveries: (ref?: AccountModeRef) => readonly Delivery[];
  /**
   * Attempts a delivery again, immediately, and returns it.
   *
   * @throws {SandboxError} for an unknown delivery and without an endpoint
   */
  readonly redeliver: (id: string) => Promise<Delivery>;
  /**
   * Waits for an acknowledged delivery and returns the first one. Does not advance the clock.
   *
   * @throws {SandboxError} with the code `timeout` without one
   */
  readonly waitFor: (target?: DeliveryTarget, options?: WaitTimeoutOptions) => Promise<Delivery>;
}

/** Operations on webhook endpoints and deliveries. */
export const webhooks: Operations<WebhookControl> = {
  ...endpoints,
  collected: operation('listCollected', 'GET /webhooks/collected', {
    cli: { command: 'deliveries collected' },
    input: accountMode,
    run: ({ state, deliveries }, ref) => deliveries.inProcessEndpoints.list(findAccountState(state, ref)),
    toBody: (events) => ({ events }),
  }),
  deliveries: operation('listDeliveries', 'GET /webhooks/deliveries', {
    cli: { command: 'deliveries list' },
    input: accountMode,
    run: ({ state }, ref) => [...findAccountState(state, ref).deliveries.values()].map(copyDelivery),
    toBody: (list) => ({ deliveries: list }),
  }),
  redeliver: operation('redeliver', 'POST /webhooks/deliveries/{delivery}/redeliver', {
    cli: { command: 'deliveries redeliver' },
    checkOwner: ({ state }, { delivery }, account) => void findDelivery(state, String(delivery), account),
    input: { delivery: reference('delivery', 'dlv_test_…') },
    args: ['delivery'],
    isAsync: true,
    async run({ state, deliveries }, { delivery: id }) {
      const { accountState } = findDelivery(state, id);
      if (accountState.endpoint === null)
        throw new SandboxError('invalid_state', 'There is no endpoint to deliver to.');
      await deliveries.redeliver(accountState, id);
      return copyDelivery(findDelivery(state, id).delivery);
    },
  }),
  waitFor: operation('waitForDelivery', 'GET /webhooks/wait', {
    example: { event: 'payment.completed', timeout: 10_000 },
    cli: { command: 'deliveries wait' },
    input: {
      ...accountMode,
      payment: optional(text('the id of a payment', { examples: ['pay_test_…'] })),
      event: optional(event),
    },
    isAsync: true,
    isWait: true,
    async run({ state, deliveries }, target, limits) {
      const accountState = findTarget(state, target);
      const found = await waitFor<Delivery>(limits, {
        subscribe(resolve) {
          const offer = (each: Delivery): void => {
            if (matchesTarget(target, each) && each.state === 'acknowledged') resolve(each);
          };
          accountState.deliveries.forEach(offer);
          // Compares sources, so that a wait continues after a reset has replaced the account state.
          return deliveries.watch((changed, each) => {
            if (changed.source === accountState.source) offer(each);
          });
        },
        explainTimeout: () =>
          `No matching delivery was acknowledged in time: ${describeDeliveries(accountState, target)}.`,
      });
      return copyDelivery(found);
    },
  }),
};

/** Copies a delivery, so that changes by the caller have no effect here. */
export function copyDelivery(delivery: Delivery): Delivery {
  const attempts = delivery.attempts.map((attempt) => ({ ...attempt, result: { ...attempt.result } }));
  return { ...delivery, attempts };
}

/**
 * Returns a delivery and its account state.
 *
 * @throws {SandboxError} when the delivery does not exist, or is not one of the account
 */
export function findDelivery(
  { accounts }: State,
  id: string,
  account?: string,
): { readonly accountState: AccountState; readonly delivery: Delivery } {
  for (const searched of account === undefined ? accounts.values() : [accounts.get(account)]) {
    for (const accountState of searched === undefined ? [] : [searched.byMode.test, searched.byMode.live]) {
      const delivery = accountState.deliveries.get(id);
      if (delivery !== undefined) return { accountState, delivery };
    }
  }
  throw new SandboxError('not_found', `There is no delivery ${formatId(id)}.`);
}

interface Target extends AccountModeIds {
  readonly payment?: string | undefined;
  readonly event?: EventName | undefined;
}

function findTarget(state: State, { account, mode, payment }: Target): AccountState {
  const isAnywhere = payment !== undefined && account === undefined && mode === undefined;
  if (isAnywhere) return findPayment(state, payment).accountState;
  const accountState = findAccountState(state, { account, mode });
  if (payment === undefined || accountState.payments.has(payment)) return accountState;
  throw new SandboxError('not_found', `There is no payment ${formatId(payment)} in that account and mode.`);
}

function matchesTarget({ payment, event: name }: Target, found: Delivery): boolean {
  return (
    (payment === undefined || payment === found.payment_id) && (name === undefined || name === found.event)
  );
}

function describeDeliveries({ deliveries, endpoint }: AccountState, target: Target): string {
  if (endpoint === null) return 'there is no endpoint for this account and mode';
  const asked = [...deliveries.values()].filter((each) => matchesTarget(target, each));
  return (
    asked.map(({ id, event: name, state }) => `${id} (${name}) is ${state}`).join(', ') || 'there is none yet'
  );
}
