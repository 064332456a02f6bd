import {
  adjustmentEntry,
  depositEntry,
  type Entry,
  paymentEntries,
  type Transaction,
} from '../domain/ledger.ts';
import { planPayment } from '../domain/outcome.ts';
import type { Payment } from '../domain/payment.ts';
import type { Profile } from '../domain/profile.ts';
import { repairProfile } from '../domain/profile.ts';
import { modes } from '@service/contract';
import { findFeeRule } from '@service/internal';
import { type Account, createStateByMode, registerKey } from './accounts.ts';
import {
  type AccountState,
  balanceOf,
  saveIdempotencyRecord,
  storePayment,
  applyPosting,
} from './account-state.ts';
import type { Timer } from './clock.ts';
import { SandboxError } from './sandbox-error.ts';
import {
  type AccountSnapshot,
  type AccountsSnapshot,
  type EncodedPayment,
  type ModeSnapshot,
  type StateSnapshot,
  type Snapshot,
  computeChecksum,
  decodeAmounts,
} from './snapshot.ts';
import { runTransition, type State } from './state.ts';

/**
 * Restores a state whose checksum was verified.
 *
 * @throws {SandboxError} without a change if it is inconsistent
 */
export function restoreEncoded(state: State, encoded: StateSnapshot): void {
  const accounts = decodeAccounts(state, encoded, encoded.seed);
  state.restores += 1;
  for (const { byMode } of state.accounts.values()) for (const mode of modes) byMode[mode].isReplaced = true;
  state.accounts.clear();
  state.apiKeys.clear();
  state.retiredKeys.clear();
  for (const key of encoded.retiredKeys) state.retiredKeys.add(key);
  state.seed = encoded.seed;
  const profile = encoded.profiles[encoded.profile] as Profile | undefined;
  if (profile !== undefined) state.profile = profile;
  for (const account of accounts) {
    state.accounts.set(account.id, account);
    for (const mode of modes) registerKey(state, account, mode);
  }
  state.clock.restart(encoded.now, listTimers(state, accounts));
}

/**
 * Restores an account, which keeps its keys. The clock continues: transitions that are due in the meantime follow.
 *
 * @throws {SandboxError} without a change if the state is later than the clock
 */
export function restoreAccount(state: State, replaced: Account, encoded: AccountsSnapshot): Account {
  const [account] = decodeAccounts(state, encoded, state.seed);
  if (account === undefined) throw invalidSnapshot('This snapshot is inconsistent.');
  if (encoded.now > state.clock.now()) {
    const time = new Date(encoded.now).toISOString();
    const message = `The state of the account is from ${time}, which is later than the clock. Advance the clock first.`;
    throw new SandboxError('invalid_state', message);
  }
  const { byMode, keys, keysIssued } = replaced;
  const owners = new Set(modes.map((mode) => byMode[mode]));
  for (const owner of owners) owner.isReplaced = true;
  state.restores += 1;
  Object.assign(account, { keys: { ...keys }, keysIssued });
  state.accounts.set(account.id, account);
  for (const mode of modes) state.apiKeys.set(keys[mode], { account, accountState: account.byMode[mode] });
  state.clock.replace(owners, listTimers(state, [account]));
  return account;
}

/** Returns the timers of the automatic transitions of all payments of some accounts. */
function listTimers(state: State, accounts: readonly Account[]): Timer[] {
  const owners = accounts.flatMap(({ byMode }) => modes.map((mode) => byMode[mode]));
  return owners.flatMap((owner) =>
    [...owner.payments.values()].flatMap(({ id, next }) =>
      next === null
        ? []
        : { at: next.at, tieBreaker: id, owner, run: () => runTransition(state, owner, id, next) },
    ),
  );
}

/**
 * Reads the state of a snapshot.
 *
 * @throws {SandboxError} if it is damaged or of another version
 */
export function readSnapshot(snapshot: Snapshot): StateSnapshot {
  const { format, version, checksum, state } = (snapshot ?? {}) as Partial<Snapshot>;
  if (format !== 'service-sandbox' || state === undefined)
    throw invalidSnapshot('This is not a snapshot of a sandbox. sandbox.snapshot() creates one.');
  if (version !== 2)
    throw invalidSnapshot(
      `This snapshot has version ${JSON.stringify(version)}; this package reads version 2.`,
    );
  if (checksum !== computeChecksum(state))
    throw invalidSnapshot('This snapshot is damaged or was edited: its checksum does not match its state.');
  if ('removed' in state)
    throw invalidSnapshot(
      'This snapshot has accounts that expired. Only the release that took it issues none of their ids again.',
    );
  return state;
}

/** Decodes all accounts before the first change. */
function decodeAccounts({ onDefect }: State, encoded: AccountsSnapshot, seed: string): Account[] {
  try {
    const repaired = encoded.profiles.map(repairProfile);
    const profiles = repaired.map(({ profile }) => profile);
    const accounts = encoded.accounts.map((account) => decodeAccount(account, seed, profiles));
    // A reset to this state must not report them again.
    Object.assign(encoded, { profiles });
    const dropped = new Set(repaired.flatMap((each) => each.dropped));
    const names = [...dropped].join(', ');
    if (dropped.size > 0)
      onDefect(
        invalidSnapshot(
          `The stored profile was restored without ${names}, which this release of the sandbox refuses.`,
        ),
      );
    return accounts;
  } catch (cause) {
    throw invalidSnapshot('This snapshot is inconsistent.', { cause });
  }
}

/** Decodes an account. Payments with the same terms share one object of `profiles`. */
function decodeAccount(encoded: AccountSnapshot, seed: string, profiles: readonly Profile[]): Account {
  const { modes: encodedModes, ...rest } = encoded;
  const byMode = createStateByMode({ ...rest, seed });
  for (const mode of modes) decodeMode(encodedModes[mode], byMode[mode], profiles);
  return { ...rest, keys: { ...encoded.keys }, byMode };
}

/** Decodes the state of a mode into an empty account state. */
function decodeMode(state: ModeSnapshot, accountState: AccountState, profiles: readonly Profile[]): void {
  const profileAt = (index: number): Profile => {
    const profile = profiles[index];
    if (profile === undefined) throw new Error('a profile is missing');
    return profile;
  };
  accountState.profile = profileAt(state.profile);
  for (const currency of state.wallets)
    applyPosting(accountState, { account: 'wallet', currency, amount: 0n });
  for (const encoded of state.payments) {
    const payment = decodePayment(encoded, profileAt(encoded.terms));
    storePayment(accountState, payment);
    for (const entry of paymentEntries(payment)) postAll(accountState, entry);
  }
  for (const encoded of state.transactions) restoreRow(accountState, decodeAmounts(encoded));
  for (const record of state.idempotency) saveIdempotencyRecord(accountState, { ...record });
  for (const delivery of state.deliveries) accountState.deliveries.set(delivery.id, delivery);
  accountState.endpoint = state.endpoint;
  accountState.secretsIssued = state.secretsIssued;
  checkBalances(accountState);
}

function decodePayment(encoded: EncodedPayment, terms: Profile): Payment {
  const decoded = decodeAmounts<Omit<Payment, 'terms' | 'plan' | 'debit'> & Partial<Payment>>({
    ...encoded,
    terms,
  });
  const { send_amount: amount, fee, from_currency: from, to_currency: to } = decoded;
  // Earlier releases derived the plan and the debit at each use.
  const {
    plan = planPayment({ ...decoded, terms }),
    debit = findFeeRule(terms.fees, { from, to, amount })?.mode === 'onTop' ? amount + fee : amount,
  } = decoded;
  return { ...decoded, debit, next: decoded.next ?? null, terms, plan };
}

function restoreRow(accountState: AccountState, row: Transaction): void {
  accountState.transactions.push(row);
  const { type, currency, amount, created_at } = row;
  if (type === 'deposit') postAll(accountState, depositEntry(currency, amount, created_at));
  if (type === 'adjustment') postAll(accountState, adjustmentEntry(currency, amount, created_at));
}

function postAll(accountState: AccountState, entry: Entry): void {
  for (const posting of entry.postings) applyPosting(accountState, posting);
}

/** Checks that the last row of each wallet agrees with the ledger. */
function checkBalances(accountState: AccountState): void {
  const last = new Map(accountState.transactions.map((row) => [row.currency, row.balance_after]));
  for (const [currency, balance] of last) {
    if (balanceOf(accountState, 'wallet', currency) !== balance)
      throw new Error(`the balance of ${currency} is off`);
  }
}

function invalidSnapshot(message: string, options?: ErrorOptions): SandboxError {
  return new SandboxError('invalid_argument', message, options);
}
