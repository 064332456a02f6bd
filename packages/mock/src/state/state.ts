import { type Change, type CreateContext, decideTransition } from '../domain/decision.ts';
import { type Currency, modes } from '@service/contract';
import { type Signal, toHex } from '@service/internal';
import type { Delivery } from '../domain/delivery.ts';
import { drawId } from '../domain/ids.ts';
import type { Payment, Transition } from '../domain/payment.ts';
import type { Instant } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import {
  type Account,
  type AccountState,
  applyChange,
  availableOf,
  balanceOf,
  type IdempotencyRecord,
} from './account-state.ts';
import type { Changes } from './changes.ts';
import type { Clock, Timer } from './clock.ts';
import { SandboxError } from './sandbox-error.ts';

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

/**
 * The policy for test keys that the sandbox did not issue: `'strict'` rejects them, `'open'` opens an account
 * for each.
 */
type AccountPolicy = (typeof accountPolicies)[number];

export interface StateOptions {
  readonly clock: Clock;
  readonly seed: string;
  /** The profile of new accounts. */
  readonly profile: Profile;
  /** @default 'strict' */
  readonly accountPolicy?: AccountPolicy;
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

/**
 * Checks that no restore or reset has replaced the account state of a running request.
 *
 * @throws {SandboxError} with the code `unavailable`. Nothing has changed.
 */
export function checkCurrent({ isReplaced }: AccountState): void {
  if (isReplaced)
    throw new SandboxError('unavailable', 'The sandbox or its account was reset during this request.');
}

/**
 * Runs the due timers and returns the time of a change. The caller reads the state, decides and commits
 * synchronously, so that nothing changes in between.
 *
 * @throws {SandboxError} when a restore or reset has replaced the account state
 */
export function beginChange(state: State, accountState: AccountState): Instant {
  state.clock.catchUp();
  checkCurrent(accountState);
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
