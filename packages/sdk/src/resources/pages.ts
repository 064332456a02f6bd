import type { Transaction, TransactionPage } from '../values/models.ts';

/** Goes through pages, or through the rows of all of them. */
export type Pages<Page, Row> = AsyncIterable<Row> & {
  /** Goes through the pages; rows that an earlier page held are left out, and so are pages that hold no others. */
  readonly pages: () => AsyncIterableIterator<Page>;
};

/** Says how to ask for a page: by its number, by a cursor, by whatever the address of the next page said. */
export type PageQuery = Readonly<Record<string, string | number>>;

/** Holds a page with how the next one is asked for; undefined at the end. */
export type LoadedPage = {
  readonly page: TransactionPage;
  readonly next: PageQuery | undefined;
  /** Whether the service says that there is a next page, and does not merely fail to say that there is none. */
  readonly promised: boolean;
};

type Walk = {
  readonly first: () => Promise<LoadedPage>;
  readonly next: (query: PageQuery) => Promise<LoadedPage>;
  /** Is called where a walk ends of which the service promised more. */
  readonly cutShort: () => void;
};

/**
 * Goes through pages from the first one on, until the service says that there are no more, or gives an empty page, or
 * repeats itself. Rows that move to a later page while new ones arrive are given once. A page that only repeats what was seen
 * can be followed by a new one, as new rows push the old ones on: the walk goes on until more pages in a row brought nothing
 * than brought something before.
 */
export function toPages(walk: Walk): Pages<TransactionPage, Transaction> {
  async function* pages(): AsyncGenerator<TransactionPage> {
    const seen = new Set<string>();
    let fresh = 0;
    let stale = 0;
    let told = false;
    for (let loaded = await walk.first(); ;) {
      const { page, next, promised } = loaded;
      const transactions = page.transactions.filter(({ id }) => !seen.has(id) && seen.add(id));
      if (transactions.length > 0) [fresh, stale] = [fresh + 1, 0];
      else stale += 1;
      if (transactions.length > 0 || fresh + stale === 1) yield { ...page, transactions };
      // Who has said that there is more says by silence that there is not.
      if (next === undefined || (told && !promised)) return;
      told = promised;
      if (page.transactions.length === 0 || stale > fresh) {
        if (promised) walk.cutShort();
        return;
      }
      loaded = await walk.next(next);
    }
  }
  async function* rows(): AsyncGenerator<Transaction> {
    for await (const page of pages()) yield* page.transactions;
  }
  return { pages, [Symbol.asyncIterator]: rows };
}
