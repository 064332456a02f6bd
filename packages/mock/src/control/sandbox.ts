import type { Deliveries } from '../webhooks/deliveries.ts';
import { modes } from '@service/contract';
import { IO_TIMEOUT } from '../webhooks/send.ts';
import { type Duration, parseDuration } from '../state/duration.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { Faults } from '../state/faults.ts';
import type { RequestLog } from '../state/request-log.ts';
import type { RateLimiter } from '../state/rate-limit.ts';
import type { State } from '../state/state.ts';
import { type AccountControl, createAccountControl } from './accounts.ts';
import { checkArguments } from './arguments.ts';
import { type ClockControl, createClockControl } from './clock.ts';
import { createFaultControl, type FaultControl } from './faults.ts';
import { createRequestLogControl, type RequestLogControl } from './requests.ts';
import { createPaymentControl, type PaymentControl } from './payments.ts';
import { createProfileControl, type ProfileControl } from './profile.ts';
import { createStateControl, type StateControl } from './state.ts';
import { createWalletControl, type WalletControl } from './wallets.ts';
import { createWebhookControl, type WebhookControl } from './webhooks.ts';

/** Controls a sandbox from outside the service: everything a test wants to arrange or look at (contract.md 7). */
export interface Sandbox extends StateControl {
  readonly accounts: AccountControl;
  readonly payments: PaymentControl;
  readonly wallets: WalletControl;
  readonly webhooks: WebhookControl;
  readonly clock: ClockControl;
  readonly profile: ProfileControl;
  readonly rateLimit: RateLimitControl;
  readonly faults: FaultControl;
  readonly requests: RequestLogControl;
  /** Waits until every delivery that is due has been tried. */
  readonly idle: () => Promise<void>;
}

/** Limits how often each account and mode may call; off until set. */
export interface RateLimitControl {
  /** Allows `requests` calls in each `window` of the sandbox's time. */
  readonly set: (limit: { readonly requests: number; readonly window: Duration }) => void;
  /** Lifts the limit. */
  readonly clear: () => void;
}

/** Names the parts that the control of a sandbox works on. */
export interface SandboxParts {
  readonly state: State;
  readonly deliveries: Deliveries;
  readonly rateLimiter: RateLimiter;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
}

/** Creates the control of a sandbox; what its world is at that moment is what a reset goes back to. */
export function createSandbox({ state, deliveries, rateLimiter, ...parts }: SandboxParts): Sandbox {
  return {
    accounts: createAccountControl(state),
    payments: createPaymentControl(state),
    profile: createProfileControl(state),
    wallets: createWalletControl(state),
    webhooks: createWebhookControl(state, deliveries),
    clock: createClockControl(state.clock, { idle: deliveries.idle, limit: IO_TIMEOUT }),
    rateLimit: createRateLimitControl(rateLimiter),
    faults: createFaultControl({ state, faults: parts.faults, deliveryFaults: deliveries.faults }),
    requests: createRequestLogControl(state, parts.requestLog),
    idle: deliveries.idle,
    ...createStateControl({ state, settle: () => settle({ state, deliveries, rateLimiter, ...parts }) }),
  };
}

/** Takes back what was arranged for the world before, and goes on with the deliveries of the one that was put back. */
function settle({ state, deliveries, rateLimiter, faults, requestLog }: SandboxParts): void {
  rateLimiter.set(undefined);
  faults.clear();
  deliveries.faults.clear();
  requestLog.clear();
  deliveries.resume([...state.accounts.values()].flatMap(({ byMode }) => modes.map((mode) => byMode[mode])));
}

const LONGEST_WINDOW = 365 * 86_400_000;

function createRateLimitControl(rateLimiter: RateLimiter): RateLimitControl {
  return {
    set(limit) {
      checkArguments('rateLimit.set', limit, ['requests', 'window']);
      const { requests, window } = limit;
      if (!Number.isSafeInteger(requests) || requests < 0) {
        throw new SandboxError(
          'invalid_argument',
          `requests must be a whole number from 0, not ${String(requests)}.`,
        );
      }
      const length = parseDuration(window);
      if (length < 1 || length > LONGEST_WINDOW) {
        throw new SandboxError('invalid_argument', "window must be from '1ms' to '365d'.");
      }
      rateLimiter.set({ requests, window: length });
    },
    clear: () => rateLimiter.set(undefined),
  };
}
