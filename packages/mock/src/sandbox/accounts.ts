import type { Slice } from '../domain/change.ts';
import { currencies } from '../domain/currency.ts';
import { bookDeposit, type Entry } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import type { Profile } from '../domain/profile.ts';
import type { Currency, Mode } from '@service/contract';
import type { Account } from '../world/account.ts';
import type { Books } from '../world/books.ts';
import { type ProfileChoice, readProfile } from '../world/profile.ts';
import { SandboxError } from '../world/sandbox-error.ts';
import { addAccount, regenerateKey, transact, type World } from '../world/world.ts';
import { readAmountOf } from './amount.ts';
import { checkArguments } from './arguments.ts';
import { type AccountRef, findAccount, readMode } from './locate.ts';

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
  /**
   * Settings of this account alone.
   *
   * @default those of the mock
   * @example { pagination: 'cursor' }
   */
  readonly profile?: ProfileChoice;
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
  readonly regenerateKey: (ref?: { readonly account?: AccountRef; readonly mode?: Mode }) => AccountView;
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
      checkArguments('accounts.create', options, ['name', 'balances', 'profile']);
      const profile = readProfile('accounts.create', options.profile ?? {}, world.profile);
      const balances = readBalances(profile, options.balances ?? OPENING_BALANCES);
      const account = addAccount(
        world,
        options.name === undefined ? nextName(world) : readName(world, options.name),
        profile,
      );
      for (const balance of balances) openWallets(world, account, balance);
      return showAccount(account);
    },
    regenerateKey(ref = {}) {
      checkArguments('accounts.regenerateKey', ref, ['account', 'mode']);
      const account = findAccount(world, ref.account);
      regenerateKey(world, account, readMode(ref.mode));
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

interface Opening {
  readonly currency: Currency;
  readonly amount: Minor;
}

/** Reads all balances before the first one is booked, so that a bad one leaves no half-made account. */
function readBalances(profile: Profile, balances: Readonly<Record<Currency, number | string>>): Opening[] {
  checkArguments('balances', balances, currencies);
  return Object.entries(balances).map(([currency, amount]) => ({
    currency,
    amount: readAmountOf(currency, amount, profile.minorUnits),
  }));
}

function isTaken(world: World, name: string): boolean {
  return [...world.accounts.values()].some((account) => account.name === name);
}

function readName(world: World, name: string): string {
  if (typeof name !== 'string' || name === '') {
    throw new SandboxError('invalid_argument', 'The name of an account must be text that is not empty.');
  }
  if (!isTaken(world, name)) return name;
  throw new SandboxError('invalid_argument', `There is an account ${JSON.stringify(name)} already.`);
}

function nextName(world: World): string {
  let count = world.accounts.size;
  while (isTaken(world, `account-${count}`)) count += 1;
  return `account-${count}`;
}

/** Opens a wallet in both modes; what is in it from the start is a deposit in test mode. */
function openWallets(world: World, { books }: Account, { currency, amount }: Opening): void {
  const open = (decide: (slice: Slice) => readonly Entry[], target: Books): void => {
    transact(world, target, { decide: (slice) => ({ change: { opens: currency, entries: decide(slice) } }) });
  };
  open(({ now }) => (amount === 0n ? [] : [bookDeposit(currency, amount, now)]), books.test);
  open(() => [], books.live);
}

/** Shows an account as its owner may see it. */
export function showAccount({ id, name, keys }: Account): AccountView {
  return { id, name, testKey: keys.test, liveKey: keys.live };
}
