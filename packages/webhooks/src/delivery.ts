import { WebhookError } from './errors.ts';
import type { WebhookErrorCode } from './errors.ts';
import type { ClaimOutcome, DedupeStore } from './store/store.ts';

/** Calls `onElapsed` after some milliseconds, unless the function that it returns is called first. */
export type Timer = (milliseconds: number, onElapsed: () => void) => () => void;

/** Runs a handler at most once for a key; resolves when the event may be acknowledged, else throws a WebhookError. */
export type DeliverOnce = (key: string, handle: () => unknown) => Promise<void>;

/** Configures how duplicates are told and how long they wait. */
export interface DeliveryOptions {
  readonly store: DedupeStore;
  readonly acknowledgeTimeout: number;
  readonly timer: Timer;
}

/** Waits on the clock of the machine. */
export const systemTimer: Timer = (milliseconds, onElapsed) => {
  const handle = setTimeout(onElapsed, milliseconds);
  return () => clearTimeout(handle);
};

/** Creates the step between a verified event and its handler: claim, run, confirm; or wait for who claimed first. */
export function createDeliverOnce(options: DeliveryOptions): DeliverOnce {
  const { store } = options;
  return async (key, handle) => {
    const owner = crypto.randomUUID();
    const state = await rethrowAs('store_failed', () => store.claim(key, owner));
    if (state === 'confirmed') return;
    if (state === 'in_progress') return waitForFirst(key, options);
    await runOrRelease(handle, () => store.release(key, owner));
    // The effect has happened: whatever the store says now, asking for another delivery would repeat it.
    await rethrowAs('confirm_failed', () => store.confirm(key, owner));
  };
}

async function runOrRelease(handle: () => unknown, release: () => Promise<void>): Promise<void> {
  try {
    await handle();
  } catch (cause) {
    throw new WebhookError('handler_failed', { cause: await releaseAfter(cause, release) });
  }
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

async function waitForFirst(key: string, options: DeliveryOptions): Promise<void> {
  const outcome = await rethrowAs('store_failed', () => raceTimer(key, options));
  if (outcome === 'released') throw new WebhookError('first_delivery_failed');
  if (outcome === 'elapsed') throw new WebhookError('first_delivery_running');
}

async function raceTimer(key: string, options: DeliveryOptions): Promise<ClaimOutcome | 'elapsed'> {
  const waiting = new AbortController();
  const elapsed = whenAborted(waiting.signal);
  const stopTimer = options.timer(options.acknowledgeTimeout, () => waiting.abort());
  try {
    return await Promise.race([options.store.wait(key, waiting.signal), elapsed]);
  } finally {
    stopTimer();
  }
}

function whenAborted(signal: AbortSignal): Promise<'elapsed'> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('elapsed'), { once: true });
  });
}

async function rethrowAs<Value>(code: WebhookErrorCode, step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (cause) {
    throw new WebhookError(code, { cause });
  }
}
