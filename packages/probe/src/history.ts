import { type JsonObject, toRecord } from '@service/internal';
import { readTransactionPage } from '@service/sdk/transactions';
import type { RawResponse } from './client.ts';

/** A page of the history as read by the SDK. */
export interface HistoryPage {
  /** The rows as received. */
  readonly raw: readonly JsonObject[];
  /** The path of the array with the rows, such as `data.items`. */
  readonly arrayPath: string;
  /** The query of the next page; undefined on the last one. */
  readonly next: Readonly<Record<string, string | number>> | undefined;
}

/** Reads a page of the history. Returns the problem if no array of the page contains the rows. */
export function readHistory({ text, headers }: RawResponse): HistoryPage | { readonly problem: string } {
  const reading = readTransactionPage({ text, headers, mode: 'test', page: 1 });
  if ('problem' in reading) return reading;
  const { items, path, next } = reading;
  return { raw: items.map(toRecord), arrayPath: path.join('.'), next };
}

/** Returns the rows of a page as received; undefined if it is no readable page. */
export function rowsOf(response: RawResponse): readonly JsonObject[] | undefined {
  const page = response.accepted ? readHistory(response) : { problem: '' };
  return 'problem' in page ? undefined : page.raw;
}
