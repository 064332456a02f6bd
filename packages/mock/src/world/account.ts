import type { Mode } from '@service/contract';
import { type Books, openBooks } from './books.ts';
import type { Profile } from '../domain/profile.ts';
import { deriveText } from './ids.ts';

/** Holds an account: two keys, and a world of its own for each mode. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly books: Readonly<Record<Mode, Books>>;
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
}

/** Opens an account with fresh keys and empty books. */
export function openAccount({ seed, name, profile }: AccountOpening): Account {
  const source = `${seed}\n${name}`;
  const account: Account = {
    id: `acct_${deriveText(source, 'id', 16)}`,
    name,
    books: {
      test: openBooks('test', `${source}\ntest`, profile),
      live: openBooks('live', `${source}\nlive`, profile),
    },
    keys: { test: '', live: '' },
    keysIssued: 0,
    suspended: false,
  };
  issueKey(account, 'test');
  issueKey(account, 'live');
  return account;
}

/** Issues a new key for a mode; the old one is forgotten. */
export function issueKey(account: Account, mode: Mode): void {
  account.keysIssued += 1;
  const tail = deriveText(account.books[mode].source, `key ${account.keysIssued}`, 32);
  account.keys[mode] = `service_${mode}_${tail}`;
}
