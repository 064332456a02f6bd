import type { Deliveries } from '../webhooks/dispatcher.ts';
import { modes } from '@service/contract';
import { IO_TIMEOUT } from '../webhooks/attempt.ts';
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

/** The control API of a sandbox: accounts, payments, clock, faults, webhooks, request log and state. */
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
  /** Resolves when no delivery attempt is due or running. */
  readonly idle: () => Promise<void>;
}

/** The rate limit of each account and mode. Off by default. */
export interface RateLimitControl {
  /** Allows `requests` requests per `window` of sandbox time. */
  readonly set: (limit: { readonly requests: number; readonly window: Duration }) => void;
  /** Removes the limit. */
  readonly clear: () => void;
}

/** The parts of a sandbox. */
export interface SandboxParts {
  readonly state: State;
  readonly deliveries: Deliveries;
  readonly rateLimiter: RateLimiter;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
}

/** Creates the control API of a sandbox. The current state becomes the baseline of `reset`. */
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

/** Removes faults, rate limit and logged requests after a restore, and resumes the restored deliveries. */
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
