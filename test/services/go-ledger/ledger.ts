import { centsNumber, protoMoney } from './decimal.ts';
import { protoTimestamp } from './clock.ts';

export const entryTypes = ['DEPOSIT', 'PAYMENT', 'FEE', 'REVERSAL'] as const;
export const entryStatuses = ['PENDING', 'POSTED', 'VOIDED'] as const;

export type EntryType = (typeof entryTypes)[number];
export type EntryStatus = (typeof entryStatuses)[number];

/** Movement of a wallet. Debits are negative. */
export interface Entry {
  readonly id: string;
  readonly sequence: number;
  readonly type: EntryType;
  readonly currency: string;
  readonly cents: bigint;
  /** Empty for deposits. */
  readonly paymentId: string;
  /** Id of the entry that a reversal credits, otherwise empty. */
  readonly reverses: string;
  readonly createTime: number;
  status: EntryStatus;
  postTime: number | undefined;
}

type NewEntry = Pick<Entry, 'type' | 'currency' | 'cents' | 'paymentId' | 'status'> & { reverses?: string };

interface LedgerContext {
  readonly now: () => number;
  readonly nextUlid: (time: number) => string;
}

/** Wallets of an account in one mode. A pending debit is a hold: it lowers only the available balance. */
export class Ledger {
  readonly entries: Entry[] = [];
  readonly #context: LedgerContext;
  readonly #currencies = new Set<string>();

  constructor(context: LedgerContext) {
    this.#context = context;
  }

  deposit(currency: string, cents: bigint): void {
    this.#currencies.add(currency);
    if (cents > 0n) this.#add({ type: 'DEPOSIT', currency, cents, paymentId: '', status: 'POSTED' });
  }

  /** Sum of the posted entries. */
  posted(currency: string): bigint {
    return this.#sum(currency, ['POSTED']);
  }

  available(currency: string): bigint {
    return this.#sum(currency, ['POSTED', 'PENDING']);
  }

  hold(paymentId: string, currency: string, debits: { readonly send: bigint; readonly fee: bigint }): void {
    this.#add({ type: 'PAYMENT', currency, cents: -debits.send, paymentId, status: 'PENDING' });
    this.#add({ type: 'FEE', currency, cents: -debits.fee, paymentId, status: 'PENDING' });
  }

  capture(paymentId: string): void {
    for (const entry of this.#ofPayment(paymentId)) {
      entry.status = 'POSTED';
      entry.postTime = this.#context.now();
    }
  }

  release(paymentId: string): void {
    for (const entry of this.#ofPayment(paymentId)) entry.status = 'VOIDED';
  }

  /** Credits the captured debits of the listed types. */
  reverse(paymentId: string, types: readonly EntryType[]): void {
    for (const { id, type, currency, cents } of this.#ofPayment(paymentId))
      if (types.includes(type))
        this.#add({ type: 'REVERSAL', currency, cents: -cents, paymentId, status: 'POSTED', reverses: id });
  }

  formatBalances(): object[] {
    return [...this.#currencies].toSorted().map((currency) => ({
      currency,
      balance: centsNumber(this.posted(currency)),
      available_balance: centsNumber(this.available(currency)),
    }));
  }

  #ofPayment(paymentId: string): Entry[] {
    return this.entries.filter((entry) => entry.paymentId === paymentId);
  }

  #sum(currency: string, statuses: readonly EntryStatus[]): bigint {
    let sum = 0n;
    for (const entry of this.entries)
      if (entry.currency === currency && statuses.includes(entry.status)) sum += entry.cents;
    return sum;
  }

  #add({ reverses = '', ...entry }: NewEntry): void {
    const createTime = this.#context.now();
    this.entries.push({
      ...entry,
      reverses,
      createTime,
      id: `txn_${this.#context.nextUlid(createTime)}`,
      sequence: this.entries.length + 1,
      postTime: entry.status === 'POSTED' ? createTime : undefined,
    });
  }
}

/** JSON form of the `ledger.v1.Transaction` message. */
export function formatEntry(entry: Entry): object {
  return {
    id: entry.id,
    sequence: entry.sequence.toString(),
    type: entry.type,
    status: entry.status,
    amount: protoMoney(entry.currency, entry.cents),
    payment_id: entry.paymentId,
    reverses: entry.reverses,
    create_time: protoTimestamp(entry.createTime),
    post_time: entry.postTime === undefined ? null : protoTimestamp(entry.postTime),
  };
}
