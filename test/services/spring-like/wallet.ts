import { BigDecimal, zero } from './big-decimal.ts';
import { nameUuid } from './deterministic.ts';
import { ApiException } from './exceptions.ts';
import { type Mode, openingBalances } from './settings.ts';
import { type Instant, now } from './timestamps.ts';

export const entryTypes = ['TOP_UP', 'PAYOUT', 'FEE', 'REVERSAL', 'RETURN'] as const;
export type EntryType = (typeof entryTypes)[number];
export const entryStatuses = ['RESERVED', 'BOOKED', 'RELEASED'] as const;
export type EntryStatus = (typeof entryStatuses)[number];

/** One movement of a wallet. */
export interface LedgerEntry {
  readonly id: string;
  readonly type: EntryType;
  readonly direction: 'DEBIT' | 'CREDIT';
  readonly currency: string;
  readonly amount: BigDecimal;
  /** Id of the payment, if the entry belongs to one. */
  readonly reference: string | undefined;
  readonly narrative: string | undefined;
  readonly createdAt: Instant;
  status: EntryStatus;
  bookedAt: Instant | undefined;
  balanceAfter: BigDecimal | undefined;
}

export interface Posting {
  readonly type: EntryType;
  readonly currency: string;
  readonly amount: BigDecimal;
  readonly reference?: string | undefined;
  readonly narrative?: string | undefined;
}

interface Wallet {
  balance: BigDecimal;
  reserved: BigDecimal;
}

/** The wallets of one account in one mode. */
export class Wallets {
  readonly #wallets = new Map<string, Wallet>();
  /** All entries, oldest first. */
  readonly entries: LedgerEntry[] = [];

  constructor(owner: string, mode: Mode) {
    for (const [currency, amount] of openingBalances[mode]) {
      this.#wallets.set(currency, { balance: zero, reserved: zero });
      const opening = BigDecimal.of(amount);
      if (opening.unscaled > 0n)
        this.credit({ type: 'TOP_UP', currency, amount: opening, narrative: `Opening balance ${owner}` });
    }
  }

  /** Returns the booked balances and the part of each that no payment has reserved. */
  balances(): { readonly currency: string; readonly balance: BigDecimal; readonly available: BigDecimal }[] {
    return [...this.#wallets].map(([currency, { balance, reserved }]) => ({
      currency,
      balance,
      available: balance.subtract(reserved),
    }));
  }

  /** @throws {ApiException} when the wallet has less than the amount available */
  checkFunds(currency: string, amount: BigDecimal): void {
    const { balance, reserved } = this.#wallets.get(currency) ?? { balance: zero, reserved: zero };
    if (balance.subtract(reserved).compareTo(amount) >= 0) return;
    throw new ApiException(422, 'insufficient_funds', `Insufficient available balance in ${currency}`);
  }

  reserve(posting: Posting): LedgerEntry {
    const wallet = this.#wallet(posting.currency);
    wallet.reserved = wallet.reserved.add(posting.amount);
    return this.#append(posting, 'DEBIT');
  }

  /** Books a reserved entry. */
  book(entry: LedgerEntry): void {
    const wallet = this.#wallet(entry.currency);
    wallet.reserved = wallet.reserved.subtract(entry.amount);
    wallet.balance = wallet.balance.subtract(entry.amount);
    Object.assign(entry, { status: 'BOOKED', bookedAt: now(), balanceAfter: wallet.balance });
  }

  /** Makes the amount of a reserved entry available again. */
  release(entry: LedgerEntry): void {
    const wallet = this.#wallet(entry.currency);
    wallet.reserved = wallet.reserved.subtract(entry.amount);
    entry.status = 'RELEASED';
  }

  credit(posting: Posting): void {
    const wallet = this.#wallet(posting.currency);
    wallet.balance = wallet.balance.add(posting.amount);
    const entry = this.#append(posting, 'CREDIT');
    Object.assign(entry, { status: 'BOOKED', bookedAt: entry.createdAt, balanceAfter: wallet.balance });
  }

  #wallet(currency: string): Wallet {
    const wallet = this.#wallets.get(currency);
    if (wallet === undefined) throw new TypeError(`There is no wallet in ${currency}.`);
    return wallet;
  }

  #append(posting: Posting, direction: LedgerEntry['direction']): LedgerEntry {
    const { type, currency, amount, reference, narrative } = posting;
    const entry: LedgerEntry = {
      id: nameUuid(`${type}:${reference ?? narrative ?? ''}:${currency}`),
      type,
      direction,
      currency,
      amount,
      reference,
      narrative,
      createdAt: now(),
      status: 'RESERVED',
      bookedAt: undefined,
      balanceAfter: undefined,
    };
    this.entries.push(entry);
    return entry;
  }
}
