import { type JsonObject, toRecord } from '@service/internal';
import { readTransactionPage, type TransactionPageReading, type UnreadablePage } from '@service/sdk';
import type { RawResponse } from './client.ts';

/** A page of the history as read by the SDK, with all rows as received. */
export type HistoryPage = TransactionPageReading & { readonly raw: readonly JsonObject[] };

/** Reads a page of the history. Returns the problem if no array of the page contains the rows. */
export function readHistory({ text, headers }: RawResponse): HistoryPage | UnreadablePage {
  const reading = readTransactionPage({ text, headers, mode: 'test', page: 1 });
  if ('problem' in reading) return reading;
  return { ...reading, raw: [...reading.rows, ...reading.unreadable].map(({ raw }) => toRecord(raw)) };
}

/** Returns the rows of a page as received; undefined if it is no readable page. */
export function rowsOf(response: RawResponse): readonly JsonObject[] | undefined {
  const page = response.accepted ? readHistory(response) : { problem: '' };
  return 'problem' in page ? undefined : page.raw;
}
