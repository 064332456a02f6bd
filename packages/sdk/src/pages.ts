/** Goes through pages, or through the rows of all of them. */
export type Pages<Page, Row> = AsyncIterable<Row> & {
  /** Goes through the pages; rows that an earlier page held are left out. */
  readonly pages: () => AsyncIterableIterator<Page>;
};

/** Holds one page of rows with ids. */
type PageOf<Row> = { transactions: Row[]; pagination: { has_more: boolean } };

/**
 * Goes through pages from the first one on, until the service says that there is no more, or a page is empty or only
 * repeats what was seen. Rows that move to the next page while new ones arrive are given once.
 */
export function toPages<Row extends { id: string }, Page extends PageOf<Row>>(
  first: Promise<Page>,
  load: (offset: number) => Promise<Page>,
): Pages<Page, Row> {
  async function* pages(): AsyncGenerator<Page> {
    const seen = new Set<string>();
    for (let offset = 0; ; offset += 1) {
      const page = await (offset === 0 ? first : load(offset));
      const transactions = page.transactions.filter(({ id }) => !seen.has(id) && seen.add(id));
      if (transactions.length === 0 && offset > 0) return;
      yield { ...page, transactions };
      if (transactions.length === 0 || !page.pagination.has_more) return;
    }
  }
  async function* rows(): AsyncGenerator<Row> {
    for await (const page of pages()) yield* page.transactions;
  }
  return { pages, [Symbol.asyncIterator]: rows };
}
