import { bookDeposit } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import type { Currency, Mode } from '@service/contract';
import type { Account } from '../world/account.ts';
import { openWallet } from '../world/books.ts';
import { SandboxError } from '../world/sandbox-error.ts';
import { addAccount, regenerateKey, transact, type World } from '../world/world.ts';
import { readAmountOf } from './amount.ts';
import { type AccountRef, findAccount } from './locate.ts';

/** Sets up a new account. */
export interface AccountOptions {
  /** Names the account; ids and keys are derived from it. Default `account-<n>`. */
  readonly name?: string;
  /**
   * Opening balances in test mode, each booked as a deposit; wallets of 0 are listed too.
   *
   * @default { USD: '100000.00', EUR: '100000.00', GBP: '100000.00' }
   * @example { USD: '1000.00', JPY: 0 }
   */
  readonly balances?: Readonly<Record<Currency, number | string>>;
}

/** Shows an account and its two keys. */
export interface AccountView {
  readonly id: string;
  readonly name: string;
  /** The key of test mode. */
  readonly testKey: string;
  /** The key of live mode; in a sandbox its money is pretend money too. */
  readonly liveKey: string;
}

/** Controls the accounts of a sandbox. */
export interface AccountControl {
  /** Opens an account of its own, isolated from all others. Throws `SandboxError` for a name that is taken. */
  readonly create: (options?: AccountOptions) => AccountView;
  /** Replaces a key; the old one stops working at once (spec §5). */
  readonly regenerateKey: (ref: { readonly account?: AccountRef; readonly mode?: Mode }) => AccountView;
  /** Suspends an account: every call answers 403 until it is resumed. */
  readonly suspend: (account?: AccountRef) => void;
  /** Lifts a suspension. */
  readonly resume: (account?: AccountRef) => void;
}

const OPENING_BALANCES = { USD: '100000.00', EUR: '100000.00', GBP: '100000.00' };

/** Creates the control of accounts. */
export function createAccountControl(world: World): AccountControl {
  return {
    create(options = {}) {
      const balances = readBalances(options.balances ?? OPENING_BALANCES);
      const name = requireFreeName(world, options.name ?? `account-${world.accounts.size}`);
      const account = addAccount(world, name);
      for (const [currency, amount] of balances) openWith(world, account, { currency, amount });
      return showAccount(account);
    },
    regenerateKey({ account: ref, mode = 'test' }) {
      const account = findAccount(world, ref);
      regenerateKey(world, account, mode);
      return showAccount(account);
    },
    suspend: (ref) => {
      findAccount(world, ref).suspended = true;
    },
    resume: (ref) => {
      findAccount(world, ref).suspended = false;
    },
  };
}

/** Reads all balances before the first one is booked, so that a bad one leaves no half-made account. */
function readBalances(balances: Readonly<Record<Currency, number | string>>): [Currency, Minor][] {
  return Object.entries(balances).map(([currency, amount]) => [currency, readAmountOf(currency, amount)]);
}

function requireFreeName(world: World, name: string): string {
  const isTaken = [...world.accounts.values()].some((account) => account.name === name);
  if (isTaken)
    throw new SandboxError('invalid_argument', `There is an account ${JSON.stringify(name)} already.`);
  return name;
}

function openWith(world: World, { books }: Account, deposit: { currency: Currency; amount: Minor }): void {
  const { currency, amount } = deposit;
  openWallet(books.test, currency);
  openWallet(books.live, currency);
  if (amount === 0n) return;
  transact(world, books.test, {
    decide: ({ now }) => ({ change: { entries: [bookDeposit(currency, amount, now)], events: [] } }),
  });
}

function showAccount({ id, name, keys }: Account): AccountView {
  return { id, name, testKey: keys.test, liveKey: keys.live };
}
