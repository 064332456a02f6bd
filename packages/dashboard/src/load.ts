import { batch } from '@preact/signals';
import { callApi, type Query } from './api.ts';
import { MAX_ROWS, type State } from './state.ts';
import type { AccountSummary, DeliverySummary, PaymentSummary, RequestSummary, Rows } from './types.ts';

const PAGE = 1_000;

/** Reads everything again. Changes nothing if another account or mode was selected in the meantime. */
export async function load(store: State): Promise<void> {
  const scope = store.scope.value;
  const accounts = await readAccounts();
  const known = accounts.find(({ id }) => id === scope.account) ?? accounts[0];
  if (known === undefined) return;
  const query = { account: known.id, mode: scope.mode };
  const [requests, payments, deliveries] = await Promise.all([
    readRows<RequestSummary>('/requests/summaries', {}),
    readRows<PaymentSummary>('/payments', query),
    readRows<DeliverySummary>('/webhooks/summaries', query),
  ]);
  if (store.scope.value !== scope) return;
  batch(() => {
    store.accounts.value = accounts;
    store.account.value = known.id;
    store.requests.value = requests;
    store.payments.value = payments;
    store.deliveries.value = deliveries;
    store.version.value += 1;
  });
}

/** Reads all accounts, oldest first. */
export async function readAccounts(): Promise<readonly AccountSummary[]> {
  const { accounts } = await callApi<{ readonly accounts: readonly AccountSummary[] }>('GET', '/accounts');
  return accounts;
}

/** Reads the newest rows of a list. New rows that arrive between two pages shift the second one, so that it repeats rows. */
async function readRows<Row extends { readonly id: string }>(path: string, query: Query): Promise<Row[]> {
  const rows = new Map<string, Row>();
  for (let offset = 0; offset < MAX_ROWS; offset += PAGE) {
    const { rows: page } = await callApi<Rows<Row>>('GET', path, {
      query: { ...query, limit: PAGE, offset },
    });
    for (const row of page) rows.set(row.id, row);
    if (page.length < PAGE) break;
  }
  return [...rows.values()];
}
