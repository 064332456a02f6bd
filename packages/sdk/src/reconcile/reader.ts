import { parseTimestamp } from '@service/internal';
import type { CallOptions } from '../options.ts';
import type { Clock } from '../transport/deadline.ts';
import type { Payment } from '../models.ts';
import { type ErrorFacts, NotFoundError, PermissionError, ValidationError } from '../errors.ts';
import { isCommonName } from '../transactions/page.ts';
import type { Rows, TransactionRow } from '../transactions/rows.ts';
import type { ReadPage } from '../transactions/transactions.ts';
import { type CallResult, parseHttpDate } from '../transport/response.ts';

/** The operations of a client for searches. */
export interface Reads {
  /** Retrieves a payment, with its response. */
  readonly retrieve: (id: string, options: CallOptions) => Promise<CallResult<Payment>>;
  /** Retrieves a payment that a create returned. Retries a 404 for `readLag`. */
  readonly retrieveCreated: (id: string, options: CallOptions) => Promise<Payment>;
  /** Iterates over the pages of transactions, newest first. */
  readonly walk: (options: CallOptions) => AsyncIterable<ReadPage>;
  readonly clock: Clock;
  /** Maximum time in milliseconds by which lists and payments lag behind creates. */
  readonly readLag: number;
}

/** The rows of a list down to those that are older than a time. */
interface Records extends Rows {
  /** False if more rows exist, but no page has them, or if an array without a common name was taken for the rows. */
  readonly isComplete: boolean;
}

/** The payments of ids; undefined for those that the service does not show. */
export type RetrievedPayments = ReadonlyMap<string, Payment | undefined>;

/** The account as one or several searches see it. Requests each page and each payment once. */
export interface AccountReader extends Pick<Reads, 'retrieveCreated' | 'clock' | 'readLag'> {
  readonly signal: AbortSignal | undefined;
  /** The time of the first read. */
  readonly readAt: Date;
  /** Reads pages until their rows are older than a time; without one, all. */
  readonly readRecords: (findStart: () => number | undefined) => Promise<Records>;
  readonly retrieve: (ids: readonly string[]) => Promise<RetrievedPayments>;
  /**
   * Returns the least difference of the clock of the service to that of the client, in milliseconds. Undefined if no
   * response had a usable `Date` header, or if two headers contradict each other.
   */
  readonly getLowOffset: () => number | undefined;
}

/** Maximum number of payments that are retrieved at the same time. */
const MAX_CONCURRENCY = 4;

/** Minimum number of rows that prove an order. Fewer rows can be in descending order by chance. */
const MIN_ORDERED_ROWS = 20;

/**
 * Creates a reader that has read nothing.
 *
 * @param onPage Called for each page that was received.
 * @param known The payments that were retrieved before. New ones are added.
 */
export function createReader(
  reads: Reads,
  signal: AbortSignal | undefined,
  onPage?: () => void,
  known: Map<string, Payment> = new Map(),
): AccountReader {
  const { clock } = reads;
  const pages: Promise<ReadPage | undefined>[] = [];
  const payments = new Map<string, Payment | undefined>(known);
  let source: AsyncIterator<ReadPage> | undefined;
  let [low, high] = [-Infinity, Infinity];
  /** Narrows the difference of the clocks with the `Date` header of a response. `sentAt` is not later than its request. */
  const narrowOffset = (headers: Headers, sentAt: Date): void => {
    const date = parseHttpDate(headers.get('date') ?? '');
    // A cache repeats the date of the response that it stored (RFC 9111, section 5.1).
    if (Number.isNaN(date) || Number(headers.get('age')) > 0) return;
    // The header is cut to whole seconds, so the response was created up to one second later.
    low = Math.max(low, date - clock.date().getTime());
    high = Math.min(high, date + 1_000 - sentAt.getTime());
  };
  const readPage = async (): Promise<ReadPage | undefined> => {
    const sentAt = clock.date();
    // A walk requests its first page at once.
    source ??= reads.walk({ signal })[Symbol.asyncIterator]();
    const { value, done } = (await source.next()) as IteratorResult<ReadPage, undefined>;
    if (done) return undefined;
    narrowOffset(value.received.response.headers, sentAt);
    onPage?.();
    return value;
  };
  async function* walk(): AsyncGenerator<ReadPage> {
    for (let index = 0; ; index += 1) {
      const page = await (pages[index] ??= readPage());
      if (page === undefined) return;
      yield page;
    }
  }
  const retrieveOne = async (id: string): Promise<Payment | undefined> => {
    const sentAt = clock.date();
    try {
      const { data, response } = await reads.retrieve(id, { signal });
      narrowOffset(response.headers, sentAt);
      known.set(id, data);
      return data;
    } catch (error) {
      if (isHidden(error)) return undefined;
      throw error;
    }
  };
  return {
    ...reads,
    signal,
    readAt: clock.date(),
    getLowOffset: () => (low === -Infinity || low > high ? undefined : low),
    readRecords: (findStart) => collectRecords(walk(), findStart),
    retrieve: async (ids) => {
      const remaining = [...new Set(ids)].filter((id) => !payments.has(id));
      const work = async (): Promise<void> => {
        for (let id = remaining.shift(); id !== undefined; id = remaining.shift())
          payments.set(id, await retrieveOne(id));
      };
      await Promise.all(Array.from({ length: MAX_CONCURRENCY }, work)).finally(() => remaining.splice(0));
      return new Map(ids.map((id) => [id, payments.get(id)]));
    },
  };
}

/** Collects the rows of pages until they are older than a time; without one, all. */
async function collectRecords(
  pages: AsyncIterable<ReadPage>,
  findStart: () => number | undefined,
): Promise<Records> {
  const rows: TransactionRow[] = [];
  const unreadable: Rows['unreadable'][number][] = [];
  let isComplete = true;
  let last = Infinity;
  /** The number of rows that are older than the row before. NaN if the newest rows are not first. */
  let ordered = 0;
  try {
    for await (const page of pages) {
      rows.push(...page.rows);
      unreadable.push(...page.unreadable);
      if (!isCommonName(page.path)) isComplete = false;
      const times = page.rows.map(({ transaction }) => readTime(transaction.created_at));
      for (const time of page.unreadable.length > 0 ? [...times, Number.NaN] : times) {
        ordered = time <= last ? ordered + Number(time < last) : Number.NaN;
        last = time;
      }
      if (ordered >= MIN_ORDERED_ROWS && Number(times.at(-1)) < Number(findStart())) break;
    }
  } catch (error) {
    // The rows that were read can still lead to candidates.
    if ((error as ErrorFacts | undefined)?.code !== 'list_cannot_continue') throw error;
    isComplete = false;
  }
  return { rows, unreadable, isComplete };
}

/** Returns whether an error means that the service does not show a payment, although it may exist. */
function isHidden(error: unknown): boolean {
  const isMalformedId = error instanceof ValidationError && error.outcome === 'not_sent';
  return error instanceof NotFoundError || error instanceof PermissionError || isMalformedId;
}

const epochTime = /^[1-9]\d{9}(\.\d+|(\d{3}){1,3})?$/;

/** Parses an ISO 8601 time, or a Unix time in seconds to nanoseconds, into milliseconds. Returns NaN for any other value. */
export function readTime(value: unknown): number {
  const text = String(value);
  if (!epochTime.test(text)) return parseTimestamp(text);
  return Number(text.replace('.', '').slice(0, 13).padEnd(13, '0'));
}

/** Formats a time in milliseconds, at most the latest one of a `Date`, as ISO 8601 in UTC. */
export function writeTime(milliseconds: number): string {
  return new Date(Math.min(milliseconds, 8.64e15)).toISOString();
}
