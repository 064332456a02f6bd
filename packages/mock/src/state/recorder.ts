import type { Payment } from '../domain/payment.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { Currency } from '@service/contract';
import type { Account } from './accounts.ts';
import type { AccountState, IdempotencyRecord } from './account-state.ts';

/** The content of a committed change. */
export interface RecordedChange {
  readonly payment?: Payment | undefined;
  /** The currencies of new wallets. */
  readonly wallets: readonly Currency[];
  /** The number of rows in the transaction history before the change. */
  readonly rowsBefore: number;
  readonly idempotency?: IdempotencyRecord | undefined;
}

/** Records all changes of a state in a data file. Changes of one synchronous step are stored together or not at all. */
export interface ChangeRecorder {
  /** The reason why changes cannot be stored at present. */
  readonly failure: Error | undefined;
  readonly recordChange: (accountState: AccountState, change: RecordedChange) => void;
  readonly recordDelivery: (accountState: AccountState, delivery: Delivery) => void;
  /** Records the keys and settings of a new or changed account. */
  readonly recordAccount: (account: Account) => void;
  /** Records the time and the default profile, and the settings of an account. */
  readonly recordSettings: (accountState?: AccountState) => void;
  /** Records the whole state after a restore, or that of one account. */
  readonly recordState: (account?: Account) => void;
  /**
   * Resolves when all changes so far are durable, and rejects if they cannot be stored. Returns
   * undefined if they are durable already.
   */
  readonly confirm: () => Promise<void> | undefined;
  /** Like `confirm`, but waits until a failure has ended. */
  readonly confirmEventually: () => Promise<void> | undefined;
}

/** The recorder of a sandbox, which only a sandbox with a data file has. */
export interface Durability {
  recorder?: ChangeRecorder | undefined;
}
