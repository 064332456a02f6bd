import type { Deliveries } from '../delivery/deliveries.ts';
import { modes } from '@service/contract';
import { IO_TIMEOUT } from '../delivery/send.ts';
import { type Duration, parseDuration } from '../world/duration.ts';
import { SandboxError } from '../world/sandbox-error.ts';
import type { Faults } from '../world/faults.ts';
import type { Journal } from '../world/journal.ts';
import type { RateLimiter } from '../world/rate-limit.ts';
import type { World } from '../world/world.ts';
import { type AccountControl, createAccountControl } from './accounts.ts';
import { checkArguments } from './arguments.ts';
import { type ClockControl, createClockControl } from './clock.ts';
import { createFaultControl, type FaultControl } from './faults.ts';
import { createJournalControl, type JournalControl } from './journal.ts';
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
  readonly journal: JournalControl;
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
  readonly world: World;
  readonly deliveries: Deliveries;
  readonly rateLimiter: RateLimiter;
  readonly faults: Faults;
  readonly journal: Journal;
}

/** Creates the control of a sandbox; what its world is at that moment is what a reset goes back to. */
export function createSandbox({ world, deliveries, rateLimiter, ...parts }: SandboxParts): Sandbox {
  return {
    accounts: createAccountControl(world),
    payments: createPaymentControl(world),
    profile: createProfileControl(world),
    wallets: createWalletControl(world),
    webhooks: createWebhookControl(world, deliveries),
    clock: createClockControl(world.clock, { idle: deliveries.idle, limit: IO_TIMEOUT }),
    rateLimit: createRateLimitControl(rateLimiter),
    faults: createFaultControl(world, parts.faults),
    journal: createJournalControl(world, parts.journal),
    idle: deliveries.idle,
    ...createStateControl({ world, settle: () => settle({ world, deliveries, rateLimiter, ...parts }) }),
  };
}

/** Takes back what was arranged for the world before, and goes on with the deliveries of the one that was put back. */
function settle({ world, deliveries, rateLimiter, faults, journal }: SandboxParts): void {
  rateLimiter.set(undefined);
  faults.clear();
  journal.clear();
  deliveries.resume([...world.accounts.values()].flatMap(({ books }) => modes.map((mode) => books[mode])));
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
