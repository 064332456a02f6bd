import { type Currency, type Mode } from '@service/contract';
import { type AccountState, createAccountState } from './account-state.ts';
import { defaultProfile, type Profile } from '../domain/profile.ts';
import { deriveText } from '../domain/ids.ts';
import type { Minor } from '../domain/money.ts';

/** An account: two keys and the state of each mode. */
export interface Account {
  /** The id (`acct_…`). */
  readonly id: string;
  /** The unique name from `accounts.create` or the seed. */
  readonly name: string;
  readonly byMode: Readonly<Record<Mode, AccountState>>;
  /** The current API key of each mode. */
  readonly keys: Record<Mode, string>;
  /** Set for an account that a key has opened with the policy `open`. */
  readonly isOpen?: true;
  /** The number of keys issued so far. It makes each derived key unique. */
  keysIssued: number;
  /** Whether every request of the account responds 403. */
  suspended: boolean;
  /** The opening of the account, which a reset repeats if no baseline contains the account. Not in snapshots. */
  opening?: FundedOpening;
}

/** The opening balance of a wallet. */
export interface OpeningBalance {
  readonly currency: Currency;
  readonly amount: Minor;
}

/** The keys, profile and balances of an account at its opening. */
export interface FundedOpening {
  readonly profile: Profile;
  /** Keys to use instead of derived ones. */
  readonly keys?: Partial<Record<Mode, string>>;
  readonly isOpen?: true;
  readonly balances: readonly OpeningBalance[];
}

/** Creates the empty state of both modes of an account. */
export function createStateByMode({
  id,
  seed,
  name,
  profile = defaultProfile,
}: Pick<Account, 'id' | 'name'> & { readonly seed: string; readonly profile?: Profile }): Record<
  Mode,
  AccountState
> {
  const create = (mode: Mode): AccountState =>
    createAccountState({ account: id, mode, source: `${seed}\n${name}\n${mode}`, profile });
  return { test: create('test'), live: create('live') };
}

/** Derives the id of an account. */
export function accountIdOf(seed: string, name: string): string {
  return `acct_${deriveText(`${seed}\n${name}`, 'id', 16)}`;
}

/** Replaces the key of a mode with a new one. */
export function issueKey(account: Account, mode: Mode): void {
  account.keysIssued += 1;
  const tail = deriveText(account.byMode[mode].source, `key ${account.keysIssued}`, 32);
  account.keys[mode] = `service_${mode}_${tail}`;
}
