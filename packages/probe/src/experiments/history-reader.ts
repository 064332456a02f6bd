import { type JsonObject, toRecord } from '@service/internal';
import { readTransactionPage } from '@service/sdk';
import { type ProbeContext, requireData } from '../context.ts';
import { Inconclusive } from '../finding.ts';
import type { RawResponse } from '../raw-client.ts';

/** The evidence for an empty history. */
export const noRows = 'the history has no rows';

/** Maximum number of rows of a page (docs/contract.md#transactions). */
export const MOST_ROWS = 100;

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
