import type { WebhookError } from './errors.ts';
import type { UnreadableEvent, WebhookEvent } from './event.ts';
import { createFailure } from './receiver-failure.ts';
import { isPromised } from './sooner.ts';
import { CLAIM_OUTCOMES, CLAIM_STATES } from './store/store.ts';
import type { ClaimOutcome, ClaimState, DedupeStore } from './store/store.ts';

/** Handles an event once per key. Resolves if the event may be acknowledged, else rejects with a `WebhookError`. */
export type DeliverOnce = (key: string, event: WebhookEvent | UnreadableEvent) => Promise<void>;

export interface DeliveryOptions {
  readonly handle: (event: WebhookEvent | UnreadableEvent) => unknown;
  readonly store: DedupeStore;
  readonly acknowledgeTimeout: number;
  readonly maxHandlerTime: number;
}

export interface DeliveryContext extends DeliveryOptions {
  /** Reports an error that does not change the response. */
  readonly report: (error: WebhookError, event: WebhookEvent | UnreadableEvent) => void;
}

/** The lease of a claim that is renewed, in milliseconds: shorter than the sender's first retry delay of 5 s. */
const RENEWED_LEASE = 4_000;
const RENEWAL_INTERVAL = 1_000;

/** Creates the step between a verified event and its handler: claims, runs and confirms, or waits for the first delivery. */
export function createDeliverOnce(context: DeliveryContext): DeliverOnce {
  const { store, handle, maxHandlerTime, report } = context;
  const createOwner = createOwners();
  const lease = store.renew ? RENEWED_LEASE : maxHandlerTime;
  return async (key, event) => {
    const owner = createOwner();
    let state: ClaimState;
    try {
      state = checkAnswer(CLAIM_STATES, await store.claim(key, owner, lease));
    } catch (cause) {
      throw createFailure('store_failed', cause);
    }
    if (state === 'confirmed') return;
    if (state === 'in_progress') return waitForFirst(key, context);
    let isLost = false;
    const reportLoss = (): void => {
      if (!isLost) report(createFailure('lease_overrun'), event);
      isLost = true;
    };
    try {
      const running = handle(event);
      if (isPromised(running)) {
        const renew = store.renew && (async () => store.renew?.(key, owner, lease));
        await (renew ? whileRenewing(running, { renew, maxHandlerTime, onLost: reportLoss }) : running);
      }
    } catch (cause) {
      throw createFailure('handler_failed', await releaseAfter(cause, () => store.release(key, owner)));
    }
    // The effect has happened: whatever the store says now, asking for another delivery would repeat it.
    try {
      if ((await store.confirm(key, owner)) === 'lost') reportLoss();
    } catch (cause) {
      throw createFailure('confirm_failed', cause);
    }
  };
}

interface RenewalOptions {
  readonly renew: () => Promise<unknown>;
  readonly maxHandlerTime: number;
  readonly onLost: () => void;
}

/** Renews a claim until its handler settles, for at most `maxHandlerTime`, or until another owner has the claim. */
async function whileRenewing(
  running: Promise<unknown>,
  { renew, maxHandlerTime, onLost }: RenewalOptions,
): Promise<void> {
  let remaining = maxHandlerTime;
  let last = Date.now();
  let isRunning = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewal: Promise<void> | undefined;
  const renewOnce = async (): Promise<void> => {
    // A failed renewal is retried; if the store stays away, `confirm` fails and is reported.
    const result = await renew().catch(() => undefined);
    if (result === 'lost') onLost();
    else schedule();
  };
  const schedule = (): void => {
    const elapsed = Date.now() - last;
    last += elapsed;
    // A slow store uses up more time than the intervals.
    remaining -= Math.max(RENEWAL_INTERVAL, elapsed);
    if (!isRunning || remaining < 0) return;
    timer = setTimeout(() => {
      renewal = renewOnce();
    }, RENEWAL_INTERVAL);
    // Only Node has timers that can keep a process alive.
    (timer as { readonly unref?: () => void }).unref?.();
  };
  schedule();
  try {
    await running;
  } finally {
    isRunning = false;
    clearTimeout(timer);
    // A renewal that reaches the store after `release` would claim the key again. A store that hangs must not delay the response.
    await settleWithin(renewal, STORE_PATIENCE);
  }
}

/** Maximum time to wait for a renewal once its handler has settled, in milliseconds. */
const STORE_PATIENCE = 2_000;

/** Resolves once a promise has settled, or after some milliseconds. */
async function settleWithin(promise: Promise<void> | undefined, milliseconds: number): Promise<void> {
  if (promise === undefined) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, expired]);
  clearTimeout(timer);
}

/** Creates names that no other delivery has, here or in any other process. */
function createOwners(): () => string {
  let prefix: string | undefined;
  let count = 0;
  return () => {
    // Not before the first delivery: some edge platforms give no randomness while a module loads.
    prefix ??= crypto.randomUUID();
    count += 1;
    return `${prefix}/${count}`;
  };
}

/** Returns what the handler threw, together with the store's own error when the claim could not be released. */
async function releaseAfter(cause: unknown, release: () => Promise<void>): Promise<unknown> {
  try {
    await release();
    return cause;
  } catch (error) {
    return new AggregateError([cause, error], 'The handler failed and its claim was not released.');
  }
}

async function waitForFirst(key: string, { store, acknowledgeTimeout }: DeliveryOptions): Promise<void> {
  const waiting = new AbortController();
  // It holds the process, which must live until the duplicate is answered.
  const timer = setTimeout(() => waiting.abort(), acknowledgeTimeout);
  try {
    const ended = askOutcome(store, key, waiting.signal);
    const outcome = await Promise.race([ended, whenAborted(waiting.signal)]);
    if (outcome === 'released') throw createFailure('first_delivery_failed');
    if (outcome === 'elapsed') throw createFailure('first_delivery_running');
  } finally {
    clearTimeout(timer);
  }
}

function whenAborted(signal: AbortSignal): Promise<'elapsed'> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('elapsed'), { once: true });
  });
}

async function askOutcome(store: DedupeStore, key: string, signal: AbortSignal): Promise<ClaimOutcome> {
  try {
    return checkAnswer(CLAIM_OUTCOMES, await store.wait(key, signal));
  } catch (cause) {
    throw createFailure('store_failed', cause);
  }
}

/** Takes only the answers that a store can give: to guess at another would lose an event or repeat its effect. */
function checkAnswer<Answer>(answers: readonly Answer[], answer: Answer): Answer {
  if (answers.includes(answer)) return answer;
  throw new TypeError(`The store must answer ${answers.join(' or ')}.`);
}
