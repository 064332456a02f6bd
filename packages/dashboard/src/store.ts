import { batch } from '@preact/signals';
import { ApiError, callApi } from './api.ts';
import { load, readAccounts } from './load.ts';
import { applyChanges, type Choice, createMessages, State, type Store } from './state.ts';
import type { Changes } from './types.ts';

/** Time between two requests for changes, in milliseconds. */
const INTERVAL = 1_000;
/** Maximum number of changes in one response. */
const LIMIT = 1_000;

/** Reads the changes of the sandbox once a second and updates the page. */
export function createStore(): Store {
  const store = new State();
  const poll = createPoll(store);
  poll();
  return Object.assign(store, {
    report: undefined,
    origin: location.origin,
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
      await callApi('POST', '/ui/session', { token });
      poll();
    },
    ...createMessages(store),
  });
}

/** Creates the function that reads everything, and then asks for changes until its next call. */
function createPoll(store: State): () => void {
  let latest = new AbortController();
  const run = async ({ signal }: AbortController): Promise<void> => {
    let since: string | undefined;
    while (!signal.aborted) {
      let isBehind = false;
      try {
        const changes = await callApi<Changes>('GET', '/changes', { query: { since, limit: LIMIT } });
        if (signal.aborted) return;
        if (changes.isReset) await load(store);
        else if (changes.overview.accounts !== store.accounts.value.length)
          store.accounts.value = await readAccounts();
        applyChanges(store, changes);
        store.connection.value = 'connected';
        ({ cursor: since, hasMore: isBehind } = changes);
      } catch (error) {
        const isLocked = error instanceof ApiError && error.status === 401;
        store.connection.value = isLocked ? 'login' : 'lost';
        // The login calls the function again.
        if (isLocked) return;
      }
      if (!isBehind) await new Promise((resolve) => void setTimeout(resolve, INTERVAL));
    }
  };
  return () => {
    latest.abort();
    latest = new AbortController();
    void run(latest);
  };
}
