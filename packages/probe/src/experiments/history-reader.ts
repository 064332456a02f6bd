import { type JsonObject, toRecord } from '@service/internal';
import { readTransactionPage, type TransactionPageReading, type UnreadablePage } from '@service/sdk';
import { type ProbeContext, requireData } from '../context.ts';
import { Inconclusive } from '../finding.ts';
import type { RawResponse } from '../raw-client.ts';

/** The evidence for an empty history. */
export const noRows = 'the history has no rows';

/** Maximum number of rows of a page (docs/contract.md#transactions). */
export const MOST_ROWS = 100;

/** A page of the history as read by the SDK, with all rows as received. */
export type HistoryPage = TransactionPageReading & { readonly raw: readonly JsonObject[] };

/** Reads a page of the history. Returns the problem if no array of the page contains the rows. */
export function readHistory({ text, headers }: RawResponse): HistoryPage | UnreadablePage {
  const reading = readTransactionPage({ text, headers, mode: 'test', page: 1 });
  if ('problem' in reading) return reading;
  return { ...reading, raw: [...reading.rows, ...reading.unreadable].map(({ raw }) => toRecord(raw)) };
}

/**
 * Returns the rows of a page as received.
 *
 * @throws {Inconclusive} with the keys of a page that cannot be read.
 */
export function demandRows(response: RawResponse): readonly JsonObject[] {
  const page = readHistory(response);
  if ('problem' in page) throw new Inconclusive(`the history cannot be read: ${page.problem}`);
  return page.raw;
}

/**
 * Requests a page.
 *
 * @throws {Inconclusive} when the service responds with an error.
 */
export async function readPage({ send }: ProbeContext, query: string): Promise<RawResponse> {
  const response = await send(`/transactions?${query}`);
  requireData(response, `GET /transactions?${query}`);
  return response;
}
