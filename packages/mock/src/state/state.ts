import type { Change, View } from '../domain/change.ts';
import type { PaymentEvent } from '../domain/event.ts';
import type { Profile } from '../domain/profile.ts';
import type { Payment } from '../domain/payment.ts';
import type { Transition, NextTransition } from '../domain/plan.ts';
import { decideTransition } from '../domain/transition-rules.ts';
import type { Mode } from '@service/contract';
import { type Account, type AccountOpening, issueKey, openAccount } from './account.ts';
import { availableOf, balanceOf, type AccountState, commit, nextPaymentId } from './account-state.ts';
import type { Clock, Timer } from './clock.ts';

/** The account and mode of a request. */
export interface Caller {
  readonly account: Account;
  readonly accountState: AccountState;
}

/** When to dispatch the events of a change. */
export interface DispatchOptions {
  /**
   * Dispatches after this promise: the response to the request that caused the change. Default: immediately.
   */
  readonly after?: Promise<void>;
  /** Dispatches immediately, ahead of earlier events. */
  readonly ahead?: boolean;
}

/** The events of a committed change. */
export interface CommittedEvents extends DispatchOptions {
  readonly accountState: AccountState;
  readonly events: readonly PaymentEvent[];
}

/** The policies for test keys that the sandbox did not issue: reject them, or open an account for each. */
export const accountPolicies = ['strict', 'open'] as const;

/**
 * The policy for test keys that the sandbox did not issue: `'strict'` rejects them, `'open'` opens an account
 * for each.
 */
export type AccountPolicy = (typeof accountPolicies)[number];

export interface StateOptions {
  readonly clock: Clock;
  readonly seed: string;
  /** The profile of new accounts. */
  readonly profile: Profile;
  /** @default 'strict' */
  readonly accountPolicy?: AccountPolicy;
  /** Dispatches the events of a committed change. Resolves after the first attempt of each. */
  readonly dispatch: (committed: CommittedEvents) => Promise<void>;
}

/** All mutable state of a sandbox. Money and payments change only through `transact`. */
export interface State extends StateOptions {
  seed: string;
  profile: Profile;
  readonly accounts: Map<string, Account>;
  readonly apiKeys: Map<string, Caller>;
  /** Replaced keys. They stay invalid, even with the policy `open`. */
  readonly retiredKeys: Set<string>;
}

/** Creates an empty state. */
export function createState(options: StateOptions): State {
  return { ...options, accounts: new Map(), apiKeys: new Map(), retiredKeys: new Set() };
}

/** The options of a new account. The profile defaults to that of the sandbox. */
export type NewAccount = Pick<AccountOpening, 'name' | 'testKey'> & Partial<Pick<AccountOpening, 'profile'>>;

/** Adds an account. Its name must be unique. */
export function addAccount(state: State, opening: NewAccount): Account {
  const account = openAccount({ seed: state.seed, profile: state.profile, ...opening });
  state.accounts.set(account.id, account);
  for (const mode of ['test', 'live'] as const) registerKey(state, account, mode);
  return account;
}

/** Returns the account state that contains a payment, or undefined. */
export function findAccountStateOf(state: State, payment_id: string): AccountState | undefined {
  for (const { byMode } of state.accounts.values()) {
    if (byMode.test.payments.has(payment_id)) return byMode.test;
    if (byMode.live.payments.has(payment_id)) return byMode.live;
  }
  return undefined;
}

/**
 * Replaces a key of an account. The old key becomes invalid immediately (docs/contract.md#authentication).
 */
export function regenerateKey(state: State, account: Account, mode: Mode): void {
  state.apiKeys.delete(account.keys[mode]);
  state.retiredKeys.add(account.keys[mode]);
  issueKey(account, mode);
  registerKey(state, account, mode);
}

/** Registers the key of an account and mode. */
export function registerKey(state: State, account: Account, mode: Mode): void {
  // With the policy `open`, a client may have used a derived key before it is issued.
  while (isUsed(state, account.keys[mode])) issueKey(account, mode);
  state.apiKeys.set(account.keys[mode], { account, accountState: account.byMode[mode] });
}

function isUsed({ apiKeys, retiredKeys }: State, key: string): boolean {
  return apiKeys.has(key) || retiredKeys.has(key);
}

/**
 * The account state of a request was replaced by a restore or reset while the request was running. Nothing
 * has changed.
 */
export class ReplacedStateError extends Error {
  override readonly name = 'ReplacedStateError' as const;

  constructor() {
    super('the sandbox was reset or restored in the meantime');
  }
}

/** The result of a transaction, and a promise of the first delivery attempts. */
export interface Committed<Outcome> {
  readonly outcome: Outcome;
  readonly dispatched: Promise<void>;
}

const resolved = Promise.resolve();

/**
 * Decides and commits in one synchronous step: `decide` reads the current state and returns a change. Without
 * a change the state stays the same.
 */
export function transact<Outcome extends { readonly change?: Change }>(
  state: State,
  accountState: AccountState,
  { decide, ...dispatchOptions }: { decide: (view: View) => Outcome } & DispatchOptions,
): Committed<Outcome> {
  state.clock.catchUp();
  if (accountState.isReplaced) throw new ReplacedStateError();
  const outcome = decide(viewOf(state, accountState));
  const { change } = outcome;
  if (change === undefined) return { outcome, dispatched: resolved };
  commit(accountState, change);
  const dispatched = state.dispatch({ accountState, events: change.events ?? [], ...dispatchOptions });
  scheduleNext(state, accountState, change.payment);
  return { outcome, dispatched };
}

/** Runs a transition of a payment. Returns undefined without a change if its status does not allow it. */
export function transitionPayment(
  state: State,
  accountState: AccountState,
  { id, transition }: { id: string; transition: Transition },
): Change | undefined {
  const decide = (view: View): { change?: Change } => {
    const payment = accountState.payments.get(id);
    const change = payment === undefined ? undefined : decideTransition(payment, transition, view);
    return change === undefined ? {} : { change };
  };
  return transact(state, accountState, { decide }).outcome.change;
}

function viewOf(state: State, accountState: AccountState): View {
  return {
    mode: accountState.mode,
    now: state.clock.now(),
    terms: accountState.profile,
    balanceOf: (currency) => balanceOf(accountState, 'wallet', currency),
    availableOf: (currency) => availableOf(accountState, currency),
    drawPaymentId: () => nextPaymentId(accountState),
    nextRow: () => accountState.transactions.length,
  };
}

function scheduleNext(state: State, accountState: AccountState, payment: Payment | undefined): void {
  const timer = payment && nextTimer(state, accountState, payment);
  if (timer !== undefined) state.clock.schedule(timer);
}

/** Returns the timer of the next automatic transition of a payment, or undefined. */
export function nextTimer(
  state: State,
  accountState: AccountState,
  { id, next }: Payment,
): Timer | undefined {
  if (next === null) return undefined;
  return { at: next.at, tieBreaker: id, run: () => runTransition(state, accountState, { id, next }) };
}

/** Runs a scheduled transition, unless another transition has replaced it. */
function runTransition(
  state: State,
  accountState: AccountState,
  { id, next }: { id: string; next: NextTransition },
): void {
  if (accountState.payments.get(id)?.next === next)
    transitionPayment(state, accountState, { id, transition: next.transition });
}
