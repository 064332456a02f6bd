import type { Mode } from '@service/contract';
import { type AccountState, createAccountState } from './account-state.ts';
import type { Profile } from '../domain/profile.ts';
import { deriveText } from './ids.ts';

/** Holds an account: two keys, and a world of its own for each mode. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly byMode: Readonly<Record<Mode, AccountState>>;
  readonly keys: Record<Mode, string>;
  /** Counts the keys that were ever issued, so that a regenerated one differs from all before it. */
  keysIssued: number;
  suspended: boolean;
}

/** Says how an account is opened. */
export interface AccountOpening {
  readonly seed: string;
  readonly name: string;
  readonly profile: Profile;
  /** The key of test mode that it brings along in place of a derived one. */
  readonly testKey?: string;
}

/** Opens an account with fresh keys and empty books. */
export function openAccount({ seed, name, profile, testKey }: AccountOpening): Account {
  const source = `${seed}\n${name}`;
  const account: Account = {
    id: accountIdOf(seed, name),
    name,
    byMode: {
      test: createAccountState('test', `${source}\ntest`, profile),
      live: createAccountState('live', `${source}\nlive`, profile),
    },
    keys: { test: testKey ?? '', live: '' },
    keysIssued: 0,
    suspended: false,
  };
  if (testKey === undefined) issueKey(account, 'test');
  issueKey(account, 'live');
  return account;
}

/** Derives the id of an account. */
export function accountIdOf(seed: string, name: string): string {
  return `acct_${deriveText(`${seed}\n${name}`, 'id', 16)}`;
}

/** Issues a new key for a mode; the old one is forgotten. */
export function issueKey(account: Account, mode: Mode): void {
  account.keysIssued += 1;
  const tail = deriveText(account.byMode[mode].source, `key ${account.keysIssued}`, 32);
  account.keys[mode] = `service_${mode}_${tail}`;
}
