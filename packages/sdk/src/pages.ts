import { UnreadableResponseError } from './errors/answer-errors.ts';
import type { Transaction, TransactionPage } from './models.ts';

/** Goes through pages, or through the rows of all of them. */
export type Pages<Page, Row> = AsyncIterable<Row> & {
  /** Goes through the pages; rows that an earlier page held are left out, and so are pages that hold no others. */
  readonly pages: () => AsyncIterableIterator<Page>;
};

/**
 * Goes through pages from the first one on, for as long as the service says that there is more. Rows that move to a later
 * page while new ones arrive are given once.
 *
 * @throws UnreadableResponseError where the service promises more and does not give it, so that nothing is missed in
 * silence: at an empty page, or when more pages in a row brought nothing new than brought anything before. New rows can
 * push what was seen on by no more pages than that, unless they keep coming as fast as they are read.
 */
export function toPages(
  first: Promise<TransactionPage>,
  load: (offset: number) => Promise<TransactionPage>,
): Pages<TransactionPage, Transaction> {
  async function* pages(): AsyncGenerator<TransactionPage> {
    const seen = new Set<string>();
    let fresh = 0;
    let stale = 0;
    for (let offset = 0; ; offset += 1) {
      const page = await (offset === 0 ? first : load(offset));
      const transactions = page.transactions.filter(({ id }) => !seen.has(id) && seen.add(id));
      if (transactions.length > 0) [fresh, stale] = [fresh + 1, 0];
      else stale += 1;
      if (transactions.length > 0 || offset === 0) yield { ...page, transactions };
      if (!page.pagination.has_more) return;
      if (page.transactions.length === 0 || stale > fresh) throw toUnended(offset + 1);
    }
  }
  async function* rows(): AsyncGenerator<Transaction> {
    for await (const page of pages()) yield* page.transactions;
  }
  return { pages, [Symbol.asyncIterator]: rows };
}

function toUnended(attempts: number): UnreadableResponseError {
  return new UnreadableResponseError(
    'The list did not end: the service says that there is more, and its pages bring nothing new. Rows may be missing.',
    { attempts, outcome: 'unknown' },
  );
}
