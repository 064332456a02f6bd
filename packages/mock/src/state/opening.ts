import type { Currency } from '@service/contract';
import { depositEntry } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import { type Account, accountIdOf, openAccount } from './account.ts';
import { applyChange } from './account-state.ts';
import { deriveText } from './ids.ts';
import { makeRoom, markUsed, removeIdleAccounts, skipIssuedIds } from './open-accounts.ts';
import {
  beginChange,
  type Caller,
  commit,
  isUsed,
  registerAccount,
  ReplacedStateError,
  type State,
} from './state.ts';

/** The opening balance of a wallet. */
export interface OpeningBalance {
  readonly currency: Currency;
  readonly amount: Minor;
}

/** The opening balances of a new account in test mode (docs/contract.md#payments). */
export const defaultOpenings: readonly OpeningBalance[] = ['USD', 'EUR', 'GBP'].map((currency) => ({
  currency,
  amount: 100_000_00n,
}));

/** Opens wallets in both modes. Opening balances are deposits in test mode. */
export function openWallets(state: State, { byMode }: Account, openings: readonly OpeningBalance[]): void {
  for (const { currency: opens, amount } of openings) {
    const now = beginChange(state, byMode.test);
    const entries = amount === 0n ? [] : [depositEntry(opens, amount, now)];
    void commit(state, byMode.test, { change: { opens, entries } });
    void commit(state, byMode.live, { change: { opens } });
  }
}

/** The form of a key that opens an account: a test key of at most 268 characters. */
const OPENING_KEY = /^service_test_[\w.~-]{1,255}$/;

/** The number of accounts in memory that keys have only read. */
const MAX_PROVISIONAL = 1_000;

/**
 * Returns the account and mode of a key. With the policy `open`, an unknown test key, well-formed and never replaced,
 * has a provisional account: it answers reads and becomes part of the state with `storeAccount`.
 */
export function findCaller(state: State, key: string): Caller | undefined {
  removeIdleAccounts(state, state.apiKeys.get(key)?.account);
  const caller = state.apiKeys.get(key);
  if (caller !== undefined) {
    markUsed(state, caller.account);
    return caller;
  }
  const canOpen = state.accountPolicy === 'open' && OPENING_KEY.test(key) && !state.retiredKeys.has(key);
  if (!canOpen) return undefined;
  const account = findProvisional(state, key);
  return { account, accountState: account.byMode.test };
}

function findProvisional(state: State, key: string): Account {
  const { provisional } = state.openAccounts;
  const name = chooseName(state, key);
  const id = accountIdOf(state.seed, name);
  const account = provisional.get(id) ?? createProvisional(state, name, key);
  // The map is ordered from the least recently used account.
  provisional.delete(id);
  provisional.set(id, account);
  const [oldest] = provisional.keys();
  if (provisional.size > MAX_PROVISIONAL && oldest !== undefined) provisional.delete(oldest);
  return account;
}

/** Creates an account with the default balances, as if it had existed since the start of the sandbox. */
function createProvisional(state: State, name: string, key: string): Account {
  const { seed, profile, openedAt } = state;
  const account = openAccount({ seed, name, profile, keys: { test: key }, isOpen: true });
  skipIssuedIds(state, account);
  for (const { currency: opens, amount } of defaultOpenings) {
    applyChange(account.byMode.test, { opens, entries: [depositEntry(opens, amount, openedAt)] });
    applyChange(account.byMode.live, { opens });
  }
  return account;
}

/**
 * Makes a provisional account a part of the state. Does nothing for any other account.
 *
 * @throws {AccountLimitError} when the sandbox has as many open accounts as it may have
 * @throws {ReplacedStateError} when the id or the key was given to another account in the meantime
 */
export function storeAccount(state: State, account: Account): void {
  const { id, keys, byMode } = account;
  const known = state.accounts.get(id);
  if (known === account) return;
  if (known !== undefined || byMode.test.isReplaced || isUsed(state, keys.test))
    throw new ReplacedStateError();
  makeRoom(state);
  state.openAccounts.provisional.delete(id);
  registerAccount(state, account);
  markUsed(state, account);
  const wallets = defaultOpenings.map(({ currency }) => currency);
  for (const accountState of [byMode.test, byMode.live])
    state.durability.recorder?.recordChange(accountState, { wallets, rowsBefore: 0 });
}

/** Derives a name from a key. Neither the name nor the id of the account reveals the key. */
function chooseName(state: State, key: string): string {
  let name = deriveAccountName(state, key);
  // An account with the derived name may exist already.
  while (state.accounts.has(accountIdOf(state.seed, name)))
    name = deriveAccountName(state, `${key}\n${name}`);
  return name;
}

function deriveAccountName({ seed }: State, key: string): string {
  return `open-${deriveText(`${seed}\n${key}`, 'name of an opened account', 12)}`;
}
