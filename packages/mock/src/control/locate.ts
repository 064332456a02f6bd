import { type Mode, modes } from '@service/contract';
import type { Account } from '../state/account.ts';
import type { Payment } from '../domain/payment.ts';
import type { AccountState } from '../state/account-state.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { findAccountStateOf, type State } from '../state/state.ts';

/** An account: its id or an object with that id. */
export type AccountRef = string | { readonly id: string };

/** An account and a mode. */
export interface AccountModeRef {
  /** @default the first account of the mock */
  readonly account?: AccountRef;
  /** @default 'test' */
  readonly mode?: Mode;
}

/**
 * Returns an account, by default the first one.
 *
 * @throws {SandboxError} when the account does not exist
 */
export function findAccount(state: State, ref: AccountRef | undefined): Account {
  if (ref === undefined) return firstAccount(state);
  const id: unknown = typeof ref === 'object' && ref !== null ? ref.id : ref;
  const account = typeof id === 'string' ? state.accounts.get(id) : undefined;
  if (account === undefined) throw new SandboxError('not_found', `There is no account ${formatId(id)}.`);
  return account;
}

/** Formats an unknown id for an error message. Does not reveal API keys, nor the content of an object. */
export function formatId(id: unknown): string {
  if (typeof id === 'object' && id !== null) return 'with that id: the object has no id';
  return typeof id === 'string' && id.startsWith('service_')
    ? 'with an API key as its id; use accounts.find({ key })'
    : JSON.stringify(id);
}

function firstAccount(state: State): Account {
  for (const account of state.accounts.values()) return account;
  throw new SandboxError('not_found', 'There is no account yet.');
}

/**
 * Checks a mode, by default test mode.
 *
 * @throws {SandboxError}
 */
export function readMode(mode: Mode = 'test'): Mode {
  if (modes.includes(mode)) return mode;
  throw new SandboxError('invalid_argument', `mode must be 'test' or 'live', not ${JSON.stringify(mode)}.`);
}

/**
 * Returns the state of an account and mode.
 *
 * @throws {SandboxError}
 */
export function findAccountState(state: State, { account, mode }: AccountModeRef): AccountState {
  return findAccount(state, account).byMode[readMode(mode)];
}

/** A payment: its id or an object with that id. */
export type PaymentRef = string | { readonly id: string };

/**
 * Returns a payment of any account and its account state.
 *
 * @throws {SandboxError}
 */
export function findPayment(
  state: State,
  ref: PaymentRef,
): { readonly accountState: AccountState; readonly payment: Payment } {
  const id: unknown = typeof ref === 'object' && ref !== null ? ref.id : ref;
  const accountState = typeof id === 'string' ? findAccountStateOf(state, id) : undefined;
  const payment = typeof id === 'string' ? accountState?.payments.get(id) : undefined;
  if (accountState !== undefined && payment !== undefined) return { accountState, payment };
  throw new SandboxError('not_found', `There is no payment ${formatId(id ?? ref)}.`);
}
