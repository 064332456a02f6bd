import type { Change, Slice } from '../domain/change.ts';
import type { PaymentEvent } from '../domain/event.ts';
import type { Profile } from '../domain/profile.ts';
import type { Payment } from '../domain/payment.ts';
import type { Move, NextMove } from '../domain/plan.ts';
import { decideMove } from '../domain/transition.ts';
import type { Mode } from '@service/contract';
import { type Account, type AccountOpening, issueKey, openAccount } from './account.ts';
import type { Appointment } from './agenda.ts';
import { availableOf, balanceOf, type Books, commit, nextPaymentId } from './books.ts';
import type { Clock } from './clock.ts';

/** Identifies who calls: an account in one mode. */
export interface Caller {
  readonly account: Account;
  readonly books: Books;
}

/** Says when the events of a change leave. */
export interface Departure {
  /** Nothing leaves before this is fulfilled: the answer to the call that made the change. At once when left out. */
  readonly after?: Promise<void>;
  /** Leaves at once, without waiting for the events before it. */
  readonly ahead?: boolean;
}

/** Tells what was committed and has to be announced. */
export interface Announcement extends Departure {
  readonly books: Books;
  readonly events: readonly PaymentEvent[];
}

/** Lists whom a world lets in: those with a key that it issued, or also everybody with a test key of their own. */
export const admissions = ['strict', 'open'] as const;

/** Says whom a world lets in: the keys of its accounts, or any well-formed test key too. */
export type Admission = (typeof admissions)[number];

/** Sets up a world. */
export interface WorldOptions {
  readonly clock: Clock;
  readonly seed: string;
  /** What accounts are opened with. */
  readonly profile: Profile;
  /** Says whether a test key that nobody knows opens an account of its own; `'strict'`, so no, when left out. */
  readonly admission?: Admission;
  /** Takes each committed change on its way to the receivers of events; fulfilled when its events have been tried once. */
  readonly announce: (announcement: Announcement) => Promise<void>;
}

/** Holds all that a sandbox knows; the one mutable thing. Money and payments change through `transact` alone. */
export interface World extends WorldOptions {
  seed: string;
  profile: Profile;
  readonly accounts: Map<string, Account>;
  readonly callers: Map<string, Caller>;
  /** Holds the keys that were replaced: they stay dead, also where unknown keys open accounts. */
  readonly retiredKeys: Set<string>;
}

/** Creates an empty world. */
export function createWorld(options: WorldOptions): World {
  return { ...options, accounts: new Map(), callers: new Map(), retiredKeys: new Set() };
}

/** Says how a new account differs from the others. */
export type NewAccount = Pick<AccountOpening, 'name' | 'testKey'> & Partial<Pick<AccountOpening, 'profile'>>;

/** Adds an account under a name that no other has; what is not said of it is the world's own. */
export function addAccount(world: World, opening: NewAccount): Account {
  const account = openAccount({ seed: world.seed, profile: world.profile, ...opening });
  world.accounts.set(account.id, account);
  for (const mode of ['test', 'live'] as const) admit(world, account, mode);
  return account;
}

/** Finds the books that hold a payment, in any account; undefined when none do. */
export function findBooksOf(world: World, payment_id: string): Books | undefined {
  for (const { books } of world.accounts.values()) {
    if (books.test.payments.has(payment_id)) return books.test;
    if (books.live.payments.has(payment_id)) return books.live;
  }
  return undefined;
}

/** Replaces a key of an account; the old one stops working at once (spec §5). */
export function regenerateKey(world: World, account: Account, mode: Mode): void {
  world.callers.delete(account.keys[mode]);
  world.retiredKeys.add(account.keys[mode]);
  issueKey(account, mode);
  admit(world, account, mode);
}

/** Lets a key of an account in. */
export function admit(world: World, account: Account, mode: Mode): void {
  // In an open world a key may have been used before it is issued.
  while (isSpent(world, account.keys[mode])) issueKey(account, mode);
  world.callers.set(account.keys[mode], { account, books: account.books[mode] });
}

function isSpent({ callers, retiredKeys }: World, key: string): boolean {
  return callers.has(key) || retiredKeys.has(key);
}

/** Reports that the books of a call were replaced while it was running; nothing has changed. */
export class RetiredBooks extends Error {
  override readonly name = 'RetiredBooks' as const;

  constructor() {
    super('the sandbox was reset or restored in the meantime');
  }
}

/** Holds a decision that was carried out, and when all that it announced has been tried once. */
export interface Committed<Outcome> {
  readonly outcome: Outcome;
  readonly announced: Promise<void>;
}

const NOTHING = Promise.resolve();

/**
 * Decides and commits in one step: `decide` sees a slice of the books and returns what to change, and nothing else happens
 * in between. A decision without a change leaves the world as it was.
 */
export function transact<Outcome extends { readonly change?: Change }>(
  world: World,
  books: Books,
  { decide, ...departure }: { decide: (slice: Slice) => Outcome } & Departure,
): Committed<Outcome> {
  world.clock.catchUp();
  if (books.isRetired) throw new RetiredBooks();
  const outcome = decide(openSlice(world, books));
  const { change } = outcome;
  if (change === undefined) return { outcome, announced: NOTHING };
  commit(books, change);
  const announced = world.announce({ books, events: change.events ?? [], ...departure });
  scheduleNext(world, books, change.payment);
  return { outcome, announced };
}

/** Moves a payment; undefined, with nothing changed, when it cannot make the move. */
export function movePayment(
  world: World,
  books: Books,
  { id, move }: { id: string; move: Move },
): Change | undefined {
  const decide = (slice: Slice): { change?: Change } => {
    const payment = books.payments.get(id);
    const change = payment === undefined ? undefined : decideMove(payment, move, slice);
    return change === undefined ? {} : { change };
  };
  return transact(world, books, { decide }).outcome.change;
}

function openSlice(world: World, books: Books): Slice {
  return {
    mode: books.mode,
    now: world.clock.now(),
    terms: books.profile,
    balanceOf: (currency) => balanceOf(books, 'wallet', currency),
    availableOf: (currency) => availableOf(books, currency),
    drawPaymentId: () => nextPaymentId(books),
    nextRow: () => books.transactions.length,
  };
}

function scheduleNext(world: World, books: Books, payment: Payment | undefined): void {
  const appointment = payment && appointNext(world, books, payment);
  if (appointment !== undefined) world.clock.schedule(appointment);
}

/** Makes the appointment of the move that a payment makes by itself; undefined when it stays where it is. */
export function appointNext(world: World, books: Books, { id, next }: Payment): Appointment | undefined {
  if (next === null) return undefined;
  return { at: next.at, rank: id, run: () => makeDueMove(world, books, { id, next }) };
}

/** Makes a move that fell due, unless another one has replaced it in the meantime. */
function makeDueMove(world: World, books: Books, { id, next }: { id: string; next: NextMove }): void {
  if (books.payments.get(id)?.next === next) movePayment(world, books, { id, move: next.move });
}
