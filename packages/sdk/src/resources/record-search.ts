import { isNotFoundError, isPermissionError, isValidationError } from '../errors/guards.ts';
import type { Clock } from '../transport/clock.ts';
import type { Answered } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Payment } from '../values/models.ts';
import { compareText } from '../values/beneficiary.ts';
import { type EchoRecord, isOtherPurpose } from './payment-match.ts';
import type { Wanted } from './reconcile-input.ts';
import {
  createOffsetEstimate,
  createWindow,
  type OffsetEstimate,
  parseTime,
  type TimeWindow,
} from './time-window.ts';
import type { ReadPage } from './pages.ts';
import type { TransactionRow } from './transaction-reader.ts';

/** The reading calls of a client, and its memory, that a search needs. */
export interface SearchTools {
  readonly retrieve: (id: string, options: CallOptions) => Promise<Answered<Payment>>;
  /** Walks the transactions, newest first; `onCutShort` is called if pages are missing. */
  readonly walk: (options: CallOptions, onCutShort: () => void) => AsyncIterable<ReadPage>;
  /** Returns the ids among these that other creates hold; undefined when that cannot be read. */
  readonly listHeld: (ids: readonly string[]) => Promise<ReadonlySet<string> | undefined>;
  readonly echo: EchoRecord;
  readonly clock: Clock;
}

/** The payments that the transactions of an account lead to. */
export interface Found {
  readonly payments: readonly Payment[];
  /** Whether a payment of this create or of another one may have been taken for nothing, or one for the other. */
  readonly isIncomplete: boolean;
  readonly window: TimeWindow;
}

/** Reads the transactions in the window of a create and retrieves the payments that may be the one that it made. */
export async function searchRecords(wanted: Wanted, tools: SearchTools): Promise<Found> {
  const offset = createOffsetEstimate(tools.clock);
  const getWindow = (): TimeWindow => {
    // A time in the future was taken from another clock, which may differ from the one of the service by any span.
    const isOtherClock = wanted.sentAt > tools.clock.date().getTime();
    return createWindow(wanted, isOtherClock ? undefined : offset.get());
  };
  const records = await readRecords(wanted, tools, (headers, sentAt) => {
    offset.narrow(headers, sentAt);
    return getWindow();
  });
  const { start } = getWindow();
  const isBefore = ({ transaction }: TransactionRow): boolean => parseTime(transaction.created_at) < start;
  const isFitting = (row: TransactionRow): boolean => !isContradicting(row, wanted, tools.echo);
  const all = records.rows.filter(({ transaction }) => !nonPaymentTypes.has(transaction.type));
  // An older row leads to no payment of this create, but to one that looks the same.
  const fitting = all.filter(isFitting);
  const others = all.filter((row) => !isBefore(row) && !isFitting(row));
  const held = await tools.listHeld([...records.ids, ...[...fitting, ...others].flatMap(toIds)]);
  const lookup = createLookup(wanted, {
    ...tools,
    excluded: new Set([...wanted.exclude, ...(held ?? [])]),
    offset,
  });
  await lookup.retrieveAll([...records.ids, ...fitting.flatMap(toIds)]);
  let isConfirmed = confirmMeaning(fitting, lookup.payments);
  if (isConfirmed === undefined) {
    const sample = others.find(isWhole);
    if (sample) await lookup.retrieveAll(sample.paymentIds);
    isConfirmed = confirmMeaning(others, lookup.payments);
  }
  if (!isConfirmed) await lookup.retrieveAll(others.flatMap(toIds));
  const relevant = [...fitting.filter((row) => !isBefore(row)), ...(isConfirmed ? [] : others)];
  const isBlind = relevant.some((row) => row.paymentIds.length === 0 && isOfCurrency(row, wanted));
  const isIncomplete =
    records.isIncomplete ||
    held === undefined ||
    isBlind ||
    lookup.hasFailed([...records.ids, ...relevant.flatMap(toIds)]);
  return { payments: [...lookup.payments.values()], isIncomplete, window: getWindow() };
}

function toIds({ paymentIds }: TransactionRow): readonly string[] {
  return paymentIds;
}

interface Records {
  readonly rows: readonly TransactionRow[];
  /** The payments that rows name that cannot be read otherwise. */
  readonly ids: readonly string[];
  readonly isIncomplete: boolean;
}

/** Reads the pages, until the rows are older than the window or there are no more. */
async function readRecords(
  { signal }: Wanted,
  { walk, clock }: SearchTools,
  narrow: (headers: Headers, sentAt: Date) => TimeWindow,
): Promise<Records> {
  const rows: TransactionRow[] = [];
  const ids: string[] = [];
  let isIncomplete = false;
  const order = createOrderCheck();
  let sentAt = clock.date();
  const pages = walk({ signal }, () => (isIncomplete = true));
  for await (const { reading, headers } of pages) {
    const { start, isCertain } = narrow(headers, sentAt);
    rows.push(...reading.rows);
    ids.push(...reading.unreadable.flatMap(({ paymentIds }) => paymentIds));
    isIncomplete ||=
      reading.isGuessed || reading.unreadable.some(({ paymentIds }) => paymentIds.length === 0);
    const times = reading.rows.map(({ transaction }) => parseTime(transaction.created_at));
    const isOrdered = order.add(reading.unreadable.length > 0 ? [...times, Number.NaN] : times);
    if (isCertain && isOrdered && (times.at(-1) ?? start) < start) break;
    sentAt = clock.date();
  }
  return { rows, ids, isIncomplete };
}

// Fewer rows can be in descending order by chance.
const fewestOrderedRows = 20;

/** Creates a check of the order of rows over pages; `add` returns whether they demonstrably come newest first. */
function createOrderCheck(): { readonly add: (times: readonly number[]) => boolean } {
  let last = Infinity;
  let count = 0;
  let isDescending = true;
  return {
    add: (times) => {
      for (const time of times) {
        isDescending &&= time <= last;
        if (time < last) count += 1;
        last = time;
      }
      return isDescending && count >= fewestOrderedRows;
    },
  };
}

const nonPaymentTypes: ReadonlySet<string> = new Set(['deposit', 'refund', 'adjustment']);

/** Whether a field of a row says that it is of another create, if the fields mean what the contract says (contract.md 4). */
function isContradicting(row: TransactionRow, wanted: Wanted, echo: EchoRecord): boolean {
  const { amount, reference } = row.transaction;
  if (!isOfCurrency(row, wanted)) return true;
  // A fee on top makes the debit larger than the amount.
  if (typeof amount === 'number' && wanted.amounts.every((one) => Math.abs(amount) < Number(one)))
    return true;
  return Boolean(reference) && isOtherPurpose(wanted.purpose, reference, echo);
}

function isOfCurrency({ transaction: { currency } }: TransactionRow, wanted: Wanted): boolean {
  return typeof currency !== 'string' || currency.toUpperCase() === wanted.from_currency;
}

/** Whether a row has all fields whose meaning its payment can confirm. */
function isWhole({ transaction, paymentIds }: TransactionRow): boolean {
  const { currency, amount, reference } = transaction;
  return paymentIds.length === 1 && Boolean(currency && amount && reference);
}

/** Compares rows with their payments. Returns whether the fields of rows mean what the contract says, or undefined if none shows it. */
function confirmMeaning(
  rows: readonly TransactionRow[],
  payments: ReadonlyMap<string, Payment>,
): boolean | undefined {
  const verdicts = rows.filter(isWhole).flatMap(({ transaction, paymentIds }) => {
    const payment = payments.get(paymentIds[0] ?? '');
    if (payment === undefined) return [];
    const isSamePurpose = compareText(payment.purpose, transaction.reference) === 'same';
    const isSameCurrency = transaction.currency === payment.from_currency;
    return [isSamePurpose && isSameCurrency && Math.abs(transaction.amount) >= payment.send_amount];
  });
  return verdicts.length === 0 ? undefined : verdicts.every(Boolean);
}

interface Lookup {
  /** The payments retrieved so far, by id. */
  readonly payments: ReadonlyMap<string, Payment>;
  readonly retrieveAll: (ids: readonly string[]) => Promise<void>;
  /** Whether the service did not show one of these payments. */
  readonly hasFailed: (ids: readonly string[]) => boolean;
}

interface LookupContext {
  readonly excluded: ReadonlySet<string>;
  readonly offset: OffsetEstimate;
}

const concurrency = 4;

/** Creates a lookup that retrieves each payment once. */
function createLookup(
  { signal }: Wanted,
  { retrieve, clock, excluded, offset }: SearchTools & LookupContext,
): Lookup {
  const payments = new Map<string, Payment>();
  const failed = new Set<string>();
  const retrieveOne = async (id: string): Promise<void> => {
    const sentAt = clock.date();
    try {
      const { data, response } = await retrieve(id, { signal });
      offset.narrow(response.headers, sentAt);
      payments.set(id, data);
    } catch (error) {
      if (!isHidden(error)) throw error;
      failed.add(id);
    }
  };
  return {
    payments,
    hasFailed: (ids) => ids.some((id) => failed.has(id)),
    retrieveAll: async (ids) => {
      const left = [...new Set(ids)].filter(
        (id) => !excluded.has(id) && !payments.has(id) && !failed.has(id),
      );
      const work = async (): Promise<void> => {
        for (let id = left.shift(); id !== undefined; id = left.shift()) await retrieveOne(id);
      };
      await Promise.all(Array.from({ length: concurrency }, work)).finally(() => left.splice(0));
    },
  };
}

/** Whether an error means that the service does not show a payment that a row names; the payment may exist. */
function isHidden(error: unknown): boolean {
  return isNotFoundError(error) || isPermissionError(error) || isMalformedId(error);
}

function isMalformedId(error: unknown): boolean {
  return isValidationError(error) && error.outcome === 'not_sent';
}
