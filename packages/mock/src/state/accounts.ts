import { type Currency, type Mode, modes } from '@service/contract';
import { depositEntry } from '../domain/ledger.ts';
import { isSupported, type Minor, toUnits } from '../domain/money.ts';
import { type Account, type Caller, commit, createStateByMode, type State } from './state.ts';
import { SandboxError } from './sandbox-error.ts';
import type { Profile } from '../domain/profile.ts';
import { deriveText } from '../domain/ids.ts';

/** The opening balance of a wallet. */
export interface OpeningBalance {
  readonly currency: Currency;
  readonly amount: Minor;
}

/** Returns the opening balances of a new account in test mode (docs/contract.md#payments). */
export function listOpenings(profile: Profile): readonly OpeningBalance[] {
  const { wallets } = profile;
  if (wallets === 'default')
    return ['USD', 'EUR', 'GBP']
      .filter((currency) => isSupported(currency, profile))
      .map((currency) => ({ currency, amount: 100_000_00n }));
  return Object.entries(wallets).map(([currency, balance]) => ({ currency, amount: toUnits(balance) }));
}

/** Opens an account with wallets in both modes. Opening balances are deposits in test mode. `keys` replace derived ones. */
export function openAccount(
  state: State,
  name: string,
  profile: Profile,
  balances: readonly OpeningBalance[],
  keys: { readonly [Name in Mode]?: string | undefined } = {},
): Account {
  const { seed, clock, changes } = state;
  const id = `acct_${deriveText(`${seed}\n${name}`, 'id', 16)}`;
  const account: Account = {
    id,
    name,
    byMode: createStateByMode({ id, name }, seed, profile),
    keys: { test: keys.test ?? '', live: keys.live ?? '' },
    keysIssued: 0,
    suspended: false,
  };
  for (const mode of modes) if (keys[mode] === undefined) issueKey(account, mode);
  clock.catchUp();
  const at = clock.now();
  for (const { currency: opens, amount } of balances) {
    const entries = amount === 0n ? [] : [depositEntry(opens, amount, at)];
    void commit(state, account.byMode.test, { opens, entries });
    void commit(state, account.byMode.live, { opens });
  }
  state.accounts.set(id, account);
  for (const mode of modes) registerKey(state, account, mode);
  changes.recordSettings(id);
  return account;
}

/** The number of accounts of a sandbox above which keys open no further ones. */
const MAX_ACCOUNTS = 10_000;

/** The form of a key that opens an account: a test key of at most 268 characters. */
const OPENING_KEY = /^service_test_[\w.~-]{1,255}$/;

/**
 * Returns the account and mode of a key. With the policy `open`, an unknown test key, well-formed and never replaced,
 * opens an account.
 *
 * @throws {SandboxError} when the sandbox has too many accounts for a key to open one
 */
export function findCaller(state: State, key: string): Caller | undefined {
  const { apiKeys, accounts, accountPolicy, retiredKeys, seed, profile } = state;
  const caller = apiKeys.get(key);
  if (caller !== undefined) return caller;
  if (accountPolicy !== 'open' || !OPENING_KEY.test(key) || retiredKeys.has(key)) return undefined;
  if (accounts.size > MAX_ACCOUNTS) {
    const message = `The sandbox has more than ${MAX_ACCOUNTS} accounts, so keys open no further ones. Use one of its keys, or reset it.`;
    throw new SandboxError('invalid_state', message);
  }
  // Neither the name nor the id of the account reveals the key.
  const name = `open-${deriveText(`${seed}\n${key}`, 'name of an opened account', 12)}`;
  openAccount(state, name, profile, listOpenings(profile), { test: key });
  return apiKeys.get(key);
}

/**
 * Replaces a key of an account. The old key becomes invalid immediately (docs/contract.md#authentication).
 */
export function regenerateKey(state: State, account: Account, mode: Mode): void {
  state.apiKeys.delete(account.keys[mode]);
  state.retiredKeys.add(account.keys[mode]);
  issueKey(account, mode);
  registerKey(state, account, mode);
  state.changes.recordSettings(account.id);
}

/** Registers the key of an account and mode. */
function registerKey(state: State, account: Account, mode: Mode): void {
  // With the policy `open`, a client may have used a derived key before it is issued.
  while (isUsed(state, account.keys[mode])) issueKey(account, mode);
  state.apiKeys.set(account.keys[mode], { account, accountState: account.byMode[mode] });
}

/** Returns whether a key belongs to an account, or was replaced. */
export function isUsed({ apiKeys, retiredKeys }: State, key: string): boolean {
  return apiKeys.has(key) || retiredKeys.has(key);
}

/** Replaces the key of a mode with a new one. */
function issueKey(account: Account, mode: Mode): void {
  account.keysIssued += 1;
  const tail = deriveText(account.byMode[mode].source, `key ${account.keysIssued}`, 32);
  account.keys[mode] = `service_${mode}_${tail}`;
}
