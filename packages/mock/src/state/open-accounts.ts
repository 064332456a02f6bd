import type { Account } from './account.ts';
import type { AccountState } from './account-state.ts';
import { SandboxError } from './sandbox-error.ts';
import type { State } from './state.ts';

/** The accounts that keys open with the policy `open`. */
export interface OpenAccounts {
  /** The accounts that keys have only read, by id, least recently used first. They are not part of the state. */
  readonly provisional: Map<string, Account>;
  /** When each stored one was last used, in milliseconds of real time, least recently used first. */
  readonly usedAt: Map<string, number>;
  /** The numbers of the ids that removed accounts have issued, so that none is issued again. */
  readonly removed: Map<string, IssuedIds>;
  /** The number of accounts that were removed since the start of the process. */
  removals: number;
}

/**
 * The numbers of payments, transactions, deliveries and signing secrets that an account has issued in test mode, then
 * those of live mode, unless they are all 0.
 */
export type IssuedIds = readonly number[];

/** The limits of the accounts that keys open. */
export interface AccountLimits {
  /** Maximum number of stored accounts. */
  readonly maxAccounts?: number | undefined;
  /** The time without a use after which an account is removed, in milliseconds of real time. */
  readonly expireAccounts?: number | undefined;
}

/** The sandbox has as many open accounts as it may have. */
export class AccountLimitError extends SandboxError {
  constructor(limit: number) {
    super(
      'invalid_state',
      `Keys have opened ${limit === 1 ? '1 account' : `${limit} accounts`}, the maximum of this sandbox. Use one of those keys, or restart the sandbox with a higher limit or an expiry of idle accounts.`,
    );
  }
}

/** Maximum number of idle accounts that one request removes, so that it does not delay other ones. */
const MAX_REMOVALS = 100;

/** Creates an empty set. */
export function createOpenAccounts(): OpenAccounts {
  return { provisional: new Map(), usedAt: new Map(), removed: new Map(), removals: 0 };
}

/** Makes an open account the most recently used one. */
export function markUsed({ openAccounts: { usedAt }, elapsed }: State, { id, isOpen }: Account): void {
  if (isOpen !== true) return;
  usedAt.delete(id);
  usedAt.set(id, elapsed());
}

/** Removes an account if it has expired, and some of the other expired ones. */
export function removeIdleAccounts(state: State, wanted: Account | undefined): void {
  const { expireAccounts, openAccounts, elapsed } = state;
  if (expireAccounts === undefined) return;
  const expired = elapsed() - expireAccounts;
  const isExpired = (id: string): boolean => (openAccounts.usedAt.get(id) ?? Infinity) <= expired;
  if (wanted !== undefined && isExpired(wanted.id)) removeOpenAccount(state, wanted.id);
  for (let count = 0; count < MAX_REMOVALS; count += 1) {
    const [oldest] = openAccounts.usedAt.keys();
    if (oldest === undefined || !isExpired(oldest)) return;
    removeOpenAccount(state, oldest);
  }
}

/**
 * Makes room for one more account: with `expireAccounts`, removes the least recently used one.
 *
 * @throws {AccountLimitError} at the limit without `expireAccounts`
 */
export function makeRoom(state: State): void {
  const { maxAccounts = Infinity, expireAccounts, openAccounts } = state;
  while (openAccounts.usedAt.size >= maxAccounts) {
    const [oldest] = openAccounts.usedAt.keys();
    if (expireAccounts === undefined || oldest === undefined) throw new AccountLimitError(maxAccounts);
    removeOpenAccount(state, oldest);
  }
}

/** Removes an open account with its keys and its content. Its id counters stay. */
function removeOpenAccount(state: State, id: string): void {
  const { accounts, apiKeys, openAccounts, durability } = state;
  const account = accounts.get(id);
  openAccounts.usedAt.delete(id);
  if (account === undefined) return;
  const { keys, byMode } = account;
  const issued = countIssuedIds(account);
  accounts.delete(id);
  openAccounts.removed.set(id, issued);
  openAccounts.removals += 1;
  for (const mode of ['test', 'live'] as const) {
    apiKeys.delete(keys[mode]);
    emptyState(byMode[mode]);
  }
  durability.recorder?.recordRemoval(id, issued);
  state.onRemove?.(account);
}

/** Removes the content, which timers and the request log would keep in memory. */
function emptyState(accountState: AccountState): void {
  accountState.isReplaced = true;
  accountState.transactions.length = 0;
  const { ledger, reserved, payments, idempotency, running, deliveries } = accountState;
  for (const each of [ledger, reserved, payments, idempotency, running, deliveries]) each.clear();
}

function countIssuedIds({ byMode: { test, live } }: Account): IssuedIds {
  const inLive = countIssuedIn(live);
  return inLive.some((issued) => issued > 0) ? [...countIssuedIn(test), ...inLive] : countIssuedIn(test);
}

function countIssuedIn(accountState: AccountState): number[] {
  const { issuedBefore, payments, transactions, deliveries, secretsIssued } = accountState;
  const [paymentsBefore = 0, rowsBefore = 0, deliveriesBefore = 0] = issuedBefore;
  return [
    paymentsBefore + payments.size,
    rowsBefore + transactions.length,
    deliveriesBefore + deliveries.size,
    secretsIssued,
  ];
}

/** Continues the ids of a removed account in a new or restored one of the same id. */
export function skipIssuedIds({ openAccounts }: State, { id, byMode: { test, live } }: Account): void {
  const issued = openAccounts.removed.get(id) ?? [];
  skipIssuedIn(test, issued.slice(0, 4));
  skipIssuedIn(live, issued.slice(4));
}

function skipIssuedIn(accountState: AccountState, issued: readonly number[]): void {
  const missing = countIssuedIn(accountState).map((count, index) =>
    Math.max(0, (issued[index] ?? 0) - count),
  );
  if (missing.every((count) => count === 0)) return;
  const { issuedBefore } = accountState;
  const [payments = 0, rows = 0, deliveries = 0, secrets = 0] = missing;
  accountState.issuedBefore = [payments, rows, deliveries].map(
    (count, index) => count + (issuedBefore[index] ?? 0),
  );
  accountState.secretsIssued += secrets;
}
