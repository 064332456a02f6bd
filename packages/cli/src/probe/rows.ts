import { type Fields, toRecord } from '../json.ts';
import { type Bench, demand } from './bench.ts';
import type { Sighting } from './wire.ts';

/** Says why an empty history shows nothing. */
export const noRows = 'the history has no rows';

/** Collects the rows of a page, whatever its shape; undefined when there is no list of them. */
export function readRows({ body, data }: Sighting): readonly Fields[] | undefined {
  const list = [toRecord(body).data, data.transactions, data.data].find(Array.isArray);
  return list?.map(toRecord);
}

/** Asks for a page that the service must give. Throws Inconclusive when it does not. */
export async function readPage({ ask }: Bench, query: string): Promise<Sighting> {
  const sighting = await ask(`/transactions?${query}`);
  demand(sighting, `GET /transactions?${query}`);
  return sighting;
}
