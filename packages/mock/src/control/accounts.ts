import { currencies } from '../domain/currency.ts';
import type { Profile } from '../domain/profile.ts';
import type { Currency, Mode } from '@service/contract';
import type { Account } from '../state/account.ts';
import { findCaller } from '../state/api-keys.ts';
import { type OpeningBalance, openWallets, defaultOpenings } from '../state/opening.ts';
import { type ProfileChoice, readProfile } from '../state/profile.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { addAccount, regenerateKey, type State } from '../state/state.ts';
import { readAmountOf } from './amount.ts';
import { checkArguments } from './arguments.ts';
import { type AccountRef, findAccount, readMode } from './locate.ts';

/** Sets up a new account. */
export interface AccountOptions {
  /** Names the account; ids and keys are derived from it. Default `account-<n>`. */
  readonly name?: string;
  /**
   * Opening balances in test mode, each booked as a deposit; wallets of 0 are listed too.
   *
   * @default { USD: '100000.00', EUR: '100000.00', GBP: '100000.00' }
   * @example { USD: '1000.00', JPY: 0 }
   */
  readonly balances?: Readonly<Record<Currency, number | string>>;
  /**
   * Settings of this account alone.
   *
   * @default those of the mock
   * @example { pagination: 'cursor' }
   */
  readonly profile?: ProfileChoice;
}

/** Shows an account and its two keys. */
export interface AccountView {
  readonly id: string;
  readonly name: string;
  /** The key of test mode. */
  readonly testKey: string;
  /** The key of live mode; in a sandbox its money is pretend money too. */
  readonly liveKey: string;
}

/** Shows an account without its keys. */
export interface AccountSummary {
  readonly id: string;
  readonly name: string;
  readonly suspended: boolean;
}

/** Controls the accounts of a sandbox. */
export interface AccountControl {
  /** Opens an account of its own, isolated from all others. Throws `SandboxError` for a name that is taken. */
  readonly create: (options?: AccountOptions) => AccountView;
  /**
   * Finds the account of a key. With `createMock({ accounts: 'open' })` a test key that nobody has used yet opens its account
   * here, as its first call would: so a test can set up a webhook endpoint before. Throws `SandboxError` for any other key.
   */
  readonly find: (by: { readonly key: string }) => AccountView;
  /** Shows an account. Throws `SandboxError` for an unknown one. */
  readonly get: (account?: AccountRef) => AccountView;
  /** Lists all accounts in the order in which they were opened, without their keys. */
  readonly list: () => readonly AccountSummary[];
  /** Replaces a key; the old one stops working at once (spec §5). */
  readonly regenerateKey: (ref?: { readonly account?: AccountRef; readonly mode?: Mode }) => AccountView;
  /** Suspends an account: every call answers 403 until it is resumed. */
  readonly suspend: (account?: AccountRef) => void;
  /** Lifts a suspension. */
  readonly resume: (account?: AccountRef) => void;
}

/** Creates the control of accounts. */
export function createAccountControl(state: State): AccountControl {
  return {
    create(options = {}) {
      checkArguments('accounts.create', options, ['name', 'balances', 'profile']);
      const profile = readProfile('accounts.create', options.profile ?? {}, state.profile);
      const openings =
        options.balances === undefined ? defaultOpenings : readBalances(profile, options.balances);
      const name = options.name === undefined ? nextName(state) : readName(state, options.name);
      const account = addAccount(state, { name, profile });
      openWallets(state, account, openings);
      return toAccountView(account);
    },
    find(by) {
      checkArguments('accounts.find', by, ['key']);
      return toAccountView(findOwner(state, by.key));
    },
    get: (ref) => toAccountView(findAccount(state, ref)),
    list: () => [...state.accounts.values()].map(({ id, name, suspended }) => ({ id, name, suspended })),
    regenerateKey(ref = {}) {
      checkArguments('accounts.regenerateKey', ref, ['account', 'mode']);
      const account = findAccount(state, ref.account);
      regenerateKey(state, account, readMode(ref.mode));
      return toAccountView(account);
    },
    suspend: (ref) => {
      findAccount(state, ref).suspended = true;
    },
    resume: (ref) => {
      findAccount(state, ref).suspended = false;
    },
  };
}

/** Reads all balances before the first one is booked, so that a bad one leaves no half-made account. */
function readBalances(
  profile: Profile,
  balances: Readonly<Record<Currency, number | string>>,
): OpeningBalance[] {
  checkArguments('balances', balances, currencies);
  return Object.entries(balances).map(([currency, amount]) => ({
    currency,
    amount: readAmountOf(currency, amount, profile.minorUnits),
  }));
}

function isTaken(state: State, name: string): boolean {
  return [...state.accounts.values()].some((account) => account.name === name);
}

function readName(state: State, name: string): string {
  if (typeof name !== 'string' || name === '') {
    throw new SandboxError('invalid_argument', 'The name of an account must be text that is not empty.');
  }
  if (!isTaken(state, name)) return name;
  throw new SandboxError('invalid_argument', `There is an account ${JSON.stringify(name)} already.`);
}

function nextName(state: State): string {
  let count = state.accounts.size;
  while (isTaken(state, `account-${count}`)) count += 1;
  return `account-${count}`;
}

/** Finds whose key it is. The refusal does not show the key: it may be one of the real service. */
function findOwner(state: State, key: string): Account {
  if (typeof key !== 'string')
    throw new SandboxError('invalid_argument', 'The key of an account must be text.');
  const caller = findCaller(state, key);
  if (caller !== undefined) return caller.account;
  throw new SandboxError('not_found', `No account has this key${explainAccountPolicy(state, key)}.`);
}

function explainAccountPolicy({ accountPolicy, retiredKeys }: State, key: string): string {
  if (retiredKeys.has(key)) return ': it was replaced by a new one';
  return accountPolicy === 'open'
    ? ', and none is opened for it: that takes service_test_ and 1 to 255 letters, digits and any of ._~-'
    : "; with createMock({ accounts: 'open' }) a test key of your own opens an account";
}

/** Shows an account as its owner may see it. */
export function toAccountView({ id, name, keys }: Account): AccountView {
  return { id, name, testKey: keys.test, liveKey: keys.live };
}
