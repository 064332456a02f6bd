import type { ReadPage } from '../resources/pages.ts';
import type { PaymentAccess } from '../resources/payment-access.ts';
import { createOffsetEstimate } from '../resources/time-window.ts';
import type { CallResult } from '../transport/response.ts';
import type { Payment } from '../values/models.ts';

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
export function createSharedReads(
  search: PaymentAccess['search'],
  { signal, payments, onPage }: SharedReadOptions,
): PaymentAccess['search'] {
  const { clock } = search;
  const offset = createOffsetEstimate(clock);
  const pages: ReadPage[] = [];
  let isCutShort = false;
  let isDone = false;
  let source: AsyncIterator<ReadPage> | undefined;
  /** Returns a page, or undefined after the last one. */
  const load = async (index: number): Promise<ReadPage | undefined> => {
    if (index < pages.length || isDone) return pages[index];
    const sentAt = clock.date();
    source ??= search.walk({ signal }, () => (isCutShort = true))[Symbol.asyncIterator]();
    const step = await source.next();
    isDone = step.done === true;
    if (step.done) return undefined;
    offset.narrow(step.value.headers, sentAt);
    pages.push(step.value);
    onPage?.();
    return step.value;
  };
  const retrieved = new Map<string, Promise<CallResult<Payment>>>();
  const retrieve: PaymentAccess['search']['retrieve'] = (id, options) => {
    const known = retrieved.get(id);
    if (known) return known;
    const sentAt = clock.date();
    const call = search.retrieve(id, options);
    retrieved.set(id, call);
    call.then(
      ({ data, response }) => {
        offset.narrow(response.headers, sentAt);
        payments.set(id, data);
      },
      () => {},
    );
    return call;
  };
  return {
    ...search,
    // The searches see stored responses, whose times are known here only.
    offset: { narrow: () => {}, get: offset.get },
    retrieve: (id, options) => {
      const payment = payments.get(id);
      return payment ? Promise.resolve(toResult(payment)) : retrieve(id, options);
    },
    walk: async function* (_, onEnd) {
      for (let index = 0; ; index += 1) {
        const page = await load(index);
        if (page === undefined) break;
        yield page;
      }
      if (isCutShort) onEnd();
    },
  };
}

function toResult(data: Payment): CallResult<Payment> {
  return { data, response: new Response(), requestId: undefined, mode: undefined, attempts: 0, warnings: [] };
}
