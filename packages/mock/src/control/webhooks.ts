import type { Deliveries } from '../webhooks/dispatcher.ts';
import type { CollectedEvent } from '../webhooks/in-process-endpoint.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { AccountState } from '../state/account-state.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { State } from '../state/state.ts';
import { checkArguments } from './arguments.ts';
import { createEndpointControl, type EndpointControl } from './endpoint.ts';
import { type AccountModeRef, findAccountState, formatId } from './locate.ts';
import type { WaitTimeoutOptions } from './wait.ts';
import { type DeliveryTarget, waitForDelivery } from './wait-for.ts';

export type { CollectedEvent } from '../webhooks/in-process-endpoint.ts';

/** Webhook endpoints and deliveries. */
export interface WebhookControl extends EndpointControl {
  /**
   * Returns the events since the last `collect`, in order. Each one is valid in `new Request(url, event)`.
   */
  readonly collected: (ref?: AccountModeRef) => readonly CollectedEvent[];
  /** Returns the deliveries with their attempts, oldest first. */
  readonly deliveries: (ref?: AccountModeRef) => readonly Delivery[];
  /**
   * Attempts a delivery again, immediately, and returns it. Rejects with `SandboxError` for an unknown
   * delivery and without an endpoint.
   */
  readonly redeliver: (id: string) => Promise<Delivery>;
  /**
   * Waits for an acknowledged delivery and returns the first one. Does not advance the clock. Rejects with a
   * `SandboxError` of the code `timeout` without one.
   */
  readonly waitFor: (target?: DeliveryTarget, options?: WaitTimeoutOptions) => Promise<Delivery>;
}

/** Creates the webhook control of a sandbox. */
export function createWebhookControl(state: State, deliveries: Deliveries): WebhookControl {
  const find = (call: string, ref: AccountModeRef): AccountState => {
    checkArguments(`webhooks.${call}`, ref, ['account', 'mode']);
    return findAccountState(state, ref);
  };
  return {
    ...createEndpointControl(state, deliveries),
    collected: (ref = {}) => deliveries.inProcessEndpoints.list(find('collected', ref)),
    deliveries: (ref = {}) => [...find('deliveries', ref).deliveries.values()].map(copyDelivery),
    async redeliver(id) {
      const { accountState } = findDelivery(state, id);
      if (accountState.endpoint === null)
        throw new SandboxError('invalid_state', 'There is no endpoint to deliver to.');
      await deliveries.redeliver(accountState, id);
      return copyDelivery(findDelivery(state, id).delivery);
    },
    waitFor: async (target = {}, options = {}) =>
      copyDelivery(await waitForDelivery({ state, deliveries }, target, options)),
  };
}

/** Copies a delivery, so that changes by the caller have no effect here. */
function copyDelivery(delivery: Delivery): Delivery {
  const attempts = delivery.attempts.map((attempt) => ({ ...attempt, result: { ...attempt.result } }));
  return { ...delivery, attempts };
}

function findDelivery(
  state: State,
  id: string,
): { readonly accountState: AccountState; readonly delivery: Delivery } {
  for (const { byMode } of state.accounts.values()) {
    for (const accountState of [byMode.test, byMode.live]) {
      const delivery = accountState.deliveries.get(id);
      if (delivery !== undefined) return { accountState, delivery };
    }
  }
  throw new SandboxError('not_found', `There is no delivery ${formatId(id)}.`);
}
