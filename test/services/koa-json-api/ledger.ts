import { formatTime } from './clock.ts';
import { ApiError, type Problem } from './errors.ts';
import { formatMoney, toNumber } from './money.ts';
import type { IdFactory } from './random.ts';

export const entryTypes = ['payment', 'fee', 'refund', 'funding'] as const;
export const entryStatuses = ['pending', 'posted', 'voided'] as const;
export type EntryType = (typeof entryTypes)[number];
export type EntryStatus = (typeof entryStatuses)[number];

interface Wallet {
  readonly currency: string;
  posted: bigint;
  reserved: bigint;
}

interface Entry {
  readonly id: string;
  /** Position in the history, from 1. */
  readonly sequence: number;
  readonly type: EntryType;
  readonly currency: string;
  /** Negative when it leaves the wallet. */
  readonly minor: bigint;
  readonly paymentId: string | null;
  readonly description: string;
  readonly createdAt: string;
  status: EntryStatus;
  postedAt: string | null;
}

/** Money that a payment takes from a wallet. */
export interface Charge {
  readonly paymentId: string;
  readonly currency: string;
  readonly sendMinor: bigint;
  readonly feeMinor: bigint;
  readonly description: string;
}

export interface HistoryQuery {
  readonly size: number;
  readonly types: readonly EntryType[] | undefined;
  readonly statuses: readonly EntryStatus[] | undefined;
  readonly cursor: Cursor | undefined;
}

/** A place in the history: the page has the entries that are older or newer than the one at the position. */
export interface Cursor {
  readonly direction: 'older' | 'newer';
  readonly sequence: number;
}

export interface HistoryPage {
  readonly rows: readonly object[];
  readonly next: Cursor | undefined;
  readonly previous: Cursor | undefined;
}

/** Wallets of one account in one mode, and the history of their movements. */
export class Ledger {
  readonly #ids: IdFactory;
  readonly #wallets = new Map<string, Wallet>();
  readonly #entries: Entry[] = [];

  constructor(ids: IdFactory) {
    this.#ids = ids;
  }

  fund(currency: string, minor: bigint): void {
    this.#wallets.set(currency, { currency, posted: minor, reserved: 0n });
    if (minor === 0n) return;
    const description = 'Initial funding';
    this.#add({ type: 'funding', currency, minor, paymentId: null, description, status: 'posted' });
  }

  /**
   * Reserves the money of a payment.
   *
   * @throws {ApiError} when the wallet has too little
   */
  reserve({ paymentId, currency, sendMinor, feeMinor, description }: Charge): void {
    const wallet = this.#wallets.get(currency);
    const available = wallet ? wallet.posted - wallet.reserved : 0n;
    const needed = sendMinor + feeMinor;
    if (!wallet || available < needed) throw insufficientFunds(currency, available, needed);
    wallet.reserved += needed;
    const common = { currency, paymentId, description, status: 'pending' } as const;
    this.#add({ ...common, type: 'payment', minor: -sendMinor });
    this.#add({ ...common, type: 'fee', minor: -feeMinor });
  }

  /** Takes the reserved money of a payment out of the wallet. */
  post(charge: Charge): void {
    this.#settle(charge, 'posted');
  }

  /** Releases the reserved money of a payment. */
  release(charge: Charge): void {
    this.#settle(charge, 'voided');
  }

  refund({ paymentId, currency, description }: Charge, minor: bigint): void {
    const wallet = this.#wallets.get(currency);
    if (wallet) wallet.posted += minor;
    this.#add({ type: 'refund', currency, minor, paymentId, description, status: 'posted' });
  }

  listBalances(): readonly object[] {
    return [...this.#wallets.values()].map(({ currency, posted, reserved }) => ({
      currency,
      balance: toNumber(posted, currency),
      reserved_balance: toNumber(reserved, currency),
      available_balance: toNumber(posted - reserved, currency),
    }));
  }

  /** Returns a page, newest entries first. */
  listEntries({ size, types, statuses, cursor }: HistoryQuery): HistoryPage {
    const matching = this.#entries
      .filter(({ type, status }) => (types?.includes(type) ?? true) && (statuses?.includes(status) ?? true))
      .toReversed();
    const start = findStart(matching, size, cursor);
    const page = matching.slice(start, start + size);
    const first = page[0];
    const last = page.at(-1);
    const hasNext = start + size < matching.length;
    return {
      rows: page.map((entry) => presentEntry(entry)),
      next: hasNext && last ? { direction: 'older', sequence: last.sequence } : undefined,
      previous: start > 0 && first ? { direction: 'newer', sequence: first.sequence } : undefined,
    };
  }

  #settle({ paymentId, currency, sendMinor, feeMinor }: Charge, status: 'posted' | 'voided'): void {
    const wallet = this.#wallets.get(currency);
    if (wallet) {
      wallet.reserved -= sendMinor + feeMinor;
      if (status === 'posted') wallet.posted -= sendMinor + feeMinor;
    }
    for (const entry of this.#entries) {
      if (entry.paymentId !== paymentId || entry.status !== 'pending') continue;
      entry.status = status;
      if (status === 'posted') entry.postedAt = formatTime(new Date());
    }
  }

  #add(entry: Omit<Entry, 'id' | 'sequence' | 'createdAt' | 'postedAt'>): void {
    const createdAt = formatTime(new Date());
    this.#entries.push({
      ...entry,
      id: this.#ids.next('txn'),
      sequence: this.#entries.length + 1,
      createdAt,
      postedAt: entry.status === 'posted' ? createdAt : null,
    });
  }
}

/** Returns the index of the first entry of a page. */
function findStart(entries: readonly Entry[], size: number, cursor: Cursor | undefined): number {
  if (!cursor) return 0;
  const { direction, sequence } = cursor;
  const older = entries.findIndex((entry) => entry.sequence < sequence);
  if (direction === 'older') return older < 0 ? entries.length : older;
  const newer = entries.filter((entry) => entry.sequence > sequence).length;
  return Math.max(0, newer - size);
}

function presentEntry(entry: Entry): object {
  const { id, type, status, currency, minor, paymentId, description, createdAt, postedAt } = entry;
  return {
    id,
    type,
    status,
    direction: minor < 0n ? 'debit' : 'credit',
    amount: toNumber(minor < 0n ? -minor : minor, currency),
    currency,
    payment_id: paymentId,
    description,
    created_at: createdAt,
    posted_at: postedAt,
  };
}

function insufficientFunds(currency: string, available: bigint, needed: bigint): ApiError {
  const problem: Problem = {
    code: 'available_balance_too_low',
    detail: `The payment needs ${formatMoney(needed, currency)} including the fee, available are ${formatMoney(available, currency)}.`,
    source: { pointer: '/amount' },
    meta: {
      currency,
      required: toNumber(needed, currency),
      available: toNumber(available, currency),
    },
  };
  return new ApiError({ status: 422, type: 'insufficient_funds', problems: [problem] });
}
