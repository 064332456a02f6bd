import { type Currency, modes } from '@service/contract';
import { isRecord } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import type { Payment } from '../domain/payment.ts';
import type { Terms } from '../domain/profile.ts';
import type { Account } from './account.ts';
import type { AccountState } from './account-state.ts';
import { createProfileList, encodePayment, encodeTransaction, type ProfileList } from './codec.ts';
import type { AccountSnapshot, ModeSnapshot, StateSnapshot } from './snapshot.ts';
import type { State } from './state.ts';

/** A copied list, whose items never change. They are encoded when they are read. */
export interface ItemList {
  readonly items: readonly unknown[];
  readonly encode?: (item: never) => object;
}

/** A copy of an account and mode. */
export type ModeCopy = {
  readonly [Name in keyof ModeSnapshot]: Name extends ListName ? ItemList : ModeSnapshot[Name];
};

type ListName = 'wallets' | 'payments' | 'transactions' | 'idempotency' | 'deliveries';

/** A copy of an account. */
export type AccountCopy = Omit<AccountSnapshot, 'modes'> & {
  readonly modes: Readonly<Record<keyof AccountSnapshot['modes'], ModeCopy>>;
};

/** A copy of the state, which later changes do not affect. It costs a fraction of a snapshot. */
export type StateCopy = Omit<StateSnapshot, 'accounts'> & { readonly accounts: readonly AccountCopy[] };

/** Copies the state. */
export function createStateCopy(state: State, profiles: ProfileList = createProfileList()): StateCopy {
  const { seed, clock, retiredKeys } = state;
  const profile = profiles.indexOf(state.profile);
  const accounts = Array.from(state.accounts.values(), (account) => createAccountCopy(account, profiles));
  return {
    seed,
    now: clock.now(),
    profiles: [...profiles.profiles],
    profile,
    accounts,
    retiredKeys: [...retiredKeys],
    ...encodeOpenAccounts(state),
  };
}

/** The parts of a state that reveal other accounts. */
export const withoutOthers: Pick<StateSnapshot, 'seed' | 'retiredKeys'> = { seed: '', retiredKeys: [] };

/** The time and the default profile in the copy of one account. */
export interface OneAccountHead {
  readonly now: Instant;
  readonly profile: Terms;
}

/** Copies one account, without the parts of the state that reveal other accounts. */
export function createOneAccountCopy(account: Account, { now, profile }: OneAccountHead): StateCopy {
  const profiles = createProfileList();
  const index = profiles.indexOf(profile);
  const accounts = [createAccountCopy(account, profiles)];
  return { ...withoutOthers, now, profiles: [...profiles.profiles], profile: index, accounts };
}

/** Encodes the opening time and the removed accounts. */
function encodeOpenAccounts({
  accountPolicy,
  openedAt,
  openAccounts: { removed },
}: State): Pick<StateSnapshot, 'openedAt' | 'removed'> {
  return {
    ...(accountPolicy === 'open' && { openedAt }),
    ...(removed.size > 0 && { removed: [...removed] }),
  };
}

/** Encodes the numbers of ids of removed accounts with the same id. */
export function encodeIssuedBefore({ issuedBefore }: AccountState): Pick<ModeSnapshot, 'issuedBefore'> {
  return issuedBefore.length > 0 ? { issuedBefore } : {};
}

/** Copies an account. Adds its profiles to the list. */
export function createAccountCopy(account: Account, profiles: ProfileList): AccountCopy {
  const { byMode, opening: _, ...rest } = account;
  const [test, live] = modes.map((mode) => createModeCopy(byMode[mode], profiles)) as [ModeCopy, ModeCopy];
  return { ...rest, keys: { ...rest.keys }, modes: { test, live } };
}

function createModeCopy(accountState: AccountState, profiles: ProfileList): ModeCopy {
  const { ledger, endpoint, secretsIssued } = accountState;
  const profile = profiles.indexOf(accountState.profile);
  const payments = [...accountState.payments.values()];
  // Profiles are written before payments, so that all of them must be known.
  let last: Terms | undefined;
  for (const { terms } of payments) if (terms !== last) profiles.indexOf((last = terms));
  return {
    profile,
    wallets: { items: [...(ledger.get('wallet') ?? new Map<Currency, bigint>()).keys()] },
    payments: {
      items: payments,
      encode: (payment: Payment) => encodePayment(payment, profiles.indexOf(payment.terms)),
    },
    transactions: { items: [...accountState.transactions], encode: encodeTransaction },
    idempotency: { items: [...accountState.idempotency.values()] },
    deliveries: { items: [...accountState.deliveries.values()] },
    endpoint,
    secretsIssued,
    ...encodeIssuedBefore(accountState),
  };
}

/** Encodes some items of a list. */
export function encodeItems({ items, encode }: ItemList, start?: number, end?: number): readonly unknown[] {
  const part = items.slice(start, end);
  return encode === undefined ? part : part.map((item) => encode(item as never));
}

/** Encodes a copy of the state. The result shares objects with the state. */
export function encodeState(copy: StateCopy): StateSnapshot {
  return { ...copy, accounts: copy.accounts.map(encodeAccount) };
}

function encodeAccount({ modes: { test, live }, ...rest }: AccountCopy): AccountSnapshot {
  return { ...rest, modes: { test: encodeMode(test), live: encodeMode(live) } };
}

function encodeMode(copy: ModeCopy): ModeSnapshot {
  const entries = Object.entries(copy).map(([name, value]) => [
    name,
    isList(value) ? encodeItems(value) : value,
  ]);
  return Object.fromEntries(entries) as ModeSnapshot;
}

/** Returns whether a field of a copy is a list. */
export function isList(value: unknown): value is ItemList {
  return isRecord(value) && 'items' in value;
}
