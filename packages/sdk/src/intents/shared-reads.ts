import type { ReadPage } from '../transactions/transactions.ts';
import type { PaymentAccess } from '../resources/payment-access.ts';
import { createOffsetEstimate, type OffsetEstimate } from '../reconcile/time-window.ts';
import type { CallResult } from '../transport/response.ts';
import type { Payment } from '../values/models.ts';

type Search = PaymentAccess['search'];

/** The stop of shared reads, and the payments that were retrieved before. */
interface SharedReadOptions {
  readonly signal: AbortSignal;
  /** The retrieved payments, by id. New ones are added. */
  readonly payments: Map<string, Payment>;
  readonly onPage: (() => void) | undefined;
}

/**
 * Creates reads of an account that request each page of transactions and each payment once, for many searches
 * one after the other.
 */
export function createSharedReads(search: Search, options: SharedReadOptions): Search {
  const offset = createOffsetEstimate(search.clock);
  return {
    ...search,
    readAt: search.clock.date(),
    // The searches see stored responses, whose times are known here only.
    offset: { narrow: () => {}, get: offset.get },
    retrieve: shareRetrieve(search, offset, options),
    walk: shareWalk(search, offset, options),
  };
}

function shareRetrieve(
  search: Search,
  offset: OffsetEstimate,
  { payments }: SharedReadOptions,
): Search['retrieve'] {
  const calls = new Map<string, Promise<CallResult<Payment>>>();
  const retrieve: Search['retrieve'] = async (id, options) => {
    const sentAt = search.clock.date();
    const result = await search.retrieve(id, options);
    offset.narrow(result.response.headers, sentAt);
    payments.set(id, result.data);
    return result;
  };
  return (id, options) => {
    const payment = payments.get(id);
    if (payment) return Promise.resolve(toResult(payment));
    const call = calls.get(id) ?? retrieve(id, options);
    calls.set(id, call);
    return call;
  };
}

function shareWalk(
  { walk, clock }: Search,
  offset: OffsetEstimate,
  { signal, onPage }: SharedReadOptions,
): Search['walk'] {
  const pages: ReadPage[] = [];
  let end: { readonly error?: unknown } | undefined;
  let source: AsyncIterator<ReadPage> | undefined;
  /** Returns a page, or undefined after the last one. Each search gets the error that ended the pages. */
  const load = async (index: number): Promise<ReadPage | undefined> => {
    if (index < pages.length) return pages[index];
    if (end && 'error' in end) throw end.error;
    if (end) return undefined;
    const sentAt = clock.date();
    source ??= walk({ signal })[Symbol.asyncIterator]();
    const step = await source.next().catch((error: unknown) => {
      end = { error };
      throw error;
    });
    if (step.done) {
      end = {};
      return undefined;
    }
    offset.narrow(step.value.received.response.headers, sentAt);
    pages.push(step.value);
    onPage?.();
    return step.value;
  };
  return async function* () {
    let index = 0;
    for (let page = await load(index); page; page = await load((index += 1))) yield page;
  };
}

function toResult(data: Payment): CallResult<Payment> {
  return { data, response: new Response(), requestId: undefined, mode: undefined, attempts: 0, warnings: [] };
}
