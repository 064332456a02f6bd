import { createDeferred, type Deferred } from '@service/internal';
import type { AccountState } from '../state/account-state.ts';
import type { TimeoutOptions } from './attempt.ts';

/** Waits for the attempts of a move of the clock. */
export interface AttemptWait {
  /**
   * Resolves when no attempt is pending, except at the endpoints that have exceeded the timeout since the start of the
   * wait.
   */
  readonly settle: () => Promise<void>;
  readonly end: () => void;
}

/** The due and running attempts of a sandbox. */
export class PendingAttempts {
  readonly #options: TimeoutOptions;
  readonly #counts = new Map<AccountState, number>();
  /** The endpoints that each wait ignores. */
  readonly #ignoredByWait = new Set<Set<AccountState>>();
  #change: Deferred<void> | undefined;
  #hasProgress = false;

  constructor(options: TimeoutOptions) {
    this.#options = options;
  }

  /** Counts attempts of an endpoint until a promise resolves. The promise must not reject. */
  async track(accountState: AccountState, attempts: number, ended: Promise<void>): Promise<void> {
    this.#counts.set(accountState, (this.#counts.get(accountState) ?? 0) + attempts);
    await ended;
    const left = (this.#counts.get(accountState) ?? 0) - attempts;
    if (left > 0) this.#counts.set(accountState, left);
    else if (this.#counts.delete(accountState)) this.#notify();
  }

  /** Returns the number of pending attempts. */
  readonly count = (): number => [...this.#counts.values()].reduce((sum, attempts) => sum + attempts, 0);

  /** Ends every wait for the attempts of replaced states. */
  clearReplaced(): void {
    for (const accountState of this.#counts.keys())
      if (accountState.isReplaced) this.#counts.delete(accountState);
    this.#notify();
  }

  /** Called when an attempt starts or ends. */
  noteProgress(): void {
    this.#hasProgress = true;
  }

  /** Called when the receiver of an attempt has exceeded the timeout. */
  noteTimeout(accountState: AccountState): void {
    for (const ignored of this.#ignoredByWait) ignored.add(accountState);
    this.#notify();
  }

  /** Resolves when no attempt of one account, or of any account, is pending. */
  readonly idle = async (account?: string): Promise<void> => {
    const isPending = (): boolean =>
      [...this.#counts.keys()].some((each) => account === undefined || each.account === account);
    while (isPending()) await this.#nextChange();
  };

  /**
   * Starts to wait for the attempts of a move of the clock. The wait also ends when for the time of a timeout no attempt
   * starts or ends: an unread response or a full disk holds the attempts then.
   */
  readonly startWait = (): AttemptWait => {
    const ignored = new Set<AccountState>();
    this.#ignoredByWait.add(ignored);
    const isSettled = (): boolean => {
      for (const accountState of this.#counts.keys()) if (!ignored.has(accountState)) return false;
      return true;
    };
    const ignoreAll = (): void => {
      for (const accountState of this.#counts.keys()) ignored.add(accountState);
      this.#notify();
    };
    const settle = async (): Promise<void> => {
      if (isSettled()) return;
      const stopWatching = this.#watchProgress(ignoreAll);
      while (!isSettled()) await this.#nextChange();
      stopWatching();
    };
    return { settle, end: () => void this.#ignoredByWait.delete(ignored) };
  };

  /** Calls a function after a time without progress. Returns a function that ends the watch. */
  #watchProgress(onStall: () => void): () => void {
    const { timeout, startTimer } = this.#options;
    const check = (): void => {
      if (!this.#hasProgress) return onStall();
      this.#hasProgress = false;
      cancel = startTimer(timeout, check);
    };
    let cancel = startTimer(timeout, check);
    return () => cancel();
  }

  #nextChange(): Promise<void> {
    return (this.#change ??= createDeferred()).promise;
  }

  #notify(): void {
    this.#change?.resolve();
    this.#change = undefined;
  }
}
