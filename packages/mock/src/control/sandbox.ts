import { accounts, type AccountControl } from './operations/accounts.ts';
import { clock, type ClockControl } from './operations/clock.ts';
import { type FaultControl, faults } from './operations/faults.ts';
import { payments, type PaymentControl } from './operations/payments.ts';
import { profile, type ProfileControl } from './operations/profile.ts';
import { requests, type RequestLogControl } from './operations/requests.ts';
import { state, type StateControl } from './operations/state.ts';
import { wallets, type WalletControl } from './operations/wallets.ts';
import { webhooks, type WebhookControl } from './operations/webhooks.ts';
import { hashState } from '../state/snapshot.ts';
import { bindGroup, type Context, type Operation } from './operation.ts';

/** The control API of a sandbox: accounts, payments, clock, faults, webhooks, request log and state. */
export interface Sandbox extends StateControl {
  /** Creates, finds, suspends and lists accounts, and replaces their API keys. */
  readonly accounts: AccountControl;
  /** Creates payments in any status and runs their transitions. */
  readonly payments: PaymentControl;
  /** Deposits money and sets balances. */
  readonly wallets: WalletControl;
  /** Sets webhook endpoints, collects events in process, and lists and repeats deliveries. */
  readonly webhooks: WebhookControl;
  /** Reads the sandbox time, advances a manual clock, and changes the speed of a running one. */
  readonly clock: ClockControl;
  /** Reads and changes the profile settings: the behaviors that the service's document leaves open. */
  readonly profile: ProfileControl;
  /** Injects, lists and removes faults of requests and webhook deliveries. */
  readonly faults: FaultControl;
  /** Returns logged requests with their responses and effects, and waits for them. */
  readonly requests: RequestLogControl;
  /** Computes a digest of the state. Equal digests mean that nothing has changed. */
  readonly stateHash: () => Promise<string>;
}

/** The operations that `mock.sandbox` has, by group. Those of `state` are functions of the sandbox itself. */
export const groups: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  state,
  clock,
  accounts,
  wallets,
  payments,
  profile,
  webhooks,
  faults,
  requests,
};

/** Creates the control API of a sandbox. */
export function createSandbox(context: Context): Sandbox {
  const { state: _, ...named } = groups;
  const entries = Object.entries(named).map(([name, group]) => {
    return [name, bindGroup<object>(group, context, `${name}.`)] as const;
  });
  const bound = Object.fromEntries(entries) as object as Sandbox;
  return {
    ...bound,
    ...bindGroup(state, context),
    stateHash: () => hashState(context.state),
    requests: {
      ...bound.requests,
      get dropped() {
        return context.requestLog.dropped();
      },
    },
  };
}
