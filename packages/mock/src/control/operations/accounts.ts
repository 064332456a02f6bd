import { type Mode, modes } from '@service/contract';
import { readAmountOf } from './wallets.ts';
import { accountMode, amounts, ownAccount } from '../fields.ts';
import { type AccountModeRef, type AccountRef, findAccount, findOwner } from '../locate.ts';
import { operation, type Operations } from '../operation.ts';
import * as s from '../../domain/schema.ts';
import {
  isUsed,
  listOpenings,
  type OpeningBalance,
  openAccount,
  regenerateKey,
} from '../../state/accounts.ts';
import type { Account, State } from '../../state/state.ts';
import { applyChoice, profileChoice, type ProfileChoice } from '../../domain/profile.ts';
import { SandboxError } from '../../state/sandbox-error.ts';

/**
 * Creates an account.
 *
 * @throws {SandboxError} when the name or a key is taken, or a balance is invalid
 */
function createAccount(
  state: State,
  { balances, profile: choice, testKey, liveKey, ...input }: s.Output<typeof newAccount>,
): Account {
  const { name = `account-${state.accounts.size}` } = input;
  const profile = applyChoice(state.profile, choice ?? {});
  // All balances are checked before the first posting, so that an invalid one creates no account.
  const openings: readonly OpeningBalance[] =
    balances === undefined
      ? listOpenings(profile)
      : Object.entries(balances).map(([currency, given]) => ({
          currency,
          amount: readAmountOf(currency, given, profile),
        }));
  if ([...state.accounts.values()].some((account) => account.name === name)) {
    const message = `The account name ${JSON.stringify(name)} is taken. Choose another name.`;
    throw new SandboxError('invalid_argument', message);
  }
  const keys = { test: testKey, live: liveKey };
  for (const mode of modes) {
    const key = keys[mode];
    // The message does not contain the key, which could be one of the real service.
    const message = `The ${mode} key is taken or was replaced. Choose another key.`;
    if (key !== undefined && isUsed(state, key)) throw new SandboxError('invalid_argument', message);
  }
  return openAccount(state, name, profile, openings, keys);
}

/** The options of a new account. */
export interface AccountOptions {
  /**
   * The unique name of the account. Its id and keys are derived from the name.
   *
   * @default `account-<n>`
   */
  readonly name?: string;
  /**
   * Opening balances in test mode, each posted as a deposit. Creates wallets with a balance of 0 too.
   *
   * @default { USD: '100000.00', EUR: '100000.00', GBP: '100000.00' }
   * @example { USD: '1000.00', JPY: 0 }
   */
  readonly balances?: Readonly<Record<string, number | string>>;
  /**
   * Profile settings of this account.
   *
   * @default the settings of the mock
   * @example { pagination: 'cursor' }
   */
  readonly profile?: ProfileChoice;
  /**
   * The API key of test mode: 'service_test_' and 1 to 255 letters, digits and any of `._~-`.
   *
   * @default a derived key
   */
  readonly testKey?: string;
  /**
   * The API key of live mode: 'service_live_' and 1 to 255 letters, digits and any of `._~-`.
   *
   * @default a derived key
   */
  readonly liveKey?: string;
}

/** An account and its API keys. */
export interface AccountView {
  /** The id (`acct_…`), for the option `account` of other calls. */
  readonly id: string;
  /** The unique name from `accounts.create` or the seed. */
  readonly name: string;
  /** The API key of test mode. */
  readonly testKey: string;
  /** The API key of live mode. The money of a sandbox is never real. */
  readonly liveKey: string;
}

/** An account without its API keys. */
export type AccountSummary = Pick<AccountView, 'id' | 'name'> & {
  /** Whether every request of the account responds 403. */
  readonly suspended: boolean;
};

/** The accounts of a sandbox. */
export interface AccountControl {
  /**
   * Creates an isolated account.
   *
   * @throws {SandboxError} when the name or a key is taken
   */
  readonly create: (options?: AccountOptions) => AccountView;
  /**
   * Returns the account of an API key. With `createMock({ accounts: 'open' })` an unused test key opens its
   * account, as its first request would; a test can so add a webhook endpoint first.
   *
   * @throws {SandboxError} for other keys
   */
  readonly find: (by: {
    /** An API key of test or live mode. */
    readonly key: string;
  }) => AccountView;
  /**
   * Returns an account.
   *
   * @throws {SandboxError} for an unknown id
   */
  readonly get: (account?: AccountRef) => AccountView;
  /** Returns all accounts without their keys, oldest first. */
  readonly list: () => readonly AccountSummary[];
  /** Replaces an API key. The old key becomes invalid immediately. */
  readonly regenerateKey: (ref?: AccountModeRef) => AccountView;
  /** Suspends an account: every request responds 403 until `resume`. */
  readonly suspend: (account?: AccountRef) => void;
  /** Ends a suspension. */
  readonly resume: (account?: AccountRef) => void;
}

/* @__NO_SIDE_EFFECTS__ */
function keyOf(keyMode: Mode): s.Schema<string | undefined> {
  const pattern = `^service_${keyMode}_[\\w.~-]{1,255}$`;
  const expected = `'service_${keyMode}_' and 1 to 255 letters, digits and any of ._~-`;
  return s.optional(s.text(expected, { pattern }));
}

/** The fields of a new account. */
export const newAccount = {
  name: s.optional(s.text('non-empty text', { minLength: 1 })),
  balances: s.optional(amounts),
  profile: s.optional(profileChoice),
  testKey: keyOf('test'),
  liveKey: keyOf('live'),
};

/** Operations on accounts and API keys. */
export const accounts: Operations<AccountControl> = {
  /** @example { balances: { USD: '1000.00' }, profile: { numbers: 'string' } } */
  create: operation('createAccount', 'POST /accounts', {
    status: 201,
    cli: { reveals: true },
    input: newAccount,
    run: ({ state }, input) => toAccountView(createAccount(state, input)),
  }),
  list: operation('listAccounts', 'GET /accounts', {
    input: {},
    run: ({ state }): readonly AccountSummary[] =>
      [...state.accounts.values()].map(({ id, name, suspended }) => ({ id, name, suspended })),
    toBody: (list) => ({ accounts: list }),
  }),
  find: operation('findAccount', 'POST /accounts/find', {
    args: null,
    input: { key: s.text('an API key') },
    run: ({ state }, { key }) => toAccountView(findOwner(state, key)),
  }),
  get: operation('getAccount', 'GET /accounts/{account}', {
    input: { account: ownAccount },
    run: ({ state }, { account }) => toAccountView(findAccount(state, account)),
  }),
  regenerateKey: operation('regenerateKey', 'POST /accounts/{account}/regenerate-key', {
    cli: { reveals: true },
    input: accountMode,
    run({ state }, input) {
      const account = findAccount(state, input.account);
      regenerateKey(state, account, input.mode ?? 'test');
      return toAccountView(account);
    },
  }),
  suspend: operation('suspendAccount', 'POST /accounts/{account}/suspend', {
    input: { account: ownAccount },
    run: ({ state }, { account }) => setSuspended(state, account, true),
  }),
  resume: operation('resumeAccount', 'POST /accounts/{account}/resume', {
    input: { account: ownAccount },
    run: ({ state }, { account }) => setSuspended(state, account, false),
  }),
};

function setSuspended(state: State, id: string | undefined, suspended: boolean): void {
  const account = findAccount(state, id);
  account.suspended = suspended;
  state.changes.recordSettings(account.id);
}

/** Converts an account to its view, including its keys. */
export function toAccountView({ id, name, keys }: Account): AccountView {
  return { id, name, testKey: keys.test, liveKey: keys.live };
}
