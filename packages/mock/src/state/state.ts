import { type Currency, type Mode, modes } from '@service/contract';
import { type Signal, toHex } from '@service/internal';
import { type Change, type CreateContext, decideTransition } from '../domain/decision.ts';
import type { Delivery } from '../domain/delivery.ts';
import { drawId } from '../domain/ids.ts';
import type { Instant } from '../domain/json.ts';
import {
  type Entry,
  type LedgerAccount,
  type Posting,
  reservedBy,
  type Transaction,
} from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import type { Payment, Transition } from '../domain/payment.ts';
import type { Profile } from '../domain/profile.ts';
import type { Clock, Timer } from './clock.ts';
import { categoryOf, type RowIndex } from './row-index.ts';
import { SandboxError } from './sandbox-error.ts';

/** The webhook endpoint of an account and mode. */
export interface Endpoint {
  /** The URL that receives events; `collect:` for collected events. */
  readonly url: string;
  /** The signing secret. */
  readonly secret: string;
}

/** An idempotency key and the payment of its first request. */
export interface IdempotencyRecord {
  /** The `Idempotency-Key` header of the request. */
  readonly key: string;
  /** The hash of the request body. A repeated request must have the same one. */
  readonly fingerprint: string;
  /** Sandbox time of the first request, in milliseconds since 1970. */
  readonly reserved_at: Instant;
  /** End of replays, 24 hours later, in milliseconds since 1970. */
  readonly expires_at: Instant;
  /** The payment of the first request. */
  readonly payment_id: string;
}

/** The time for which a key is remembered, in milliseconds (docs/contract.md#idempotency-keys). */
export const KEY_LIFETIME: number = 24 * 3_600_000;

/** All state of one account in one mode. */
export class AccountState {
  /** The id of the account. */
  readonly account: string;
  readonly mode: Mode;
  /** The seed of derived ids: sandbox seed, account name and mode. */
  readonly source: string;
  profile: Profile;
  readonly ledger: Map<LedgerAccount, Map<Currency, Minor>> = new Map();
  /** The pending debits of payments, by currency. */
  readonly reserved: Map<Currency, Minor> = new Map();
  /** Ledger entries and events of a payment follow from the payment. */
  readonly payments: Map<string, Payment> = new Map();
  /** In commit order, which is also the order of times and ids. */
  readonly transactions: Transaction[] = [];
  readonly idempotency: Map<string, IdempotencyRecord> = new Map();
  /**
   * The keys whose first request is still running. Snapshots omit them: a request does not outlive its
   * process.
   */
  readonly running: Set<string> = new Set();
  /** The reordered deliveries by payment, which wait for its next event. */
  readonly held: Map<string, readonly string[]> = new Map();
  /** The deliveries by id. Events without an endpoint have none. */
  readonly deliveries: Map<string, Delivery> = new Map();
  /** The index of `transactions`, from the first read of the list on. */
  rowIndex: RowIndex | undefined;
  endpoint: Endpoint | null = null;
  /** True after a restore or reset has replaced this state. It must not change any more. */
  isReplaced = false;
  /** The number of signing secrets issued so far. It makes each derived secret unique. */
  secretsIssued = 0;

  constructor(account: string, mode: Mode, source: string, profile: Profile) {
    this.account = account;
    this.mode = mode;
    this.source = source;
    this.profile = profile;
  }
}

/** An account: two keys and the state of each mode. */
export interface Account {
  /** The id (`acct_…`). */
  readonly id: string;
  /** The unique name from `accounts.create` or the seed. */
  readonly name: string;
  readonly byMode: Readonly<Record<Mode, AccountState>>;
  /** The current API key of each mode. */
  readonly keys: Record<Mode, string>;
  /** The number of keys issued so far. It makes each derived key unique. */
  keysIssued: number;
  /** Whether every request of the account responds 403. */
  suspended: boolean;
}

/** Creates the empty state of both modes of an account. */
export function createStateByMode(
  { id, name }: { readonly id: string; readonly name: string },
  seed: string,
  profile: Profile,
): Record<Mode, AccountState> {
  const create = (mode: Mode): AccountState =>
    new AccountState(id, mode, `${seed}\n${name}\n${mode}`, profile);
  return { test: create('test'), live: create('live') };
}

/** Returns the balance of a ledger account, or 0 without postings. */
export function balanceOf(accountState: AccountState, account: LedgerAccount, currency: Currency): Minor {
  return accountState.ledger.get(account)?.get(currency) ?? 0n;
}

/** Returns the balance of a wallet minus the pending debits of payments. */
export function availableOf(accountState: AccountState, currency: Currency): Minor {
  return balanceOf(accountState, 'wallet', currency) - (accountState.reserved.get(currency) ?? 0n);
}

/** Applies a change as a whole. Throws before the first change if it would violate a ledger invariant. */
export function applyChange(accountState: AccountState, change: Change, record?: IdempotencyRecord): void {
  const { payment, opens, entries = [] } = change;
  for (const entry of entries) checkEntry(accountState, entry);
  if (opens !== undefined) applyPosting(accountState, { account: 'wallet', currency: opens, amount: 0n });
  for (const entry of entries) applyEntry(accountState, entry);
  if (record !== undefined) rememberKey(accountState.idempotency, record);
  if (payment !== undefined) storePayment(accountState, payment);
}

/** Remembers a key, and forgets the expired ones, which come first. */
export function rememberKey(keys: Map<string, IdempotencyRecord>, record: IdempotencyRecord): void {
  for (const [key, { expires_at }] of keys) {
    if (expires_at > record.reserved_at) break;
    keys.delete(key);
  }
  keys.set(record.key, record);
}

/** Stores a new or changed payment and updates the reserved amount. */
export function storePayment(accountState: AccountState, payment: Payment): void {
  const { payments, reserved, rowIndex } = accountState;
  const before = payments.get(payment.id);
  if (before !== undefined && before.debit_row !== null)
    rowIndex?.move(
      before.debit_row,
      categoryOf('payment', before.status),
      categoryOf('payment', payment.status),
    );
  // Debited at its create, a payment reserves nothing.
  if (payment.terms.debitAt.status !== 'create') {
    const change = reservedBy(payment) - (before === undefined ? 0n : reservedBy(before));
    const { from_currency: currency } = payment;
    if (change !== 0n) reserved.set(currency, (reserved.get(currency) ?? 0n) + change);
  }
  payments.set(payment.id, payment);
}

function applyEntry(accountState: AccountState, entry: Entry): void {
  for (const posting of entry.postings) applyPosting(accountState, posting);
  const { type, wallet, payment_id, at: created_at } = entry;
  if (wallet === null || type === undefined) return;
  const { currency, amount } = wallet;
  const balance_after = balanceOf(accountState, 'wallet', currency);
  accountState.transactions.push({ type, currency, amount, balance_after, payment_id, created_at });
}

/** Adds an amount to a ledger account. */
export function applyPosting(accountState: AccountState, { account, currency, amount }: Posting): void {
  const balances = accountState.ledger.get(account) ?? new Map<Currency, Minor>();
  accountState.ledger.set(account, balances.set(currency, (balances.get(currency) ?? 0n) + amount));
}

/** Checks the ledger invariants: the entry is balanced, and the wallet does not become negative. */
function checkEntry(accountState: AccountState, { kind, postings, wallet }: Entry): void {
  for (const { currency } of postings) {
    let sum = 0n;
    for (const posting of postings) if (posting.currency === currency) sum += posting.amount;
    if (sum !== 0n) throw new Error(`unbalanced entry: ${kind}`);
  }
  if (wallet !== null && balanceOf(accountState, 'wallet', wallet.currency) + wallet.amount < 0n)
    throw new Error(`overdrawn wallet: ${kind}`);
}

/** The names of the stored lists of an account and mode. */
export type StoredListName = 'wallets' | 'payments' | 'transactions' | 'idempotency' | 'deliveries';

/** Stores the changes of a state. In a data file, changes of one synchronous step are stored together or not at all. */
export interface ChangeRecorder {
  /** The reason why changes cannot be stored at present. */
  readonly failure: Error | undefined;
  /** Records a new or changed item. */
  readonly recordItem: (
    accountState: AccountState,
    list: StoredListName,
    key: string,
    item: object | string,
  ) => void;
  /** Records the time and the default profile, and the keys and settings of an account. */
  readonly recordSettings: (account?: string) => void;
  /** Records the whole state after a restore. */
  readonly recordState: () => void;
  /**
   * Resolves when all changes so far are durable, and rejects if they cannot be stored. Returns
   * undefined if they are durable already.
   */
  readonly confirm: () => Promise<void> | undefined;
  /** Like `confirm`, but waits until a failure has ended. */
  readonly confirmEventually: () => Promise<void> | undefined;
}

/** Counts the changes of a state, and passes them to a recorder if the state is stored. */
export class Changes {
  /** Grows with each change. */
  count = 0;
  recorder: ChangeRecorder | undefined;

  recordSettings(account?: string): void {
    this.count += 1;
    this.recorder?.recordSettings(account);
  }

  recordState(): void {
    this.count += 1;
    this.recorder?.recordState();
  }
}

/** The account and mode of a request. */
export interface Caller {
  readonly account: Account;
  readonly accountState: AccountState;
}

/** When to dispatch the events of a change. */
interface DispatchOptions {
  /** The response to the request that caused the change. Default: dispatches immediately. */
  readonly after?: Signal | undefined;
  /** Dispatches immediately, ahead of earlier events. */
  readonly ahead?: boolean | undefined;
}

/** A payment with a new status. */
export interface CommittedPayment extends DispatchOptions {
  readonly accountState: AccountState;
  readonly payment: Payment;
}

/** The policies for test keys that the sandbox did not issue: reject them, or open an account for each. */
export const accountPolicies = ['strict', 'open'] as const;

export interface StateOptions {
  readonly clock: Clock;
  readonly seed: string;
  /** The profile of new accounts. */
  readonly profile: Profile;
  /** The policy for test keys that the sandbox did not issue. Default: `strict`. */
  readonly accountPolicy?: (typeof accountPolicies)[number];
  readonly changes: Changes;
  /** Dispatches the event of the status of a payment. Resolves after the first attempt. */
  readonly dispatch: (committed: CommittedPayment) => Promise<void> | undefined;
  /** Called for an unexpected error, and for settings of a stored profile that are left out. */
  readonly onDefect: (error: unknown) => void;
}

/** All mutable state of a sandbox. Money and payments change only through `commit`. */
export interface State extends StateOptions {
  seed: string;
  profile: Profile;
  readonly accounts: Map<string, Account>;
  readonly apiKeys: Map<string, Caller>;
  /** Replaced keys. They stay invalid, even with the policy `open`. */
  readonly retiredKeys: Set<string>;
  /** Runs the timer of a payment. All payments share it, so that each of them needs no function. */
  readonly runTimer: Timer['run'];
  /** The number of restores and resets so far. */
  restores: number;
}

/** Creates an empty state. */
export function createState(options: StateOptions): State {
  const state: State = {
    ...options,
    accounts: new Map(),
    apiKeys: new Map(),
    retiredKeys: new Set(),
    runTimer: (timer) => runTransition(state, timer),
    restores: 0,
  };
  return state;
}

/** Returns the account state of one account, or of any account, that contains a payment or a delivery. Undefined without one. */
export function findAccountStateOf(
  { accounts }: State,
  id: string,
  account?: string,
  list: 'payments' | 'deliveries' = 'payments',
): AccountState | undefined {
  for (const found of account === undefined ? accounts.values() : [accounts.get(account)])
    for (const mode of modes) if (found?.byMode[mode][list].has(id)) return found.byMode[mode];
  return undefined;
}

/** Creates the error of a request whose account state a restore or reset has replaced. Nothing has changed. */
export function replacedState(): SandboxError {
  return new SandboxError('unavailable', 'The sandbox or its account was reset during this request.');
}

/**
 * Runs the due timers and returns the time of a change. The caller reads the state, decides and commits
 * synchronously, so that nothing changes in between.
 *
 * @throws {SandboxError} when a restore or reset has replaced the account state
 */
export function beginChange(state: State, accountState: AccountState): Instant {
  state.clock.catchUp();
  if (accountState.isReplaced) throw replacedState();
  return state.clock.now();
}

/**
 * Begins the create of a payment, and returns the state that it depends on.
 *
 * @throws {SandboxError} when a restore or reset has replaced the account state
 */
export function beginCreate(state: State, accountState: AccountState, currency: Currency): CreateContext {
  const now = beginChange(state, accountState);
  return {
    available: availableOf(accountState, currency),
    id: drawId(accountState, 'pay', accountState.payments.size + 1),
    mode: accountState.mode,
    now,
    terms: accountState.profile,
    nextRow: accountState.transactions.length,
  };
}

/** The idempotency key of a change, and when to dispatch its event. */
interface CommitOptions extends DispatchOptions {
  readonly record?: IdempotencyRecord | undefined;
}

/**
 * Commits a change as a whole. A payment dispatches the event of its status and schedules its next transition. Resolves
 * after the first delivery attempts.
 */
export function commit(
  state: State,
  accountState: AccountState,
  change: Change,
  { record, after, ahead }: CommitOptions = {},
): Promise<void> | undefined {
  const rowsBefore = accountState.transactions.length;
  applyChange(accountState, change, record);
  const { payment, opens } = change;
  const { changes } = state;
  const { recorder } = changes;
  changes.count += 1;
  if (recorder !== undefined) {
    if (opens !== undefined) recorder.recordItem(accountState, 'wallets', opens, opens);
    if (payment !== undefined) recorder.recordItem(accountState, 'payments', payment.id, payment);
    for (const [index, row] of accountState.transactions.slice(rowsBefore).entries())
      recorder.recordItem(accountState, 'transactions', String(rowsBefore + index), row);
    if (record !== undefined) recorder.recordItem(accountState, 'idempotency', record.key, record);
  }
  const dispatched = payment && state.dispatch({ accountState, payment, after, ahead });
  if (payment?.next) {
    const { id: tieBreaker, next } = payment;
    state.clock.schedule({ at: next.at, tieBreaker, owner: accountState, run: state.runTimer });
  }
  return dispatched;
}

/** Stores and records a new or changed delivery. */
export function storeDelivery(changes: Changes, accountState: AccountState, delivery: Delivery): void {
  accountState.deliveries.set(delivery.id, delivery);
  changes.count += 1;
  changes.recorder?.recordItem(accountState, 'deliveries', delivery.id, delivery);
}

/** Runs the next automatic transition of a payment, unless another one has replaced it. Never throws. */
function runTransition(state: State, { at, tieBreaker: id, owner }: Timer): void {
  const accountState = owner as AccountState;
  const next = accountState.payments.get(id)?.next;
  if (next?.at !== at) return;
  try {
    transitionPayment(state, accountState, id, next.transition);
  } catch (error) {
    // An error must not end the process, nor keep the other timers of a clock from running.
    state.onDefect(error);
  }
}

/**
 * Runs a transition of a payment and returns the changed payment. Returns undefined without a change if its status
 * does not allow it.
 */
export function transitionPayment(
  state: State,
  accountState: AccountState,
  id: string,
  transition: Transition,
): Payment | undefined {
  const now = beginChange(state, accountState);
  const payment = accountState.payments.get(id);
  if (payment === undefined) return undefined;
  const balance = balanceOf(accountState, 'wallet', payment.from_currency);
  const nextRow = accountState.transactions.length;
  const change = decideTransition(payment, transition, now, balance, nextRow);
  if (change === undefined) return undefined;
  void commit(state, accountState, change);
  return change.payment;
}

/** Creates a seed from the system's randomness. */
export function drawSeed(): string {
  // Not `crypto` of Node, whose first use loads all of the Web Crypto API: half of the time of the first mock.
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  return node?.randomBytes(16).toString('hex') ?? toHex(crypto.getRandomValues(new Uint8Array(16)));
}
