import { batch, computed, type ReadonlySignal, signal, type Signal } from '@preact/signals';
import { ApiError, callApi, type Query } from './api.ts';
import type {
  AccountSummary,
  Changes,
  DeliverySummary,
  Mode,
  Overview,
  PaymentSummary,
  RequestSummary,
  Rows,
} from './types.ts';

/** The connection to the sandbox. `login`: it asks for its token. */
export type Connection = 'connecting' | 'live' | 'lost' | 'login';

/** A message about something that the reader did. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

/** The live state of the page. */
export interface Store {
  readonly connection: Signal<Connection>;
  readonly overview: Signal<Overview | undefined>;
  readonly accounts: Signal<readonly AccountSummary[]>;
  /** The id of the shown account. */
  readonly account: Signal<string>;
  readonly mode: Signal<Mode>;
  /** Newest first. */
  readonly requests: Signal<readonly RequestSummary[]>;
  /** The payments of the shown account and mode, newest first. */
  readonly payments: Signal<readonly PaymentSummary[]>;
  readonly deliveries: Signal<readonly DeliverySummary[]>;
  /** Whether rows are missing until the page has read the lists again, because the sandbox is busy. */
  readonly isBehind: Signal<boolean>;
  /** Grows with each change, for views that read their own data. */
  readonly version: Signal<number>;
  readonly notices: Signal<readonly Notice[]>;
  /** The account and mode of every query. */
  readonly scope: ReadonlySignal<{ readonly account: string; readonly mode: Mode }>;
  readonly select: (choice: { readonly account?: string; readonly mode?: Mode }) => void;
  readonly logIn: (token: string) => Promise<void>;
  readonly notify: (text: string, isError?: boolean) => void;
  /** Runs an action and reports its error. Returns whether it succeeded. */
  readonly act: (action: () => Promise<unknown>, done?: string) => Promise<boolean>;
}

const MAX_ROWS = 10_000;
const PAGE = 1_000;
/** Maximum number of changes in one event. A page that receives more of them slows the sandbox down. */
const MAX_CHANGES = 100;
/** Time without a partial event after which the page reads the missing rows, in milliseconds. */
const QUIET_TIME = 1_000;
/** Maximum time with missing rows while the sandbox stays busy, in milliseconds. */
const MAX_BEHIND = 10_000;
const RETRY_DELAY = 1_000;
const NOTICE_TIME = 6_000;

/** Connects to the sandbox and keeps the state of the page up to date. */
export function createStore(): Store {
  const store = createSignals();
  const refresh = createRefresh(store, createLoader(store));
  const connect = createConnection(store, refresh);
  void connect();
  return {
    ...store,
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
    notify: (text, isError = false) => addNotice(store, text, isError),
    async act(action, done) {
      try {
        await action();
        if (done !== undefined) addNotice(store, done, false);
        return true;
      } catch (error) {
        addNotice(store, explainError(error), true);
        return false;
      }
    },
  };
}

type Signals = Omit<Store, 'select' | 'logIn' | 'notify' | 'act'>;

function createSignals(): Signals {
  const account = signal('');
  const mode = signal<Mode>('test');
  return {
    connection: signal<Connection>('connecting'),
    overview: signal<Overview | undefined>(undefined),
    accounts: signal<readonly AccountSummary[]>([]),
    account,
    mode,
    requests: signal<readonly RequestSummary[]>([]),
    payments: signal<readonly PaymentSummary[]>([]),
    deliveries: signal<readonly DeliverySummary[]>([]),
    isBehind: signal(false),
    version: signal(0),
    notices: signal<readonly Notice[]>([]),
    scope: computed(() => ({ account: account.value, mode: mode.value })),
  };
}

function explainError(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return 'The sandbox does not answer. The page reconnects on its own.';
}

function addNotice({ notices }: Signals, text: string, isError: boolean): void {
  const id = (notices.value.at(-1)?.id ?? 0) + 1;
  notices.value = [...notices.value.slice(-2), { id, text, isError }];
  setTimeout(() => (notices.value = notices.value.filter((each) => each.id !== id)), NOTICE_TIME);
}

/** Creates the function that reads everything again. Keeps the changes that arrive in the meantime. */
function createLoader(store: Signals): () => Promise<void> {
  let latest = 0;
  return async () => {
    const turn = (latest += 1);
    const before = [store.requests.value, store.payments.value, store.deliveries.value].map(
      (rows) => new Set<object>(rows),
    );
    const pickNew = <Row extends object>(rows: readonly Row[], index: number): Row[] =>
      rows.filter((row) => !before[index]?.has(row)).toReversed();
    const { accounts } = await callApi<{ readonly accounts: readonly AccountSummary[] }>('GET', '/accounts');
    const known = accounts.find(({ id }) => id === store.account.value) ?? accounts[0];
    if (known === undefined) return;
    const query = { account: known.id, mode: store.mode.value };
    const [requests, payments, deliveries] = await Promise.all([
      readRows<RequestSummary>('/requests/summaries', {}),
      readRows<PaymentSummary>('/payments', query),
      readRows<DeliverySummary>('/webhooks/summaries', query),
    ]);
    // A later load has the account and mode that the reader has selected since.
    if (turn !== latest) return;
    batch(() => {
      store.accounts.value = accounts;
      store.account.value = known.id;
      const newer = {
        requests: pickNew(store.requests.value, 0),
        payments: pickNew(store.payments.value, 1),
        deliveries: pickNew(store.deliveries.value, 2),
      };
      store.requests.value = requests;
      store.payments.value = payments;
      store.deliveries.value = deliveries;
      applyChanges(store, newer);
    });
  };
}

/** Reads the newest rows of a list. New rows that arrive between two pages shift the second one, so that it repeats rows. */
async function readRows<Row extends { readonly id: string }>(path: string, query: Query): Promise<Row[]> {
  const rows = new Map<string, Row>();
  let offset = 0;
  let page: readonly Row[];
  do {
    ({ rows: page } = await callApi<Rows<Row>>('GET', path, { query: { ...query, limit: PAGE, offset } }));
    for (const row of page) rows.set(row.id, row);
    offset += PAGE;
  } while (page.length === PAGE && offset < MAX_ROWS);
  return [...rows.values()];
}

/** Reads everything again after a delay. A call before that delays it again, up to a limit. */
type Refresh = (delay: number) => void;

/** Creates the function that reads everything again, also if the connection is lost meanwhile. */
function createRefresh({ isBehind }: Signals, load: () => Promise<void>): Refresh {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let behindSince: number | undefined;
  const run = async (): Promise<void> => {
    behindSince = undefined;
    try {
      await load();
      isBehind.value = behindSince !== undefined;
    } catch {
      refresh(RETRY_DELAY);
    }
  };
  const refresh: Refresh = (delay) => {
    const now = performance.now();
    behindSince ??= now;
    clearTimeout(timer);
    timer = setTimeout(() => void run(), Math.max(0, Math.min(delay, behindSince + MAX_BEHIND - now)));
  };
  return refresh;
}

/** Creates the function that opens the stream of changes. It reconnects and continues after the last event. */
function createConnection(store: Signals, refresh: Refresh): () => Promise<void> {
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
async function checkAccess({ connection }: Signals): Promise<boolean> {
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

function applyChanges(store: Signals, changes: Changes): void {
  const { account, mode } = store.scope.value;
  const isShown = (row: { readonly account: string; readonly mode: string }): boolean =>
    row.account === account && row.mode === mode;
  batch(() => {
    if (changes.overview !== undefined) store.overview.value = changes.overview;
    const { requests = [], payments = [], deliveries = [] } = changes;
    store.requests.value = mergeRows(store.requests.value, requests, ({ status }) => Number(status !== null));
    store.payments.value = mergeRows(
      store.payments.value,
      payments.filter(isShown),
      ({ changes: count }) => count,
    );
    store.deliveries.value = mergeRows(
      store.deliveries.value,
      deliveries.filter(isShown),
      ({ attempts }) => attempts,
    );
    store.version.value += 1;
  });
}

/**
 * Replaces changed rows in place and puts new ones first. `changed` is in the order of the changes. `rank` grows with each
 * change of a row: a row that was read during a change can be newer than that change.
 */
export function mergeRows<Row extends { readonly id: string }>(
  rows: readonly Row[],
  changed: readonly Row[],
  rank: (row: Row) => number,
): readonly Row[] {
  if (changed.length === 0) return rows;
  const byId = new Map(changed.map((row) => [row.id, row]));
  const kept = rows.map((row) => {
    const replacement = byId.get(row.id);
    byId.delete(row.id);
    return replacement === undefined || rank(replacement) < rank(row) ? row : replacement;
  });
  return [...[...byId.values()].toReversed(), ...kept].slice(0, MAX_ROWS);
}
