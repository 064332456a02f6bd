import { type Currency, type Mode, modes } from '@service/contract';
import { depositEntry } from '../domain/ledger.ts';
import { isSupported, type Minor, toUnits } from '../domain/money.ts';
import { type AccountState, applyChange, createAccountState } from './account-state.ts';
import { SandboxError } from './sandbox-error.ts';
import { encodeOneAccount } from './snapshot.ts';
import { type Caller, ReplacedStateError, type State } from './state.ts';
import { defaultProfile, type Profile } from '../domain/profile.ts';
import { deriveText } from '../domain/ids.ts';

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
}

/** The opening balance of a wallet. */
export interface OpeningBalance {
  readonly currency: Currency;
  readonly amount: Minor;
}

/** The name, keys, profile and balances of a new account. */
interface NewAccount {
  readonly name: string;
  readonly profile: Profile;
  /** Keys to use instead of derived ones. */
  readonly keys?: Partial<Record<Mode, string>>;
  readonly isOpen?: true;
  readonly balances: readonly OpeningBalance[];
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

/**
 * Creates an account with wallets in both modes. Opening balances are deposits in test mode. The account becomes part of
 * the state with `storeAccount`.
 */
export function createFundedAccount(
  { seed, clock, openedAt }: State,
  { name, profile, keys = {}, isOpen, balances }: NewAccount,
): Account {
  const id = accountIdOf(seed, name);
  const account: Account = {
    id,
    name,
    byMode: createStateByMode({ id, seed, name, profile }),
    keys: { test: keys.test ?? '', live: keys.live ?? '' },
    ...(isOpen && { isOpen }),
    keysIssued: 0,
    suspended: false,
  };
  for (const mode of modes) if (keys[mode] === undefined) issueKey(account, mode);
  clock.catchUp();
  const at = isOpen ? openedAt : clock.now();
  for (const { currency: opens, amount } of balances) {
    const entries = amount === 0n ? [] : [depositEntry(opens, amount, at)];
    applyChange(account.byMode.test, { opens, entries });
    applyChange(account.byMode.live, { opens });
  }
  return account;
}

/** Maximum number of accounts that keys open. */
const MAX_OPEN = 10_000;

/** The sandbox has as many open accounts as it may have. */
export class AccountLimitError extends SandboxError {
  constructor() {
    super(
      'invalid_state',
      `Keys have opened ${MAX_OPEN} accounts, the maximum of a sandbox. Use one of those keys, or reset the sandbox.`,
    );
  }
}

/** @throws {AccountLimitError} when the sandbox has as many open accounts as it may have */
function checkRoom({ accounts }: State): void {
  if (accounts.size < MAX_OPEN) return;
  if ([...accounts.values()].filter(({ isOpen }) => isOpen).length >= MAX_OPEN) throw new AccountLimitError();
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
  const caller = state.apiKeys.get(key);
  if (caller !== undefined) return caller;
  const canOpen = state.accountPolicy === 'open' && OPENING_KEY.test(key) && !state.retiredKeys.has(key);
  if (!canOpen) return undefined;
  const account = findProvisional(state, key);
  return { account, accountState: account.byMode.test };
}

/** Returns the account of a key with the default balances, as if it had existed since the start of the sandbox. */
function findProvisional(state: State, key: string): Account {
  const { seed, provisional, profile } = state;
  // Neither the name nor the id of the account reveals the key.
  const name = `open-${deriveText(`${seed}\n${key}`, 'name of an opened account', 12)}`;
  const id = accountIdOf(seed, name);
  const balances = listOpenings(profile);
  const account =
    provisional.get(id) ??
    createFundedAccount(state, { name, profile, keys: { test: key }, isOpen: true, balances });
  // The map is ordered from the least recently used account.
  provisional.delete(id);
  provisional.set(id, account);
  const [oldest] = provisional.keys();
  if (provisional.size > MAX_PROVISIONAL && oldest !== undefined) provisional.delete(oldest);
  return account;
}

/**
 * Makes a new or provisional account a part of the state. Does nothing for an account that is part of it.
 *
 * @throws {AccountLimitError} when the sandbox has as many open accounts as it may have
 * @throws {ReplacedStateError} when the id or the key was given to another account in the meantime
 */
export function storeAccount(state: State, account: Account): void {
  const { id, keys, byMode, isOpen } = account;
  const known = state.accounts.get(id);
  if (known === account) return;
  const isTaken = known !== undefined || (isOpen && isUsed(state, keys.test));
  if (isTaken || byMode.test.isReplaced) throw new ReplacedStateError();
  if (isOpen) checkRoom(state);
  state.provisional.delete(id);
  registerAccount(state, account);
  for (const accountState of [byMode.test, byMode.live]) {
    const wallets = [...(accountState.ledger.get('wallet')?.keys() ?? [])];
    state.durability.recorder?.recordChange(accountState, { wallets, rowsBefore: 0 });
  }
  state.accountBaselines.set(id, encodeOneAccount(state, account));
}

/** Adds an account and its keys to the state. */
function registerAccount(state: State, account: Account): void {
  state.accounts.set(account.id, account);
  for (const mode of ['test', 'live'] as const) registerKey(state, account, mode);
  state.durability.recorder?.recordAccount(account);
}

/**
 * Replaces a key of an account. The old key becomes invalid immediately (docs/contract.md#authentication).
 */
export function regenerateKey(state: State, account: Account, mode: Mode): void {
  state.apiKeys.delete(account.keys[mode]);
  state.retiredKeys.add(account.keys[mode]);
  issueKey(account, mode);
  registerKey(state, account, mode);
  state.durability.recorder?.recordAccount(account);
}

/** Registers the key of an account and mode. */
export function registerKey(state: State, account: Account, mode: Mode): void {
  // With the policy `open`, a client may have used a derived key before it is issued.
  while (isUsed(state, account.keys[mode])) issueKey(account, mode);
  state.apiKeys.set(account.keys[mode], { account, accountState: account.byMode[mode] });
}

/** Returns whether a key belongs to an account, or was replaced. */
export function isUsed({ apiKeys, retiredKeys }: State, key: string): boolean {
  return apiKeys.has(key) || retiredKeys.has(key);
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
function accountIdOf(seed: string, name: string): string {
  return `acct_${deriveText(`${seed}\n${name}`, 'id', 16)}`;
}

/** Replaces the key of a mode with a new one. */
function issueKey(account: Account, mode: Mode): void {
  account.keysIssued += 1;
  const tail = deriveText(account.byMode[mode].source, `key ${account.keysIssued}`, 32);
  account.keys[mode] = `service_${mode}_${tail}`;
}
