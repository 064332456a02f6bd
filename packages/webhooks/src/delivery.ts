import type { WebhookEvent } from './event.ts';
import { createFailure } from './receiver-failure.ts';
import { isPromised } from './sooner.ts';
import { CLAIM_OUTCOMES, CLAIM_STATES } from './store/store.ts';
import type { ClaimOutcome, ClaimState, DedupeStore } from './store/store.ts';

/** Handles an event at most once for a key; resolves when the event may be acknowledged, else throws a WebhookError. */
export type DeliverOnce = (key: string, event: WebhookEvent) => Promise<void>;

/** Configures how duplicates are told and how long they wait. */
export interface DeliveryOptions {
  readonly handle: (event: WebhookEvent) => unknown;
  readonly store: DedupeStore;
  readonly acknowledgeTimeout: number;
}

/** Creates the step between a verified event and its handler: claim, run, confirm; or wait for who claimed first. */
export function createDeliverOnce(options: DeliveryOptions): DeliverOnce {
  const { store, handle } = options;
  const createOwner = createOwners();
  return async (key, event) => {
    const owner = createOwner();
    let state: ClaimState;
    try {
      state = checkAnswer(CLAIM_STATES, await store.claim(key, owner));
    } catch (cause) {
      throw createFailure('store_failed', cause);
    }
    if (state === 'confirmed') return;
    if (state === 'in_progress') return waitForFirst(key, options);
    try {
      const running = handle(event);
      if (isPromised(running)) await running;
    } catch (cause) {
      throw createFailure('handler_failed', await releaseAfter(cause, () => store.release(key, owner)));
    }
    // The effect has happened: whatever the store says now, asking for another delivery would repeat it.
    try {
      await store.confirm(key, owner);
    } catch (cause) {
      throw createFailure('confirm_failed', cause);
    }
  };
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
