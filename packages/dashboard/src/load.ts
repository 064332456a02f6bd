import { batch } from '@preact/signals';
import { callApi, type Query } from './api.ts';
import { applyChanges, MAX_ROWS, type State } from './state.ts';
import type { AccountSummary, DeliverySummary, PaymentSummary, RequestSummary, Rows } from './types.ts';

const PAGE = 1_000;
/** Maximum time with missing rows while the sandbox stays busy, in milliseconds. */
const MAX_BEHIND = 10_000;
/** Time before a lost connection is tried again, in milliseconds. */
export const RETRY_DELAY = 1_000;

/** Creates the function that reads everything again. Keeps the changes that arrive in the meantime. */
export function createLoader(store: State): () => Promise<void> {
  let latest = 0;
  return async () => {
    const turn = (latest += 1);
    const before = [store.requests.value, store.payments.value, store.deliveries.value].map(
      (rows) => new Set<object>(rows),
    );
    const pickNew = <Row extends object>(rows: readonly Row[], index: number): Row[] =>
      rows.filter((row) => !before[index]?.has(row)).toReversed();
    const { accounts } = await callApi<{ readonly accounts: readonly AccountSummary[] }>('GET', '/accounts');
    const known = accounts.find(({ id }) => id === store.account.value) ?? accounts[0];
    if (known === undefined) return;
    const query = { account: known.id, mode: store.mode.value };
    const [requests, payments, deliveries] = await Promise.all([
      readRows<RequestSummary>('/requests/summaries', {}),
      readRows<PaymentSummary>('/payments', query),
      readRows<DeliverySummary>('/webhooks/summaries', query),
    ]);
    // A later load has the account and mode that the reader has selected since.
    if (turn !== latest) return;
    batch(() => {
      store.accounts.value = accounts;
      store.account.value = known.id;
      const newer = {
        requests: pickNew(store.requests.value, 0),
        payments: pickNew(store.payments.value, 1),
        deliveries: pickNew(store.deliveries.value, 2),
      };
      store.requests.value = requests;
      store.payments.value = payments;
      store.deliveries.value = deliveries;
      applyChanges(store, newer);
    });
  };
}

/** Reads the newest rows of a list. New rows that arrive between two pages shift the second one, so that it repeats rows. */
async function readRows<Row extends { readonly id: string }>(path: string, query: Query): Promise<Row[]> {
  const rows = new Map<string, Row>();
  let offset = 0;
  let page: readonly Row[];
  do {
    ({ rows: page } = await callApi<Rows<Row>>('GET', path, { query: { ...query, limit: PAGE, offset } }));
    for (const row of page) rows.set(row.id, row);
    offset += PAGE;
  } while (page.length === PAGE && offset < MAX_ROWS);
  return [...rows.values()];
}

/** Reads everything again after a delay. A call before that delays it again, up to a limit. */
export type Refresh = (delay: number) => void;

/** Creates the function that reads everything again, also if the connection is lost meanwhile. */
export function createRefresh({ isBehind }: State, load: () => Promise<void>): Refresh {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let behindSince: number | undefined;
  const run = async (): Promise<void> => {
    behindSince = undefined;
    try {
      await load();
      isBehind.value = behindSince !== undefined;
    } catch {
      refresh(RETRY_DELAY);
    }
  };
  const refresh: Refresh = (delay) => {
    const now = performance.now();
    behindSince ??= now;
    clearTimeout(timer);
    timer = setTimeout(() => void run(), Math.max(0, Math.min(delay, behindSince + MAX_BEHIND - now)));
  };
  return refresh;
}
