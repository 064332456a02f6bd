import { batch } from '@preact/signals';
import { ApiError, callApi } from './api.ts';
import { createLoader, createRefresh, type Refresh, RETRY_DELAY } from './load.ts';
import { applyChanges, createMessages, createState, type State, type Store } from './state.ts';
import type { Changes } from './types.ts';

/** Maximum number of changes in one event. A page that receives more of them slows the sandbox down. */
const MAX_CHANGES = 100;
/** Time without a partial event after which the page reads the missing rows, in milliseconds. */
const QUIET_TIME = 1_000;

/** Connects to the sandbox and keeps the state of the page up to date. */
export function createStore(): Store {
  const store = createState();
  const refresh = createRefresh(store, createLoader(store));
  const connect = createConnection(store, refresh);
  void connect();
  return {
    ...store,
    report: undefined,
    origin: location.origin,
    select({ account, mode }) {
      batch(() => {
        if (account !== undefined) store.account.value = account;
        if (mode !== undefined) store.mode.value = mode;
        store.payments.value = [];
        store.deliveries.value = [];
      });
      refresh(0);
    },
    async logIn(token) {
      await callApi('POST', '/ui/session', { token });
      await connect();
    },
    ...createMessages(store),
  };
}

/** Creates the function that opens the stream of changes. It reconnects and continues after the last event. */
function createConnection(store: State, refresh: Refresh): () => Promise<void> {
  let source: EventSource | undefined;
  let last: string | undefined;
  const connect = async (): Promise<void> => {
    source?.close();
    if (!(await checkAccess(store))) return;
    const query = new URLSearchParams({
      limit: String(MAX_CHANGES),
      ...(last !== undefined && { since: last }),
    });
    source = new EventSource(`/_sandbox/events?${query}`);
    source.addEventListener('open', () => (store.connection.value = 'live'));
    source.addEventListener('changes', (event: MessageEvent<string>) => {
      last = event.lastEventId;
      const changes = JSON.parse(event.data) as Changes;
      applyChanges(store, changes);
      if (changes.isReset) refresh(0);
      else if (changes.isPartial) {
        store.isBehind.value = true;
        refresh(QUIET_TIME);
      }
    });
    source.addEventListener('error', () => {
      source?.close();
      store.connection.value = 'lost';
      setTimeout(() => void connect(), RETRY_DELAY);
    });
  };
  return connect;
}

/** Returns whether the sandbox answers. An EventSource does not tell a missing token from a lost connection. */
async function checkAccess({ connection }: State): Promise<boolean> {
  try {
    await callApi('GET', '/clock');
    return true;
  } catch (error) {
    const isLocked = error instanceof ApiError && error.status === 401;
    connection.value = isLocked ? 'login' : 'lost';
    // A connection that is lost is tried again by its own EventSource.
    return !isLocked;
  }
}
