import type { Change, View } from '../domain/change.ts';
import type { PaymentEvent } from '../domain/event.ts';
import type { Profile } from '../domain/profile.ts';
import type { Payment } from '../domain/payment.ts';
import type { Transition, NextTransition } from '../domain/plan.ts';
import { decideTransition } from '../domain/transition-rules.ts';
import type { Mode } from '@service/contract';
import { type Account, type AccountOpening, issueKey, openAccount } from './account.ts';
import type { Timer } from './timer-queue.ts';
import { availableOf, balanceOf, type AccountState, commit, nextPaymentId } from './account-state.ts';
import type { Clock } from './clock.ts';

/** Identifies who calls: an account in one mode. */
export interface Caller {
  readonly account: Account;
  readonly accountState: AccountState;
}

/** Says when the events of a change leave. */
export interface DispatchOptions {
  /** Nothing leaves before this is fulfilled: the answer to the call that made the change. At once when left out. */
  readonly after?: Promise<void>;
  /** Leaves at once, without waiting for the events before it. */
  readonly ahead?: boolean;
}

/** Tells what was committed and has to be announced. */
export interface CommittedEvents extends DispatchOptions {
  readonly accountState: AccountState;
  readonly events: readonly PaymentEvent[];
}

/** Lists whom a world lets in: those with a key that it issued, or also everybody with a test key of their own. */
export const accountPolicies = ['strict', 'open'] as const;

/** Says whom a world lets in: the keys of its accounts, or any well-formed test key too. */
export type AccountPolicy = (typeof accountPolicies)[number];

/** Sets up a world. */
export interface StateOptions {
  readonly clock: Clock;
  readonly seed: string;
  /** What accounts are opened with. */
  readonly profile: Profile;
  /** Says whether a test key that nobody knows opens an account of its own; `'strict'`, so no, when left out. */
  readonly accountPolicy?: AccountPolicy;
  /** Takes each committed change on its way to the receivers of events; fulfilled when its events have been tried once. */
  readonly dispatch: (committed: CommittedEvents) => Promise<void>;
}

/** Holds all that a sandbox knows; the one mutable thing. Money and payments change through `transact` alone. */
export interface State extends StateOptions {
  seed: string;
  profile: Profile;
  readonly accounts: Map<string, Account>;
  readonly apiKeys: Map<string, Caller>;
  /** Holds the keys that were replaced: they stay dead, also where unknown keys open accounts. */
  readonly retiredKeys: Set<string>;
}

/** Creates an empty world. */
export function createState(options: StateOptions): State {
  return { ...options, accounts: new Map(), apiKeys: new Map(), retiredKeys: new Set() };
}

/** Says how a new account differs from the others. */
export type NewAccount = Pick<AccountOpening, 'name' | 'testKey'> & Partial<Pick<AccountOpening, 'profile'>>;

/** Adds an account under a name that no other has; what is not said of it is the world's own. */
export function addAccount(state: State, opening: NewAccount): Account {
  const account = openAccount({ seed: state.seed, profile: state.profile, ...opening });
  state.accounts.set(account.id, account);
  for (const mode of ['test', 'live'] as const) registerKey(state, account, mode);
  return account;
}

/** Finds the books that hold a payment, in any account; undefined when none do. */
export function findAccountStateOf(state: State, payment_id: string): AccountState | undefined {
  for (const { byMode } of state.accounts.values()) {
    if (byMode.test.payments.has(payment_id)) return byMode.test;
    if (byMode.live.payments.has(payment_id)) return byMode.live;
  }
  return undefined;
}

/** Replaces a key of an account; the old one stops working at once (spec §5). */
export function regenerateKey(state: State, account: Account, mode: Mode): void {
  state.apiKeys.delete(account.keys[mode]);
  state.retiredKeys.add(account.keys[mode]);
  issueKey(account, mode);
  registerKey(state, account, mode);
}

/** Lets a key of an account in. */
export function registerKey(state: State, account: Account, mode: Mode): void {
  // In an open world a key may have been used before it is issued.
  while (isUsed(state, account.keys[mode])) issueKey(account, mode);
  state.apiKeys.set(account.keys[mode], { account, accountState: account.byMode[mode] });
}

function isUsed({ apiKeys, retiredKeys }: State, key: string): boolean {
  return apiKeys.has(key) || retiredKeys.has(key);
}

/** Reports that the books of a call were replaced while it was running; nothing has changed. */
export class ReplacedStateError extends Error {
  override readonly name = 'ReplacedStateError' as const;

  constructor() {
    super('the sandbox was reset or restored in the meantime');
  }
}

/** Holds a decision that was carried out, and when all that it announced has been tried once. */
export interface Committed<Outcome> {
  readonly outcome: Outcome;
  readonly dispatched: Promise<void>;
}

const RESOLVED = Promise.resolve();

/**
 * Decides and commits in one step: `decide` sees a slice of the books and returns what to change, and nothing else happens
 * in between. A decision without a change leaves the world as it was.
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
  if (change === undefined) return { outcome, dispatched: RESOLVED };
  commit(accountState, change);
  const dispatched = state.dispatch({ accountState, events: change.events ?? [], ...dispatchOptions });
  scheduleNext(state, accountState, change.payment);
  return { outcome, dispatched };
}

/** Moves a payment; undefined, with nothing changed, when it cannot make the move. */
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

/** Makes the appointment of the move that a payment makes by itself; undefined when it stays where it is. */
export function nextTimer(
  state: State,
  accountState: AccountState,
  { id, next }: Payment,
): Timer | undefined {
  if (next === null) return undefined;
  return { at: next.at, tieBreaker: id, run: () => runTransition(state, accountState, { id, next }) };
}

/** Makes a move that fell due, unless another one has replaced it in the meantime. */
function runTransition(
  state: State,
  accountState: AccountState,
  { id, next }: { id: string; next: NextTransition },
): void {
  if (accountState.payments.get(id)?.next === next)
    transitionPayment(state, accountState, { id, transition: next.transition });
}
