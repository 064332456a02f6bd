import type { Currency } from '@service/contract';
import type { Account, OpeningBalance } from '../state/account.ts';
import { createFundedAccount, listOpenings, storeAccount } from '../state/opening.ts';
import { applyChoice, type ProfileChoice } from '../state/profile.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { isUsed, type State } from '../state/state.ts';
import { readAmountOf } from './amount.ts';

/** The parsed options of a new account. */
interface NewAccount {
  readonly name?: string | undefined;
  readonly balances?: Readonly<Record<Currency, number | string>> | undefined;
  readonly profile?: ProfileChoice | undefined;
  readonly testKey?: string | undefined;
  readonly liveKey?: string | undefined;
}

/**
 * Creates an account.
 *
 * @throws {SandboxError} when the name or a key is taken, or a balance is invalid
 */
export function createAccount(
  state: State,
  { name, balances, profile: choice, testKey, liveKey }: NewAccount,
): Account {
  const profile = applyChoice(state.profile, choice ?? {});
  // All balances are checked before the first posting, so that an invalid one creates no account.
  const openings: readonly OpeningBalance[] =
    balances === undefined
      ? listOpenings(profile)
      : Object.entries(balances).map(([currency, given]) => ({
          currency,
          amount: readAmountOf(currency, given, profile),
        }));
  if (name !== undefined && isTaken(state, name)) {
    const message = `The account name ${JSON.stringify(name)} is taken. Choose another name.`;
    throw new SandboxError('invalid_argument', message);
  }
  const keys = {
    ...(testKey !== undefined && { test: testKey }),
    ...(liveKey !== undefined && { live: liveKey }),
  };
  for (const [keyMode, key] of Object.entries(keys)) checkUnused(state, keyMode, key);
  const account = createFundedAccount(state, {
    name: name ?? nextName(state),
    profile,
    keys,
    balances: openings,
  });
  storeAccount(state, account);
  return account;
}

function isTaken(state: State, name: string): boolean {
  return [...state.accounts.values()].some((account) => account.name === name);
}

/** The message does not contain the key, which could be one of the real service. */
function checkUnused(state: State, keyMode: string, key: string): void {
  if (!isUsed(state, key)) return;
  throw new SandboxError(
    'invalid_argument',
    `The ${keyMode} key is taken or was replaced. Choose another key.`,
  );
}

function nextName(state: State): string {
  let count = state.accounts.size;
  while (isTaken(state, `account-${count}`)) count += 1;
  return `account-${count}`;
}
