import { isPromise, settleWithin } from '@service/internal';
import { createFailure } from './errors.ts';
import type { WebhookError } from './errors.ts';
import type { WebhookEvent } from './event.ts';
import type { RetrievedResult } from './retrieved.ts';
import { CLAIM_OUTCOMES, CLAIM_STATES, withTimeout } from './stores/store.ts';
import type { DedupeStore } from './stores/store.ts';

/**
 * Handles an event once per key. Of a delivery it resolves if the event may be acknowledged, else it rejects with
 * a `WebhookError`. Of a payment that was read it resolves to the result; without a handler, because the payment is
 * too old, it only searches the key.
 */
export type HandleOnce = (
  key: string,
  event: WebhookEvent,
  handle: ((event: WebhookEvent) => unknown) | undefined,
) => Promise<Exclude<RetrievedResult, 'other_mode' | 'no_handler'>>;

export interface DeduplicationContext {
  readonly store: DedupeStore;
  /** Whether the store can hang: any but the default one. */
  readonly canHang: boolean;
  readonly maxHandlerTime: number;
  /** Reports an error without changing the response. */
  readonly report: (error: WebhookError, event: WebhookEvent) => void;
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
  const { store, canHang, maxHandlerTime, report } = context;
  const lease = store.renew ? RENEWED_LEASE : maxHandlerTime;
  return async (key, event, handle) => {
    const owner = crypto.randomUUID();
    const state = await readResult(() => {
      const claiming = store.claim(key, owner, lease);
      return canHang ? withTimeout(claiming) : claiming;
    }, CLAIM_STATES);
    const isRead = event.source === 'read';
    if (state === 'confirmed') {
      // Reads do not end as deliveries do: the store must not forget a payment that is still read.
      if (isRead) await readResult(() => withTimeout(store.confirm(key, owner)));
      return 'duplicate';
    }
    if (state === 'in_progress') {
      if (!isRead) await waitForFirst(key, store);
      return state;
    }
    if (!handle) {
      await readResult(() => withTimeout(store.release(key, owner)));
      return 'too_old';
    }
    let isLost = false;
    const reportLoss = (): void => {
      if (!isLost) report(createFailure('lease_overrun'), event);
      isLost = true;
    };
    try {
      const running = handle(event);
      if (isPromise(running)) {
        const renew = async (): Promise<unknown> => store.renew?.(key, owner, lease);
        await (store.renew ? whileRenewing(running, renew, maxHandlerTime, reportLoss) : running);
      }
    } catch (cause) {
      await readResult(() => withTimeout(store.release(key, owner))).catch((error: WebhookError) =>
        report(error, event),
      );
      throw createFailure('handler_failed', cause);
    }
    // The handler has succeeded: after a retry its effect would happen twice.
    try {
      const confirming = store.confirm(key, owner);
      if ((await (canHang ? withTimeout(confirming) : confirming)) === 'lost') reportLoss();
    } catch (cause) {
      report(createFailure('confirm_failed', cause), event);
    }
    return 'handled';
  };
}

/**
 * Renews a claim every second until its handler settles, for at most `maxHandlerTime`, or until another owner
 * has the claim.
 */
async function whileRenewing(
  running: Promise<unknown>,
  renew: () => Promise<unknown>,
  maxHandlerTime: number,
  onLost: () => void,
): Promise<void> {
  let elapsed = 0;
  let renewal: Promise<void> | undefined;
  const renewOnce = async (): Promise<void> => {
    // A failed renewal is retried. If the store stays unavailable, `confirm` fails and is reported.
    const result = await renew().catch(() => undefined);
    renewal = undefined;
    if (result !== 'lost') return;
    clearInterval(timer);
    onLost();
  };
  const timer = setInterval(() => {
    elapsed += RENEWAL_INTERVAL;
    if (elapsed > maxHandlerTime) clearInterval(timer);
    else renewal ??= renewOnce();
  }, RENEWAL_INTERVAL);
  // Only in Node can a timer keep the process alive.
  (timer as { readonly unref?: () => void }).unref?.();
  try {
    await running;
  } finally {
    clearInterval(timer);
    // A renewal that reaches the store after `release` would claim the key again. A store that hangs must not
    // delay the response.
    await (renewal && settleWithin(MAX_STORE_WAIT, renewal, Error).catch(() => {}));
  }
}

/** Maximum time to wait for a renewal once its handler has settled, in milliseconds. */
const MAX_STORE_WAIT = 2_000;

/** Maximum time for which a duplicate waits for the first delivery, in milliseconds. The timeout of the sender is 10 s. */
const MAX_WAIT = 8_000;

async function waitForFirst(key: string, store: DedupeStore): Promise<void> {
  const waiting = new AbortController();
  const reading = readResult(() => store.wait(key, waiting.signal), CLAIM_OUTCOMES);
  // The timer keeps the process alive until the duplicate gets its response.
  const outcome = await settleWithin(MAX_WAIT, reading, () => {
    waiting.abort();
    return createFailure('first_delivery_running');
  });
  if (outcome === 'released') throw createFailure('first_delivery_failed');
}

// A guess at any other value would lose an event or handle it twice.
async function readResult<Result>(read: () => Promise<Result>, allowed?: readonly Result[]): Promise<Result> {
  try {
    const result = await read();
    if (allowed?.includes(result) ?? true) return result;
    throw new TypeError(`The store must return ${allowed?.join(' or ')}.`);
  } catch (cause) {
    throw createFailure('store_failed', cause);
  }
}
