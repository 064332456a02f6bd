import { parseTimestamp } from '@service/internal';
import type { CallOptions } from '../options.ts';
import type { Clock } from '../transport/deadline.ts';
import type { Payment } from '../models.ts';
import { comparePayment, compareText, listPossibleAmounts, listSupplierFields } from '../comparison.ts';
import { type ErrorFacts, NotFoundError, PermissionError, ValidationError } from '../errors.ts';
import { isCommonName } from '../transactions/page.ts';
import type { Rows, TransactionRow } from '../transactions/rows.ts';
import type { ReadPage } from '../transactions/transactions.ts';
import { parseHttpDate } from '../transport/response.ts';
import type { WantedPayment } from './input.ts';
import { isOtherPurpose, startsWith } from './match.ts';

/** The operations of a client for a search. */
export interface SearchContext {
  /** Retrieves a payment, with the headers of its response. */
  readonly retrieve: (
    id: string,
    options: CallOptions,
  ) => Promise<{ readonly data: Payment; readonly headers: Headers }>;
  /** Iterates over the pages of transactions, newest first. */
  readonly walk: (options: CallOptions) => AsyncIterable<ReadPage>;
  readonly clock: Clock;
  /**
   * The estimate of the clock of the service.
   *
   * @default a new one per search
   */
  readonly offset?: OffsetEstimate | undefined;
}

/** The payments found through the transactions of an account. */
interface SearchResult {
  readonly payments: readonly Payment[];
  /** Whether the search may have missed a payment. */
  readonly isIncomplete: boolean;
  /** Returns the age of a payment relative to the create, or to one that was sent at another time. */
  readonly getAge: (payment: Payment, sentAt?: number) => Age;
  /** Returns the purposes of the records of other payments that can have the same beneficiary. */
  readonly listOtherPurposes: (payment: Payment) => readonly string[];
}

/** Maximum number of payments that are retrieved at the same time. */
const MAX_CONCURRENCY = 4;

/**
 * Reads the transactions in the time window of a create and retrieves the payments that the create may have
 * made. `listHeld` returns those of the payments that other creates have.
 */
export async function searchRecords(
  wanted: WantedPayment,
  context: SearchContext,
  listHeld: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<SearchResult> {
  const { clock, offset = createOffsetEstimate(clock) } = context;
  const reads = { ...context, offset };
  const { rows, unreadable, isComplete } = await readRecords(wanted, reads);
  const { start } = createWindow(wanted, offset, clock);
  const isBefore = ({ transaction }: TransactionRow): boolean => readTime(transaction.created_at) < start;
  const isFitting = (row: TransactionRow): boolean => !isContradicting(row, wanted);
  const all = rows.filter(({ transaction }) => !nonPaymentTypes.test(transaction.type));
  // Rows before the window belong to other creates, but the payments of those that fit can look the same.
  const fitting = all.filter(isFitting);
  const others = all.filter((row) => !isBefore(row) && !isFitting(row));
  // Older rows too: their purposes can look like a cut form of the sent one.
  const similar = rows.filter(({ transaction }) => startsWith(transaction.reference, wanted.fields.purpose));
  const held = await listHeld([...new Set(toIds([...unreadable, ...fitting, ...others, ...similar]))]);

  const payments = new Map<string, Payment>();
  const hidden = new Set<string>();
  const skipped = new Set([...(wanted.exclude ?? []), ...held]);
  const retrieveAll = async (ids: readonly string[]): Promise<void> =>
    retrievePayments(
      ids.filter((id) => !skipped.has(id)),
      payments,
      hidden,
      reads,
      wanted.signal,
    );

  await retrieveAll(toIds([...unreadable, ...fitting]));
  let isConfirmed = confirmMeaning(fitting, payments);
  if (isConfirmed === undefined) {
    await retrieveAll(others.find(hasAllFields)?.paymentIds ?? []);
    isConfirmed = confirmMeaning(others, payments);
  }
  if (!isConfirmed) await retrieveAll(toIds(others));
  const relevant = [...fitting.filter((row) => !isBefore(row)), ...(isConfirmed ? [] : others)];
  const hasOtherAmount = isConfirmed === false ? () => false : compareAmounts(all, payments, wanted);
  const isUnlinked = relevant.some(
    (row) =>
      row.paymentIds.length === 0 && isOfCurrency(row, wanted.fields.from_currency) && !hasOtherAmount(row),
  );
  const isUnseen = toIds([...unreadable, ...relevant]).some((id) => hidden.has(id));
  return {
    payments: [...payments.values()],
    isIncomplete:
      !isComplete || isUnlinked || isUnseen || unreadable.some((row) => row.paymentIds.length === 0),
    getAge: (payment, sentAt = wanted.sentAt) =>
      createWindow({ ...wanted, sentAt }, offset, clock).getAge(payment),
    listOtherPurposes: ({ id }) => {
      const suppliers = listSupplierFields(wanted.fields);
      const isForeign = (one: string): boolean => {
        const payment = payments.get(one);
        const comparison = payment && comparePayment(wanted.fields, payment);
        return (
          one === id || skipped.has(one) || suppliers.some((field) => comparison?.[field] === 'different')
        );
      };
      const records = rows.filter(({ paymentIds }) => !paymentIds.every(isForeign));
      return records.flatMap(({ transaction }) => transaction.reference ?? []);
    },
  };
}

function toIds(rows: readonly Pick<TransactionRow, 'paymentIds'>[]): readonly string[] {
  return rows.flatMap(({ paymentIds }) => paymentIds);
}

type TimedContext = SearchContext & { readonly offset: OffsetEstimate };

/** Minimum number of rows that prove an order. Fewer rows can be in descending order by chance. */
const MIN_ORDERED_ROWS = 20;

/** The rows of a list down to those that are older than a time. */
interface Records extends Rows {
  /** False if more rows exist, but no page has them, or if an array without a common name was taken for the rows. */
  readonly isComplete: boolean;
}

/** Reads pages until their rows are older than the window. */
export async function readRecords(
  wanted: Pick<WantedPayment, 'sentAt' | 'clockSkew' | 'signal'>,
  { walk, clock, offset }: Omit<TimedContext, 'retrieve'>,
): Promise<Records> {
  const rows: TransactionRow[] = [];
  const unreadable: Rows['unreadable'][number][] = [];
  let isComplete = true;
  let last = Infinity;
  /** The number of rows that are older than the row before. NaN if the newest rows are not first. */
  let ordered = 0;
  let sentAt = clock.date();
  try {
    for await (const page of walk({ signal: wanted.signal })) {
      offset.narrow(page.received.response.headers, sentAt);
      const { start, isCertain } = createWindow(wanted, offset, clock);
      rows.push(...page.rows);
      unreadable.push(...page.unreadable);
      if (!isCommonName(page.path)) isComplete = false;
      const times = page.rows.map(({ transaction }) => readTime(transaction.created_at));
      for (const time of page.unreadable.length > 0 ? [...times, Number.NaN] : times) {
        ordered = time <= last ? ordered + Number(time < last) : Number.NaN;
        last = time;
      }
      if (isCertain && ordered >= MIN_ORDERED_ROWS && (times.at(-1) ?? start) < start) break;
      sentAt = clock.date();
    }
  } catch (error) {
    // The rows that were read can still lead to candidates.
    if ((error as ErrorFacts | undefined)?.code !== 'list_cannot_continue') throw error;
    isComplete = false;
  }
  return { rows, unreadable, isComplete };
}

/** The types of rows that are no payment. */
export const nonPaymentTypes: RegExp = /^(deposit|refund|adjustment)$/;

/**
 * Returns whether a row belongs to another create, if its fields have the documented meaning
 * (docs/contract.md#transactions).
 */
function isContradicting(row: TransactionRow, wanted: WantedPayment): boolean {
  const { amount, reference } = row.transaction;
  const { amount: sent = '', from_currency = '' } = wanted.fields;
  const amounts = listPossibleAmounts(sent, from_currency);
  // A fee on top makes the debit larger than the amount, never smaller.
  const isSmaller = (one: string): boolean => Math.abs(amount) < Number(one);
  const isOtherAmount = typeof amount === 'number' && amounts.every(isSmaller);
  if (isOtherAmount || !isOfCurrency(row, from_currency)) return true;
  return Boolean(reference) && isOtherPurpose(wanted, reference);
}

/** Returns whether a row can be a debit in a currency. */
export function isOfCurrency(
  { transaction: { currency } }: TransactionRow,
  own: string | undefined,
): boolean {
  return typeof currency !== 'string' || currency.toUpperCase() === own;
}

/**
 * Returns a function that returns whether the amount of a row proves that it is not of the create. Debits of payments prove the
 * sign. Debits of payments with the same amount prove the amount, which can include a fee.
 */
function compareAmounts(
  rows: readonly TransactionRow[],
  payments: ReadonlyMap<string, Payment>,
  wanted: WantedPayment,
): (row: TransactionRow) => boolean {
  const { amount: asked = '', from_currency: source = '' } = wanted.fields;
  const sent = listPossibleAmounts(asked, source).map(Number);
  const debits: number[] = [];
  const equal: number[] = [];
  for (const { transaction, paymentIds } of rows) {
    const { type, currency, amount } = transaction;
    const payment = paymentIds.length === 1 ? payments.get(paymentIds[0] ?? '') : undefined;
    if (!payment) continue;
    const { status, from_currency, to_currency, send_amount } = payment;
    // A payment can also have rows that credit it, above all one that failed.
    const isCredit =
      !/^(pending|processing|completed)$/.test(status) || /refund|revers|return/i.test(String(type));
    if (isCredit || (currency ?? from_currency) !== from_currency || !(Math.abs(amount) >= send_amount))
      continue;
    debits.push(amount);
    const isSamePair = from_currency === source && to_currency === wanted.fields.to_currency;
    if (isSamePair && sent.includes(send_amount)) equal.push(Math.abs(amount));
  }
  return ({ transaction: { amount, fee } }) => {
    if (debits.length === 0 || typeof amount !== 'number') return false;
    if (debits.every((one) => one * amount < 0)) return true;
    const possible = [...sent, ...sent.map((one) => one + Math.abs(fee ?? 0)), ...equal];
    return equal.length > 0 && possible.every((one) => Math.abs(one - Math.abs(amount)) >= 0.01);
  };
}

/** Returns whether a row has all fields whose meaning its payment can confirm. */
function hasAllFields({ transaction, paymentIds }: TransactionRow): boolean {
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
  const confirmations = rows.filter(hasAllFields).flatMap(({ transaction, paymentIds }) => {
    const payment = payments.get(paymentIds[0] ?? '');
    if (payment === undefined) return [];
    const isSamePurpose = compareText(payment.purpose ?? undefined, transaction.reference) === 'same';
    const isSameCurrency = transaction.currency === payment.from_currency;
    return [isSamePurpose && isSameCurrency && Math.abs(transaction.amount) >= payment.send_amount];
  });
  return confirmations.length === 0 ? undefined : confirmations.every(Boolean);
}

/** Retrieves payments, and adds them by their ids, or the ids of those that the service does not show. Retrieves none again. */
export async function retrievePayments(
  ids: readonly string[],
  payments: Map<string, Payment>,
  hidden: Set<string>,
  { retrieve, clock, offset }: Omit<TimedContext, 'walk'>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const remaining = [...new Set(ids)].filter((id) => !payments.has(id) && !hidden.has(id));
  const work = async (): Promise<void> => {
    for (let id = remaining.shift(); id !== undefined; id = remaining.shift()) {
      const sentAt = clock.date();
      try {
        const { data, headers } = await retrieve(id, { signal });
        offset.narrow(headers, sentAt);
        payments.set(id, data);
      } catch (error) {
        if (!isHidden(error)) throw error;
        hidden.add(id);
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENCY }, work)).finally(() => remaining.splice(0));
}

/** Returns whether an error means that the service does not show a payment, although it may exist. */
function isHidden(error: unknown): boolean {
  const isMalformedId = error instanceof ValidationError && error.outcome === 'not_sent';
  return error instanceof NotFoundError || error instanceof PermissionError || isMalformedId;
}

/** An estimate of the clock of the service minus the clock of the client, in milliseconds. */
export interface OffsetEstimate {
  /** Narrows the estimate with the `Date` header of a response. `sentAt` is not later than its request. */
  readonly narrow: (headers: Headers, sentAt: Date) => void;
  /** Returns the least offset. Undefined if no response had a usable header, or if two headers contradict each other. */
  readonly getLow: () => number | undefined;
}

/** Creates an estimate without observations. */
export function createOffsetEstimate(clock: Clock): OffsetEstimate {
  let [low, high] = [-Infinity, Infinity];
  return {
    narrow: (headers, sentAt) => {
      const date = parseHttpDate(headers.get('date') ?? '');
      // A cache repeats the date of the response that it stored (RFC 9111, section 5.1).
      if (Number.isNaN(date) || Number(headers.get('age')) > 0) return;
      // The header is cut to whole seconds, so the response was created up to one second later.
      low = Math.max(low, date - clock.date().getTime());
      high = Math.min(high, date + 1_000 - sentAt.getTime());
    },
    getLow: () => (low === -Infinity || low > high ? undefined : low),
  };
}

/**
 * The time of a payment relative to the create. `recent`: the create can have made it. `unclear`: the create
 * can have made it if the clocks differ by up to `clockSkew`, or the time is unreadable. `older`: another
 * create made it, unless the clocks differ by more.
 */
export type Age = 'recent' | 'unclear' | 'older';

const epochTime = /^[1-9]\d{9}(\.\d+|(\d{3}){1,3})?$/;

/** Parses an ISO 8601 time, or a Unix time in seconds to nanoseconds, into milliseconds. Returns NaN for any other value. */
export function readTime(value: unknown): number {
  const text = String(value);
  if (!epochTime.test(text)) return parseTimestamp(text);
  return Number(text.replace('.', '').slice(0, 13).padEnd(13, '0'));
}

/**
 * Tolerance for timestamps cut to whole seconds and for clock differences between machines of the service, in
 * milliseconds.
 */
const TIMESTAMP_TOLERANCE = 1_000;
/** The assumed difference between two clocks without an estimate, in milliseconds. */
const ASSUMED_SKEW = 2_000;

/**
 * Returns the times that the payment of a create can have. `start` is the earliest expected time of a record, by the clock of
 * the service. If it `isCertain`, it is based on that clock, and the search may end there.
 */
function createWindow(
  { sentAt, clockSkew }: Pick<WantedPayment, 'sentAt' | 'clockSkew'>,
  { getLow }: OffsetEstimate,
  clock: Clock,
) {
  // A time in the future is from another clock. Its difference to the clock of the service is unknown.
  const low = sentAt > clock.date().getTime() ? undefined : getLow();
  const isCertain = low !== undefined;
  const recent = sentAt + (isCertain ? low - TIMESTAMP_TOLERANCE : -Math.min(ASSUMED_SKEW, clockSkew));
  const start = (isCertain ? recent : sentAt) - clockSkew;
  return {
    start,
    isCertain,
    getAge: ({ created_at }: Payment): Age => {
      const time = readTime(created_at);
      if (time >= recent) return 'recent';
      return time < (isCertain ? recent : start) ? 'older' : 'unclear';
    },
  };
}
