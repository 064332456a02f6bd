import type { ErrorFacts } from '../errors/service-error.ts';
import { parseTimestamp } from '@service/internal';
import { isNotFoundError, isPermissionError, isValidationError } from '../errors/guards.ts';
import type { Clock } from '../transport/clock.ts';
import type { CallOptions } from '../transport/request.ts';
import type { Payment } from '../values/models.ts';
import { compareText, type EchoRecord } from '../values/comparison.ts';
import { isOtherPurpose } from './payment-match.ts';
import type { WantedPayment } from './reconcile-input.ts';
import { createOffsetEstimate, createWindow, type OffsetEstimate, type TimeWindow } from './time-window.ts';
import { isCommonName } from '../transactions/page.ts';
import type { TransactionRow } from '../transactions/rows.ts';
import type { ReadPage } from '../transactions/transactions.ts';

/** The operations of a client for a search, and the observed accuracy of its responses. */
export interface SearchContext {
  /** Retrieves a payment, with the headers of its response. */
  readonly retrieve: (
    id: string,
    options: CallOptions,
  ) => Promise<{ readonly data: Payment; readonly headers: Headers }>;
  /** Iterates over the pages of transactions, newest first. */
  readonly walk: (options: CallOptions) => AsyncIterable<ReadPage>;
  /** Returns those of the ids that belong to other creates. */
  readonly listHeld: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly echo: EchoRecord;
  readonly clock: Clock;
  /**
   * The estimate of the clock of the service.
   *
   * @default a new one per search
   */
  readonly offset?: OffsetEstimate | undefined;
}

/** The payments found through the transactions of an account. */
export interface SearchResult {
  readonly payments: readonly Payment[];
  /**
   * Whether the search may have missed a payment.
   */
  readonly isIncomplete: boolean;
  readonly window: TimeWindow;
}

/**
 * Reads the transactions in the time window of a create and retrieves the payments that the create may have
 * made.
 */
export async function searchRecords(wanted: WantedPayment, context: SearchContext): Promise<SearchResult> {
  const { offset = createOffsetEstimate(context.clock) } = context;
  const getWindow = (): TimeWindow => {
    // A time in the future is from another clock. Its difference to the clock of the service is unknown.
    const isOtherClock = wanted.sentAt > context.clock.date().getTime();
    return createWindow(wanted, isOtherClock ? undefined : offset.get());
  };
  const records = await readRecords(wanted, context, (headers, sentAt) => {
    offset.narrow(headers, sentAt);
    return getWindow();
  });
  const { start } = getWindow();
  const isBefore = ({ transaction }: TransactionRow): boolean =>
    parseTimestamp(transaction.created_at) < start;
  const isFitting = (row: TransactionRow): boolean => !isContradicting(row, wanted, context.echo);
  const all = records.rows.filter(({ transaction }) => !nonPaymentTypes.has(transaction.type));
  // Rows before the window belong to other creates, but the payments of those that fit can look the same.
  const fitting = all.filter(isFitting);
  const others = all.filter((row) => !isBefore(row) && !isFitting(row));
  const held = await context.listHeld([...records.ids, ...[...fitting, ...others].flatMap(toIds)]);
  const lookup = createLookup(wanted, {
    ...context,
    excluded: new Set([...wanted.exclude, ...held]),
    offset,
  });
  await lookup.retrieveAll([...records.ids, ...fitting.flatMap(toIds)]);
  let isConfirmed = confirmMeaning(fitting, lookup.payments);
  if (isConfirmed === undefined) {
    const sample = others.find(isComplete);
    if (sample) await lookup.retrieveAll(sample.paymentIds);
    isConfirmed = confirmMeaning(others, lookup.payments);
  }
  if (!isConfirmed) await lookup.retrieveAll(others.flatMap(toIds));
  const relevant = [...fitting.filter((row) => !isBefore(row)), ...(isConfirmed ? [] : others)];
  const hasUnlinkedRow = relevant.some((row) => row.paymentIds.length === 0 && isOfCurrency(row, wanted));
  const isIncomplete =
    records.isIncomplete || hasUnlinkedRow || lookup.hasFailed([...records.ids, ...relevant.flatMap(toIds)]);
  return { payments: [...lookup.payments.values()], isIncomplete, window: getWindow() };
}

function toIds({ paymentIds }: TransactionRow): readonly string[] {
  return paymentIds;
}

interface Records {
  readonly rows: readonly TransactionRow[];
  /** The payment ids in unreadable rows. */
  readonly ids: readonly string[];
  readonly isIncomplete: boolean;
}

/** Reads pages until their rows are older than the window. */
async function readRecords(
  { signal }: WantedPayment,
  { walk, clock }: SearchContext,
  narrow: (headers: Headers, sentAt: Date) => TimeWindow,
): Promise<Records> {
  const rows: TransactionRow[] = [];
  const ids: string[] = [];
  let isIncomplete = false;
  const order = createOrderCheck();
  let sentAt = clock.date();
  try {
    for await (const page of walk({ signal })) {
      const { start, isCertain } = narrow(page.received.response.headers, sentAt);
      rows.push(...page.rows);
      ids.push(...page.unreadable.flatMap(({ paymentIds }) => paymentIds));
      isIncomplete ||=
        !isCommonName(page.path) || page.unreadable.some(({ paymentIds }) => paymentIds.length === 0);
      const times = page.rows.map(({ transaction }) => parseTimestamp(transaction.created_at));
      const isOrdered = order.add(page.unreadable.length > 0 ? [...times, Number.NaN] : times);
      if (isCertain && isOrdered && (times.at(-1) ?? start) < start) break;
      sentAt = clock.date();
    }
  } catch (error) {
    // The rows that were read can still lead to candidates.
    if ((error as ErrorFacts | undefined)?.code !== 'list_cannot_continue') throw error;
    isIncomplete = true;
  }
  return { rows, ids, isIncomplete };
}

/** Minimum number of rows that prove an order. Fewer rows can be in descending order by chance. */
const MIN_ORDERED_ROWS = 20;

/**
 * Creates a check of the row order across pages. `add` returns whether the rows so far prove the order newest
 * first.
 */
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
      return isDescending && count >= MIN_ORDERED_ROWS;
    },
  };
}

const nonPaymentTypes: ReadonlySet<string> = new Set(['deposit', 'refund', 'adjustment']);

/**
 * Returns whether a row belongs to another create, if its fields have the documented meaning
 * (docs/contract.md#transactions).
 */
function isContradicting(row: TransactionRow, wanted: WantedPayment, echo: EchoRecord): boolean {
  const { amount, reference } = row.transaction;
  if (!isOfCurrency(row, wanted)) return true;
  // A fee on top makes the debit larger than the amount, never smaller.
  if (
    typeof amount === 'number' &&
    !row.unclear &&
    wanted.amounts.every((one) => Math.abs(amount) < Number(one))
  )
    return true;
  return Boolean(reference) && isOtherPurpose(wanted.purpose, reference, echo);
}

function isOfCurrency({ transaction: { currency } }: TransactionRow, wanted: WantedPayment): boolean {
  return typeof currency !== 'string' || currency.toUpperCase() === wanted.from_currency;
}

/** Returns whether a row has all fields whose meaning its payment can confirm. */
function isComplete({ transaction, paymentIds }: TransactionRow): boolean {
  const { currency, amount, reference } = transaction;
  return paymentIds.length === 1 && Boolean(currency && amount && reference);
}

/**
 * Compares rows with their payments. Returns whether the fields of rows have the documented meaning, or
 * undefined if no row proves it.
 */
function confirmMeaning(
  rows: readonly TransactionRow[],
  payments: ReadonlyMap<string, Payment>,
): boolean | undefined {
  const confirmations = rows.filter(isComplete).flatMap(({ transaction, paymentIds }) => {
    const payment = payments.get(paymentIds[0] ?? '');
    if (payment === undefined) return [];
    const isSamePurpose = compareText(payment.purpose, transaction.reference) === 'same';
    const isSameCurrency = transaction.currency === payment.from_currency;
    return [isSamePurpose && isSameCurrency && Math.abs(transaction.amount) >= payment.send_amount];
  });
  return confirmations.length === 0 ? undefined : confirmations.every(Boolean);
}

interface Lookup {
  /** The payments retrieved so far, by id. */
  readonly payments: ReadonlyMap<string, Payment>;
  readonly retrieveAll: (ids: readonly string[]) => Promise<void>;
  /** Returns whether the service did not return one of these payments. */
  readonly hasFailed: (ids: readonly string[]) => boolean;
}

interface LookupContext {
  readonly excluded: ReadonlySet<string>;
  readonly offset: OffsetEstimate;
}

/** Maximum number of payments that are retrieved at the same time. */
const MAX_CONCURRENCY = 4;

/** Creates a lookup that retrieves each payment once. */
function createLookup(
  { signal }: WantedPayment,
  { retrieve, clock, excluded, offset }: SearchContext & LookupContext,
): Lookup {
  const payments = new Map<string, Payment>();
  const failed = new Set<string>();
  const retrieveOne = async (id: string): Promise<void> => {
    const sentAt = clock.date();
    try {
      const { data, headers } = await retrieve(id, { signal });
      offset.narrow(headers, sentAt);
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
      const remaining = [...new Set(ids)].filter(
        (id) => !excluded.has(id) && !payments.has(id) && !failed.has(id),
      );
      const work = async (): Promise<void> => {
        for (let id = remaining.shift(); id !== undefined; id = remaining.shift()) await retrieveOne(id);
      };
      await Promise.all(Array.from({ length: MAX_CONCURRENCY }, work)).finally(() => remaining.splice(0));
    },
  };
}

/** Returns whether an error means that the service does not show a payment, although it may exist. */
function isHidden(error: unknown): boolean {
  return isNotFoundError(error) || isPermissionError(error) || isMalformedId(error);
}

function isMalformedId(error: unknown): boolean {
  return isValidationError(error) && error.outcome === 'not_sent';
}
