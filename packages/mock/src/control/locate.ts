import { type Mode, modes } from '@service/contract';
import type { Account } from '../state/account.ts';
import type { Payment } from '../domain/payment.ts';
import type { AccountState } from '../state/account-state.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { findAccountStateOf, type State } from '../state/state.ts';

/** Names an account: its id, or any object that carries it. */
export type AccountRef = string | { readonly id: string };

/** Names the books of an account in a mode; test mode when left out. */
export interface AccountModeRef {
  /** The account; the mock's own one when left out. */
  readonly account?: AccountRef;
  /** Default `'test'`. */
  readonly mode?: Mode;
}

/** Finds an account; the first one of the world when none is named. Throws `SandboxError` when there is none. */
export function findAccount(state: State, ref: AccountRef | undefined): Account {
  if (ref === undefined) return firstAccount(state);
  const id: unknown = typeof ref === 'object' && ref !== null ? ref.id : ref;
  const account = typeof id === 'string' ? state.accounts.get(id) : undefined;
  if (account === undefined) throw new SandboxError('not_found', `There is no account ${formatId(id)}.`);
  return account;
}

/** Shows an id that leads nowhere; neither one that looks like a key, nor an object, which may name a person. */
export function formatId(id: unknown): string {
  if (typeof id === 'object' && id !== null) return 'without an id: that object has none';
  return typeof id === 'string' && id.startsWith('service_')
    ? 'whose id is a key; accounts.find({ key }) leads from a key to its account'
    : JSON.stringify(id);
}

function firstAccount(state: State): Account {
  for (const account of state.accounts.values()) return account;
  throw new SandboxError('not_found', 'There is no account yet.');
}

/** Checks a mode, test when left out. Throws `SandboxError`. */
export function readMode(mode: Mode = 'test'): Mode {
  if (modes.includes(mode)) return mode;
  throw new SandboxError('invalid_argument', `mode must be 'test' or 'live', not ${JSON.stringify(mode)}.`);
}

/** Finds the books of an account in a mode. Throws `SandboxError`. */
export function findAccountState(state: State, { account, mode }: AccountModeRef): AccountState {
  return findAccount(state, account).byMode[readMode(mode)];
}

/** Names a payment: its id, or any object that carries it. */
export type PaymentRef = string | { readonly id: string };

/** Finds a payment, and the books that hold it, in any account. Throws `SandboxError`. */
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
