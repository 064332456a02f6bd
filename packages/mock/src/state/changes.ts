import type { AccountState } from './account-state.ts';

/** The names of the stored lists of an account and mode. */
export type StoredListName = 'wallets' | 'payments' | 'transactions' | 'idempotency' | 'deliveries';

/** Stores the changes of a state. In a data file, changes of one synchronous step are stored together or not at all. */
export interface ChangeRecorder {
  /** The reason why changes cannot be stored at present. */
  readonly failure: Error | undefined;
  /** Records a new or changed item. */
  readonly recordItem: (
    accountState: AccountState,
    list: StoredListName,
    key: string,
    item: object | string,
  ) => void;
  /** Records the time and the default profile, and the keys and settings of an account. */
  readonly recordSettings: (account?: string) => void;
  /** Records the whole state after a restore. */
  readonly recordState: () => void;
  /**
   * Resolves when all changes so far are durable, and rejects if they cannot be stored. Returns
   * undefined if they are durable already.
   */
  readonly confirm: () => Promise<void> | undefined;
  /** Like `confirm`, but waits until a failure has ended. */
  readonly confirmEventually: () => Promise<void> | undefined;
}

/** Counts the changes of a state, and passes them to a recorder if the state is stored. */
export class Changes {
  /** Grows with each change. */
  count = 0;
  recorder: ChangeRecorder | undefined;

  recordSettings(account?: string): void {
    this.count += 1;
    this.recorder?.recordSettings(account);
  }

  recordState(): void {
    this.count += 1;
    this.recorder?.recordState();
  }
}
