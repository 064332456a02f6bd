import { clearTimeout, createDeferred, type Deferred, setTimeout } from '@service/internal';
import { type AppendLog, explainFileError } from '@service/internal/append-log';
import type { Delivery } from '../domain/delivery.ts';
import type { Account } from '../state/account.ts';
import type { AccountState } from '../state/account-state.ts';
import { encodePayment, encodeTransaction, type ProfileList } from '../state/snapshot.ts';
import {
  type ChangedItems,
  type DataRecord,
  describeAccount,
  describeReplacement,
  describeSettings,
  describeState,
} from '../state/data-record.ts';
import type { ChangeRecorder, RecordedChange } from '../state/recorder.ts';
import type { State } from '../state/state.ts';

/** The state of a recorder and its log. */
export interface LogRecorderOptions {
  readonly log: AppendLog;
  readonly state: State;
  /** The profiles that the log contains. */
  readonly profiles: ProfileList;
  /** Called for the first failure after a success. */
  readonly onError: (error: unknown) => void;
}

/** The time between a failure and an attempt to end it, in milliseconds. */
const RETRY_DELAY = 1000;

/** Records changes in an append log. Compacts it in the background when it has grown, and after a failure. */
export class LogRecorder implements ChangeRecorder {
  readonly #options: LogRecorderOptions;
  /** The number of profiles that the log contains. */
  #written: number;
  /** The write of the last records, until it ends. */
  #lastWrite: Promise<void> | undefined;
  /** Resolves when the last records are durable, and rejects if they cannot be stored. */
  #confirmation: Promise<void> | undefined;
  #failure: Error | undefined;
  /** Resolves at the end of the failure. */
  #recovery: Deferred<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isCompacting = false;
  #isStopped = false;

  constructor(options: LogRecorderOptions) {
    this.#options = options;
    this.#written = options.profiles.profiles.length;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  recordAccount(account: Account): void {
    const { state, profiles } = this.#options;
    this.#append({ ...describeSettings(state, profiles), account: describeAccount(account, profiles) });
  }

  recordChange(
    accountState: AccountState,
    { payment, wallets, rowsBefore, idempotency }: RecordedChange,
  ): void {
    const { profiles } = this.#options;
    const rows = accountState.transactions.slice(rowsBefore);
    this.#appendItems(accountState, {
      ...(payment && { payments: [encodePayment(payment, profiles)] }),
      ...(wallets.length > 0 && { wallets }),
      ...(rows.length > 0 && { transactions: rows.map(encodeTransaction) }),
      ...(idempotency && { idempotency: [idempotency] }),
    });
  }

  recordDelivery(accountState: AccountState, delivery: Delivery): void {
    this.#appendItems(accountState, { deliveries: [delivery] });
  }

  recordSettings(accountState?: AccountState): void {
    const { state, profiles } = this.#options;
    const account = accountState && state.accounts.get(accountState.account);
    if (account === undefined) this.#append(describeSettings(state, profiles));
    else this.recordAccount(account);
  }

  recordState(account?: Account): void {
    const { state, profiles } = this.#options;
    const records =
      account === undefined ? describeState(state, profiles) : describeReplacement(state, account, profiles);
    for (const record of records) this.#append(record);
  }

  confirm(): Promise<void> | undefined {
    return this.#failure === undefined ? this.#confirmation : Promise.reject(this.#failure);
  }

  confirmEventually(): Promise<void> | undefined {
    return this.confirm()?.catch(() => this.#recovery?.promise);
  }

  /** Replaces the content of the log with the present state. Ends a failure. */
  async compact(): Promise<void> {
    const { log, state, profiles } = this.#options;
    this.#isCompacting = true;
    try {
      await log.compact(() => describeState(state, profiles));
      this.#failure = undefined;
      this.#recovery?.resolve();
      this.#recovery = undefined;
    } finally {
      this.#isCompacting = false;
    }
  }

  /** Starts no further compaction. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #appendItems(accountState: AccountState, items: ChangedItems): void {
    // A restore has replaced the state of a running attempt.
    if (accountState.isReplaced) return;
    const { account, mode } = accountState;
    this.#append({ now: this.#options.state.clock.now(), of: [account, mode], items });
  }

  #append(record: DataRecord): void {
    const { log, profiles } = this.#options;
    const added = [...profiles.profiles.entries()].slice(this.#written);
    this.#written += added.length;
    const write = log.append(added.length === 0 ? record : { ...record, profiles: added });
    // All records of one turn of the event loop share a write.
    if (write === this.#lastWrite) return;
    this.#lastWrite = write;
    this.#confirmation = this.#confirmWrite(write);
    this.#confirmation.catch(() => {});
  }

  async #confirmWrite(write: Promise<void>): Promise<void> {
    try {
      await write;
    } catch (error) {
      throw this.#fail(error);
    } finally {
      if (this.#lastWrite === write) this.#lastWrite = this.#confirmation = undefined;
    }
    const isIdle = !this.#isStopped && !this.#isCompacting && this.#timer === undefined;
    if (isIdle && this.#options.log.needsCompaction)
      this.compact().catch((error: unknown) => this.#failCompaction(error));
  }

  #fail(error: unknown): Error {
    if (this.#failure === undefined) {
      this.#failure = createStorageError(error);
      this.#recovery = createDeferred();
      this.#options.onError(error);
      this.#compactLater();
    }
    return this.#failure;
  }

  /** Handles a failed compaction, after which the log can still take appends. */
  #failCompaction(error: unknown): void {
    if (this.#options.log.failure !== undefined) this.#fail(error);
    else if (this.#failure === undefined) this.#options.onError(error);
    this.#compactLater();
  }

  #compactLater(): void {
    if (this.#isStopped || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.compact().catch((error: unknown) => this.#failCompaction(error));
    }, RETRY_DELAY);
    this.#timer.unref();
  }
}

/** Creates an error without the path of the file, which is for the operator only. */
function createStorageError(error: unknown): Error {
  const { code, cause = error } = error as { readonly code?: string; readonly cause?: unknown };
  const reasons: Readonly<Record<string, string>> = {
    lost: 'another process has taken it over, or its lock was removed',
    failed: cause === error ? 'it was moved, removed or replaced' : explainFileError(cause),
  };
  const reason = reasons[code ?? ''] ?? explainFileError(error);
  return new Error(`The data file cannot be written: ${reason}.`, { cause: error });
}
