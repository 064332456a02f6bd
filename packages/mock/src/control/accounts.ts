import { currencies } from '../domain/money.ts';
import type { Profile } from '../domain/profile.ts';
import type { Currency, Mode } from '@service/contract';
import type { Account } from '../state/account.ts';
import { defaultOpenings, openAccountForKey, type OpeningBalance, openWallets } from '../state/opening.ts';
import { type ProfileChoice, readProfile } from '../state/profile.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { addAccount, regenerateKey, type State } from '../state/state.ts';
import { readAmountOf } from './amount.ts';
import { checkArguments } from './arguments.ts';
import { type AccountRef, findAccount, readMode } from './locate.ts';

/** The options of a new account. */
export interface AccountOptions {
  /**
   * The unique name of the account. Its id and keys are derived from the name.
   *
   * @default 'account-<n>'
   */
  readonly name?: string;
  /**
   * Opening balances in test mode, each posted as a deposit. Creates wallets with a balance of 0 too.
   *
   * @default { USD: '100000.00', EUR: '100000.00', GBP: '100000.00' }
   * @example { USD: '1000.00', JPY: 0 }
   */
  readonly balances?: Readonly<Record<Currency, number | string>>;
  /**
   * Profile settings of this account.
   *
   * @default the settings of the mock
   * @example { pagination: 'cursor' }
   */
  readonly profile?: ProfileChoice;
}

/** An account and its API keys. */
export interface AccountView {
  readonly id: string;
  readonly name: string;
  /** The API key of test mode. */
  readonly testKey: string;
  /** The API key of live mode. The money of a sandbox is never real. */
  readonly liveKey: string;
}

/** An account without its API keys. */
export interface AccountSummary {
  readonly id: string;
  readonly name: string;
  readonly suspended: boolean;
}

/** The accounts of a sandbox. */
export interface AccountControl {
  /**
   * Creates an isolated account.
   *
   * @throws {SandboxError} when the name is taken
   */
  readonly create: (options?: AccountOptions) => AccountView;
  /**
   * Returns the account of an API key. With `createMock({ accounts: 'open' })` an unused test key opens its
   * account, as its first request would; a test can so add a webhook endpoint first.
   *
   * @throws {SandboxError} for other keys
   */
  readonly find: (by: { readonly key: string }) => AccountView;
  /**
   * Returns an account.
   *
   * @throws {SandboxError} for an unknown id
   */
  readonly get: (account?: AccountRef) => AccountView;
  /** Returns all accounts without their keys, oldest first. */
  readonly list: () => readonly AccountSummary[];
  /** Replaces an API key. The old key becomes invalid immediately. */
  readonly regenerateKey: (ref?: { readonly account?: AccountRef; readonly mode?: Mode }) => AccountView;
  /** Suspends an account: every request responds 403 until `resume`. */
  readonly suspend: (account?: AccountRef) => void;
  /** Ends a suspension. */
  readonly resume: (account?: AccountRef) => void;
}

/** Creates the account control of a sandbox. */
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

/** Checks all balances before the first posting, so that an invalid one creates no account. */
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
    throw new SandboxError('invalid_argument', 'The name of an account must be non-empty text.');
  }
  if (!isTaken(state, name)) return name;
  throw new SandboxError(
    'invalid_argument',
    `The account name ${JSON.stringify(name)} is taken. Choose another name.`,
  );
}

function nextName(state: State): string {
  let count = state.accounts.size;
  while (isTaken(state, `account-${count}`)) count += 1;
  return `account-${count}`;
}

/**
 * Returns the account of a key. The error does not contain the key, which could be one of the real service.
 */
function findOwner(state: State, key: string): Account {
  if (typeof key !== 'string')
    throw new SandboxError('invalid_argument', 'The key of an account must be text.');
  const caller = state.apiKeys.get(key) ?? openAccountForKey(state, key);
  if (caller !== undefined) return caller.account;
  throw new SandboxError('not_found', `No account has this key${explainAccountPolicy(state, key)}.`);
}

function explainAccountPolicy({ accountPolicy, retiredKeys }: State, key: string): string {
  if (retiredKeys.has(key)) return ': the key was replaced';
  return accountPolicy === 'open'
    ? ', and its form cannot open one: use service_test_ and 1 to 255 letters, digits and any of ._~-'
    : "; with createMock({ accounts: 'open' }) a test key of your own opens an account";
}

/** Converts an account to its view, including its keys. */
export function toAccountView({ id, name, keys }: Account): AccountView {
  return { id, name, testKey: keys.test, liveKey: keys.live };
}
