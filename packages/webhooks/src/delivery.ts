import type { ReceiverCode } from './errors.ts';
import { createFailure } from './receiver-failure.ts';
import { CLAIM_OUTCOMES, CLAIM_STATES } from './store/store.ts';
import type { DedupeStore } from './store/store.ts';

/** Runs a handler at most once for a key; resolves when the event may be acknowledged, else throws a WebhookError. */
export type DeliverOnce = (key: string, handle: () => unknown) => Promise<void>;

/** Configures how duplicates are told and how long they wait. */
export interface DeliveryOptions {
  readonly store: DedupeStore;
  readonly acknowledgeTimeout: number;
}

/** Creates the step between a verified event and its handler: claim, run, confirm; or wait for who claimed first. */
export function createDeliverOnce(options: DeliveryOptions): DeliverOnce {
  const { store } = options;
  return async (key, handle) => {
    const owner = crypto.randomUUID();
    const state = await askStore(CLAIM_STATES, () => store.claim(key, owner));
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
    throw createFailure('handler_failed', await releaseAfter(cause, release));
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

async function waitForFirst(key: string, { store, acknowledgeTimeout }: DeliveryOptions): Promise<void> {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), acknowledgeTimeout);
  try {
    const ended = askStore(CLAIM_OUTCOMES, () => store.wait(key, waiting.signal));
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

/** Takes only the answers that a store can give: to guess at another would lose an event or repeat its effect. */
function askStore<Answer>(answers: readonly Answer[], ask: () => Promise<Answer>): Promise<Answer> {
  return rethrowAs('store_failed', async () => {
    const answer = await ask();
    if (answers.includes(answer)) return answer;
    throw new TypeError(`The store must answer ${answers.join(' or ')}.`);
  });
}

async function rethrowAs<Value>(code: ReceiverCode, step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (cause) {
    throw createFailure(code, cause);
  }
}
