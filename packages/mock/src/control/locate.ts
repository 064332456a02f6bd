import type { Mode } from '@service/contract';
import { findCaller } from '../state/accounts.ts';
import { type Account, type AccountState, findAccountStateOf, type State } from '../state/state.ts';
import type { Payment } from '../domain/payment.ts';
import { SandboxError } from '../state/sandbox-error.ts';

/** An account: its id or an object with that id. */
export type AccountRef =
  | string
  | {
      /** The id of the account (`acct_…`). */
      readonly id: string;
    };

/** The state that a call reads or changes: one mode of one account. */
export interface AccountModeRef {
  /**
   * The account (`acct_…`).
   *
   * @default the first account of the mock
   */
  readonly account?: AccountRef;
  /**
   * The mode whose payments, wallets and webhooks the call uses.
   *
   * @default 'test'
   */
  readonly mode?: 'test' | 'live';
}

/** A payment: its id or an object with that id. */
export type PaymentRef =
  | string
  | {
      /** The id of the payment (`pay_…`). */
      readonly id: string;
    };

/**
 * Returns the id of a reference.
 *
 * @throws {SandboxError} when it is neither text nor an object with an id
 */
export function toId(thing: string, ref: unknown): string {
  const id: unknown = typeof ref === 'object' && ref !== null && 'id' in ref ? ref.id : ref;
  if (typeof id === 'string') return id;
  throw new SandboxError('not_found', `There is no ${thing} ${formatId(id)}.`);
}

/** Formats an unknown id for an error message. Does not reveal API keys, nor the content of an object. */
export function formatId(id: unknown): string {
  if (typeof id === 'object' && id !== null) return 'with that id: the object has no id';
  return typeof id === 'string' && id.startsWith('service_')
    ? 'with an API key as its id; use accounts.find({ key })'
    : JSON.stringify(id);
}

/**
 * Returns an account, by default the first one.
 *
 * @throws {SandboxError} when the account does not exist
 */
export function findAccount(state: State, ref: string | undefined): Account {
  if (ref === undefined) {
    const [first] = state.accounts.values();
    if (first !== undefined) return first;
    throw new SandboxError('not_found', 'There is no account yet.');
  }
  const account = state.accounts.get(ref);
  if (account !== undefined) return account;
  throw new SandboxError('not_found', `There is no account ${formatId(ref)}.`);
}

/**
 * Returns the id of an account. Returns undefined for all accounts.
 *
 * @throws {SandboxError} when the account does not exist
 */
export function findAccountId(state: State, ref: string | undefined): string | undefined {
  return ref === undefined ? undefined : findAccount(state, ref).id;
}

/**
 * Returns the state of an account and mode, by default test mode.
 *
 * @throws {SandboxError} when the account does not exist
 */
export function findAccountState(
  state: State,
  { account, mode = 'test' }: { readonly account?: string | undefined; readonly mode?: Mode | undefined },
): AccountState {
  return findAccount(state, account).byMode[mode];
}

/**
 * Returns a payment and its account state.
 *
 * @throws {SandboxError} when the payment does not exist, or is not one of the account
 */
export function findPayment(
  state: State,
  id: string,
  account?: string,
): { readonly accountState: AccountState; readonly payment: Payment } {
  const accountState = findAccountStateOf(state, id, account);
  const payment = accountState?.payments.get(id);
  if (accountState !== undefined && payment !== undefined) return { accountState, payment };
  throw new SandboxError('not_found', `There is no payment ${formatId(id)}.`);
}

/**
 * Returns the account of an API key.
 *
 * @throws {SandboxError} when no account has the key. The error does not contain the key, which could be one of the real service.
 */
export function findOwner(state: State, key: string): Account {
  const caller = findCaller(state, key);
  if (caller !== undefined) return caller.account;
  const advice = "; with createMock({ accounts: 'open' }) a test key of your own opens an account";
  const hint = state.accountPolicy === 'open' ? '' : advice;
  throw new SandboxError('not_found', `No account has this key${hint}.`);
}
