import { batch, computed, signal } from '@preact/signals';
import type {
  AccountSummary,
  Changes,
  DeliverySummary,
  Mode,
  Overview,
  PaymentSummary,
  RequestSummary,
} from './types.ts';

/** The connection to the sandbox. `login`: it asks for its token. */
type Connection = 'connecting' | 'connected' | 'lost' | 'login';

/** A message about something that the reader did. */
interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

/** The state of the page. */
export type State = ReturnType<typeof createState>;

/** The heading of a report: the test, and why it failed. */
export interface Report {
  readonly title: string;
  readonly error: string | null;
}

/** The state of the page, and its actions. */
export interface Store extends State {
  /** The report that the page shows, or undefined for a running sandbox. A report cannot be changed. */
  readonly report: Report | undefined;
  /** The origin of the API, for samples. */
  readonly origin: string;
  readonly select: (choice: { readonly account?: string; readonly mode?: Mode }) => void;
  readonly logIn: (token: string) => Promise<void>;
  /** Runs an action and reports its error. Returns whether it succeeded. */
  readonly act: (action: () => Promise<unknown>, done?: string) => Promise<boolean>;
}

/** The properties of a component that reads or changes the state. */
export interface StoreProps {
  readonly store: Store;
}

/** Maximum number of rows of a list. */
export const MAX_ROWS = 10_000;
const NOTICE_TIME = 6_000;

/** Creates the state of a page before it has read anything. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- the state is defined here
export function createState() {
  /** The id of the shown account. */
  const account = signal('');
  const mode = signal<Mode>('test');
  return {
    connection: signal<Connection>('connecting'),
    overview: signal<Overview | undefined>(undefined),
    accounts: signal<readonly AccountSummary[]>([]),
    account,
    mode,
    /** Newest first, of all accounts. */
    requests: signal<readonly RequestSummary[]>([]),
    /** The payments of the shown account and mode, newest first. */
    payments: signal<readonly PaymentSummary[]>([]),
    deliveries: signal<readonly DeliverySummary[]>([]),
    /** Grows with each change, for views that read their own data. */
    version: signal(0),
    notices: signal<readonly Notice[]>([]),
    /** The account and mode of every query. */
    scope: computed(() => ({ account: account.value, mode: mode.value })),
  };
}

function addNotice({ notices }: State, text: string, isError: boolean): void {
  const id = (notices.value.at(-1)?.id ?? 0) + 1;
  notices.value = [...notices.value.slice(-2), { id, text, isError }];
  setTimeout(() => (notices.value = notices.value.filter((each) => each.id !== id)), NOTICE_TIME);
}

/** Creates the function that runs an action, shows its result as a message, and lets the views read again. */
export function createMessages(state: State): Pick<Store, 'act'> {
  return {
    async act(action, done) {
      try {
        await action();
        state.version.value += 1;
        if (done !== undefined) addNotice(state, done, false);
        return true;
      } catch (error) {
        addNotice(state, explainError(error as Error), true);
        return false;
      }
    },
  };
}

function explainError(error: Error): string {
  // `fetch` rejects with a TypeError if there is no response.
  if (error instanceof TypeError) return 'The sandbox does not answer. The page reconnects on its own.';
  return error.message;
}

/** Adds changes to the rows of the page. */
export function applyChanges(store: State, { overview, requests, payments, deliveries }: Changes): void {
  const { account, mode } = store.scope.value;
  const isShown = (row: { readonly account: string; readonly mode: string }): boolean =>
    row.account === account && row.mode === mode;
  const isOther = JSON.stringify(overview) !== JSON.stringify(store.overview.value);
  if (!isOther && requests.length + payments.length + deliveries.length === 0) return;
  batch(() => {
    store.overview.value = overview;
    store.requests.value = mergeRows(store.requests.value, requests);
    store.payments.value = mergeRows(store.payments.value, payments.filter(isShown));
    store.deliveries.value = mergeRows(store.deliveries.value, deliveries.filter(isShown));
    store.version.value += 1;
  });
}

/** Replaces changed rows in place and puts new ones first. `changed` is in the order of the changes. */
function mergeRows<Row extends { readonly id: string }>(
  rows: readonly Row[],
  changed: readonly Row[],
): readonly Row[] {
  if (changed.length === 0) return rows;
  const byId = new Map(changed.map((row) => [row.id, row]));
  const kept = rows.map((row) => {
    const replacement = byId.get(row.id) ?? row;
    byId.delete(row.id);
    return replacement;
  });
  return [...[...byId.values()].toReversed(), ...kept].slice(0, MAX_ROWS);
}
