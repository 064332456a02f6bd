import { bookAdjustment, bookDeposit, type Entry } from '../domain/ledger.ts';
import { entriesOf } from '../domain/bookings.ts';
import { defaultProfile, type Profile, type Terms, upgradeProfile } from '../domain/profile.ts';
import { modes } from '@service/contract';
import type { Transaction } from '../domain/transaction.ts';
import type { Account } from './account.ts';
import type { Appointment } from './agenda.ts';
import { type Books, balanceOf, enterPayment, openBooks, post } from './books.ts';
import { decodePayment, decodeTransaction } from './codec.ts';
import { kindOf } from './row-kind.ts';
import { SandboxError } from './sandbox-error.ts';
import { type AccountState, type BooksState, type SandboxState, type Snapshot, sumUp } from './snapshot.ts';
import { admit, appointNext, type World } from './world.ts';

/**
 * Puts a world back to what it was when a snapshot was taken. Throws `SandboxError`, with nothing changed, for what is no
 * snapshot, one of another version, or one that was damaged.
 */
export function restoreWorld(world: World, snapshot: Snapshot): void {
  const state = readSnapshot(snapshot);
  const { accounts, retiredKeys } = decodeAll(state);
  for (const { books } of world.accounts.values()) for (const mode of modes) books[mode].isRetired = true;
  world.accounts.clear();
  world.callers.clear();
  world.retiredKeys.clear();
  for (const key of retiredKeys) world.retiredKeys.add(key);
  world.seed = state.seed;
  const profile = state.profiles[state.profile] as Profile | undefined;
  if (profile !== undefined) world.profile = upgradeProfile(profile);
  for (const account of accounts) {
    world.accounts.set(account.id, account);
    for (const mode of modes) admit(world, account, mode);
  }
  world.clock.restart(state.now, listAppointments(world));
}

/** Lists the moves that payments make by themselves. */
function listAppointments(world: World): Appointment[] {
  const all = [...world.accounts.values()].flatMap(({ books }) => modes.map((mode) => books[mode]));
  return all.flatMap((books) =>
    [...books.payments.values()].flatMap((payment) => appointNext(world, books, payment) ?? []),
  );
}

function readSnapshot(snapshot: Snapshot): SandboxState {
  const { format, version, checksum, state } = (snapshot ?? {}) as Partial<Snapshot>;
  if (format !== 'service-sandbox' || state === undefined)
    throw refuse('This is no snapshot of a sandbox; sandbox.snapshot() makes one.');
  if (version !== 1)
    throw refuse(`This snapshot is of version ${JSON.stringify(version)}; this package reads version 1.`);
  if (checksum !== sumUp(state))
    throw refuse('This snapshot was damaged or changed by hand: its checksum does not fit its state.');
  return state;
}

/** Decodes all accounts before anything is changed. */
function decodeAll(state: SandboxState): { accounts: Account[]; retiredKeys: string[] } {
  try {
    const accounts = state.accounts.map((account) => decodeAccount(account, state));
    return { accounts, retiredKeys: [...state.retiredKeys] };
  } catch (cause) {
    throw refuse('This snapshot is damaged: what it holds does not fit together.', { cause });
  }
}

function decodeAccount(encoded: AccountState, state: SandboxState): Account {
  const source = `${state.seed}\n${encoded.name}`;
  const { test, live } = encoded.books;
  const books = {
    test: decodeBooks(test, openBooks('test', `${source}\ntest`), state.profiles),
    live: decodeBooks(live, openBooks('live', `${source}\nlive`), state.profiles),
  };
  return { ...encoded, keys: { ...encoded.keys }, books };
}

function decodeBooks(state: BooksState, books: Books, profiles: readonly Terms[]): Books {
  const profileAt = (place: number): Profile => {
    const profile = profiles[place];
    if (profile === undefined) throw new Error('a profile is missing');
    // A setting that came later has its default.
    return { ...defaultProfile, ...upgradeProfile(profile) };
  };
  books.profile = profileAt(state.profile);
  for (const currency of state.wallets) post(books, { account: 'wallet', currency, amount: 0n });
  for (const encoded of state.payments) {
    const payment = decodePayment(encoded, profileAt(encoded.terms));
    enterPayment(books, payment);
    for (const entry of entriesOf(payment)) postAll(books, entry);
  }
  for (const encoded of state.transactions) enterRow(books, decodeTransaction(encoded));
  for (const record of state.idempotency) books.idempotency.set(record.key, { ...record });
  for (const delivery of state.deliveries) books.deliveries.set(delivery.id, delivery);
  books.endpoint = state.endpoint;
  books.secretsIssued = state.secretsIssued;
  checkBalances(books);
  return books;
}

function enterRow(books: Books, row: Transaction): void {
  const payment = row.type === 'payment' ? books.payments.get(row.payment_id ?? '') : undefined;
  books.transactions.push(row);
  books.tally.add(kindOf(row.type, payment?.status ?? 'completed'));
  if (row.type === 'deposit') postAll(books, bookDeposit(row.currency, row.amount, row.created_at));
  if (row.type === 'adjustment') postAll(books, bookAdjustment(row.currency, row.amount, row.created_at));
}

function postAll(books: Books, entry: Entry): void {
  for (const posting of entry.postings) post(books, posting);
}

/** Makes sure that the last row of each wallet says what the ledger says. */
function checkBalances(books: Books): void {
  const last = new Map(books.transactions.map((row) => [row.currency, row.balance_after]));
  for (const [currency, balance] of last) {
    if (balanceOf(books, 'wallet', currency) !== balance)
      throw new Error(`the balance of ${currency} is off`);
  }
}

function refuse(message: string, options?: ErrorOptions): SandboxError {
  return new SandboxError('invalid_argument', message, options);
}
