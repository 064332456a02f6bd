import { batch } from '@preact/signals';
import { ApiError, callApi, keepToken, root } from './api.ts';
import { load } from './load.ts';
import { type Choice, createMessages, State, type Store } from './state.ts';
import type { Overview } from './types.ts';

/** Time between two questions for changes, in milliseconds. */
const INTERVAL = 1_000;

/** Asks once a second whether the sandbox has changed, and updates the page. */
export function createStore(): Store {
  const store = new State();
  const poll = createPoll(store);
  poll();
  return Object.assign(store, {
    origin: root.replace(/\/$/, ''),
    select({ account, mode }: Choice) {
      batch(() => {
        if (account !== undefined) store.account.value = account;
        if (mode !== undefined) store.mode.value = mode;
        store.payments.value = [];
        store.deliveries.value = [];
      });
      poll();
    },
    async logIn(token: string) {
      keepToken(token);
      await callApi('GET', '/clock');
      poll();
    },
    ...createMessages(store),
  });
}

/** Creates the function that reads everything, and again after each change, until its next call. */
function createPoll(store: State): () => void {
  let latest = new AbortController();
  const run = async ({ signal }: AbortController): Promise<void> => {
    let shown = '';
    while (!signal.aborted) {
      try {
        const overview = await callApi<Overview>('GET', '/changes');
        // The time of a running clock is no change.
        const text = JSON.stringify({ ...overview, now: overview.clock === 'manual' && overview.now });
        if (text !== shown) await load(store);
        if (signal.aborted) return;
        shown = text;
        store.overview.value = overview;
        store.connection.value = 'connected';
      } catch (error) {
        const isLocked = error instanceof ApiError && error.status === 401;
        store.connection.value = isLocked ? 'login' : 'lost';
        // The login calls the function again.
        if (isLocked) return;
        shown = '';
      }
      await new Promise((resolve) => void setTimeout(resolve, INTERVAL));
    }
  };
  return () => {
    latest.abort();
    latest = new AbortController();
    void run(latest);
  };
}
