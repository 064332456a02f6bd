import type { Mode } from '@service/contract';
import type { Account } from '../world/account.ts';
import type { Books } from '../world/books.ts';
import { SandboxError } from '../world/sandbox-error.ts';
import type { World } from '../world/world.ts';

/** Names an account: its id, or any object that carries it. */
export type AccountRef = string | { readonly id: string };

/** Names the books of an account in a mode; test mode when left out. */
export interface BooksRef {
  /** The account; the mock's own one when left out. */
  readonly account?: AccountRef;
  /** Default `'test'`. */
  readonly mode?: Mode;
}

/** Finds an account; the first one of the world when none is named. Throws `SandboxError` when there is none. */
export function findAccount(world: World, ref: AccountRef | undefined): Account {
  const id = typeof ref === 'object' ? ref.id : ref;
  const account = id === undefined ? world.accounts.values().next().value : world.accounts.get(id);
  if (account === undefined)
    throw new SandboxError('not_found', `There is no account ${JSON.stringify(id)}.`);
  return account;
}

/** Finds the books of an account in a mode. Throws `SandboxError`. */
export function findBooks(world: World, { account, mode = 'test' }: BooksRef): Books {
  if (mode !== 'test' && mode !== 'live') {
    throw new SandboxError('invalid_argument', `mode must be 'test' or 'live', not ${JSON.stringify(mode)}.`);
  }
  return findAccount(world, account).books[mode];
}

/** Finds the books that hold a payment, in any account. Throws `SandboxError`. */
export function findBooksOfPayment(world: World, id: string): Books {
  for (const { books } of world.accounts.values()) {
    if (books.test.payments.has(id)) return books.test;
    if (books.live.payments.has(id)) return books.live;
  }
  throw new SandboxError('not_found', `There is no payment ${JSON.stringify(id)}.`);
}
