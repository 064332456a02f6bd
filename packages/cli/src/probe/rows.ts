import { readTransactionPage, type TransactionPageReading, type UnreadablePage } from '@service/sdk';
import { modeOfKey } from '../config.ts';
import { type Fields, toRecord } from '../json.ts';
import { type Bench, demand } from './bench.ts';
import { Inconclusive } from './finding.ts';
import type { Sighting } from './wire.ts';

/** Says why an empty history shows nothing. */
export const noRows = 'the history has no rows';

/** A page of the history as the SDK reads it, with all its rows as received. */
export type HistoryPage = TransactionPageReading & { readonly raw: readonly Fields[] };

/** Reads a page of the history; returns the reason if no array of it holds the rows. */
export function readHistory({ text, headers }: Sighting, { key }: Bench): HistoryPage | UnreadablePage {
  const reading = readTransactionPage({ text, headers, mode: modeOfKey(key), page: 1 });
  if ('problem' in reading) return reading;
  return { ...reading, raw: [...reading.rows, ...reading.unreadable].map(({ raw }) => toRecord(raw)) };
}

/** Returns the rows of a page as received. Throws Inconclusive with the keys of a page that cannot be read. */
export function demandRows(sighting: Sighting, bench: Bench): readonly Fields[] {
  const page = readHistory(sighting, bench);
  if ('problem' in page) throw new Inconclusive(`the history cannot be read: ${page.problem}`);
  return page.raw;
}

/** Asks for a page that the service must give. Throws Inconclusive when it does not. */
export async function readPage({ ask }: Bench, query: string): Promise<Sighting> {
  const sighting = await ask(`/transactions?${query}`);
  demand(sighting, `GET /transactions?${query}`);
  return sighting;
}
