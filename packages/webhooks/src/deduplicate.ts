import { isPromise } from '@service/internal';
import { createFailure } from './errors.ts';
import type { WebhookError } from './errors.ts';
import type { UnreadableEvent, WebhookEvent } from './event.ts';
import { CLAIM_OUTCOMES, CLAIM_STATES } from './store/store.ts';
import type { ClaimOutcome, ClaimState, DedupeStore } from './store/store.ts';

/**
 * Handles an event once per key. Resolves if the event may be acknowledged, else rejects with a
 * `WebhookError`.
 */
export type HandleOnce = (key: string, event: WebhookEvent | UnreadableEvent) => Promise<void>;

interface DeduplicationOptions {
  readonly handle: (event: WebhookEvent | UnreadableEvent) => unknown;
  readonly store: DedupeStore;
  readonly acknowledgeTimeout: number;
  readonly maxHandlerTime: number;
}

export interface DeduplicationContext extends DeduplicationOptions {
  /** Reports an error without changing the response. */
  readonly report: (error: WebhookError, event: WebhookEvent | UnreadableEvent) => void;
}

/**
 * The lease of a claim that is renewed, in milliseconds: shorter than the sender's first retry delay of 5 s.
 */
export const RENEWED_LEASE = 4_000;
const RENEWAL_INTERVAL = 1_000;

/**
 * Creates the function that claims an event, runs its handler and confirms it, or waits for the first
 * delivery.
 */
export function createHandleOnce(context: DeduplicationContext): HandleOnce {
  const { store, handle, maxHandlerTime, report } = context;
  const createOwner = createOwners();
  const lease = store.renew ? RENEWED_LEASE : maxHandlerTime;
  return async (key, event) => {
    const owner = createOwner();
    let state: ClaimState;
    try {
      state = assertStoreResult(CLAIM_STATES, await store.claim(key, owner, lease));
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
      if (isPromise(running)) {
        const renew = store.renew && (async () => store.renew?.(key, owner, lease));
        await (renew ? whileRenewing(running, { renew, maxHandlerTime, onLost: reportLoss }) : running);
      }
    } catch (cause) {
      throw createFailure('handler_failed', await releaseAfter(cause, () => store.release(key, owner)));
    }
    // The handler has succeeded: after a retry its effect would happen twice.
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

/**
 * Renews a claim until its handler settles, for at most `maxHandlerTime`, or until another owner has the
 * claim.
 */
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
    // A failed renewal is retried. If the store stays unavailable, `confirm` fails and is reported.
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
    // Only in Node can a timer keep the process alive.
    (timer as { readonly unref?: () => void }).unref?.();
  };
  schedule();
  try {
    await running;
  } finally {
    isRunning = false;
    clearTimeout(timer);
    // A renewal that reaches the store after `release` would claim the key again. A store that hangs must not
    // delay the response.
    await settleWithin(renewal, MAX_STORE_WAIT);
  }
}

/** Maximum time to wait for a renewal once its handler has settled, in milliseconds. */
const MAX_STORE_WAIT = 2_000;

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

/** Creates owner names that are unique across processes. */
function createOwners(): () => string {
  let prefix: string | undefined;
  let count = 0;
  return () => {
    // At the first delivery: some edge platforms forbid random values while a module loads.
    prefix ??= crypto.randomUUID();
    count += 1;
    return `${prefix}/${count}`;
  };
}

/**
 * Releases a claim. Returns the error of the handler, combined with the error of the store if the release
 * fails.
 */
async function releaseAfter(cause: unknown, release: () => Promise<void>): Promise<unknown> {
  try {
    await release();
    return cause;
  } catch (error) {
    return new AggregateError([cause, error], 'The handler failed and its claim was not released.');
  }
}

async function waitForFirst(key: string, { store, acknowledgeTimeout }: DeduplicationOptions): Promise<void> {
  const waiting = new AbortController();
  // Not unref: the process must live until the duplicate gets its response.
  const timer = setTimeout(() => waiting.abort(), acknowledgeTimeout);
  try {
    const ended = readOutcome(store, key, waiting.signal);
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

async function readOutcome(store: DedupeStore, key: string, signal: AbortSignal): Promise<ClaimOutcome> {
  try {
    return assertStoreResult(CLAIM_OUTCOMES, await store.wait(key, signal));
  } catch (cause) {
    throw createFailure('store_failed', cause);
  }
}

// A guess at any other value would lose an event or handle it twice.
function assertStoreResult<Result>(allowed: readonly Result[], result: Result): Result {
  if (allowed.includes(result)) return result;
  throw new TypeError(`The store must return ${allowed.join(' or ')}.`);
}
