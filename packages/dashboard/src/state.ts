import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { RequestRow } from './load.ts';
import type { AccountSummary, Delivery, Mode, Overview, PaymentSummary } from './types.ts';

/** The connection to the sandbox. `login`: it asks for its token. */
type Connection = 'connecting' | 'connected' | 'lost' | 'login';

/** A message about something that the reader did. */
interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

/** The state of the page, at first before it has read anything. */
export class State {
  readonly connection: Signal<Connection> = signal('connecting');
  readonly overview: Signal<Overview | undefined> = signal();
  readonly accounts: Signal<readonly AccountSummary[]> = signal([]);
  /** The id of the shown account. */
  readonly account: Signal<string> = signal('');
  readonly mode: Signal<Mode> = signal('test');
  /** Newest first, of all accounts. */
  readonly requests: Signal<readonly RequestRow[]> = signal([]);
  /** The payments of the shown account and mode, newest first. */
  readonly payments: Signal<readonly PaymentSummary[]> = signal([]);
  readonly deliveries: Signal<readonly Delivery[]> = signal([]);
  /** Grows with each change, for views that read their own data. */
  readonly version: Signal<number> = signal(0);
  readonly notices: Signal<readonly Notice[]> = signal([]);
  /** The account and mode of every query. */
  readonly scope: ReadonlySignal<{ readonly account: string; readonly mode: Mode }> = computed(() => ({
    account: this.account.value,
    mode: this.mode.value,
  }));
}

/** An account or a mode to show. */
export interface Choice {
  readonly account?: string;
  readonly mode?: Mode;
}

/** The state of the page, and its actions. */
export interface Store extends State {
  /** The origin of the API, for samples. */
  readonly origin: string;
  readonly select: (choice: Choice) => void;
  readonly logIn: (token: string) => Promise<void>;
  /** Runs an action and reports its error. Returns whether it succeeded. */
  readonly act: (action: () => Promise<unknown>, done?: string) => Promise<boolean>;
}

/** The properties of a component that reads or changes the state. */
export interface StoreProps {
  readonly store: Store;
}

const NOTICE_TIME = 6_000;

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
        addNotice(state, (error as Error).message, true);
        return false;
      }
    },
  };
}
