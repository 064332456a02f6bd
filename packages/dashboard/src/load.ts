import { batch } from '@preact/signals';
import { callApi, type Query, readMessage } from './api.ts';
import type { State } from './state.ts';
import type { AccountSummary, Delivery, PaymentSummary, RequestView, Rows } from './types.ts';

/** Maximum number of rows of a list, the newest ones. */
const MAX_ROWS = 1_000;

/** A logged request as a row of a table. */
export type RequestRow = Pick<
  RequestView,
  'id' | 'at' | 'method' | 'path' | 'query' | 'account' | 'mode' | 'operation'
> & {
  readonly status: number | 'connection_lost' | null;
  readonly fault: string | null;
  /** Why the service refused the request; empty if it did not. */
  readonly reason: string;
};

function toRow(request: RequestView): RequestRow {
  const { id, at, method, path, query, account, mode, operation, response, fault } = request;
  const [status, body] =
    typeof response === 'object' ? [response?.status ?? null, response?.body] : [response, undefined];
  const reason = typeof status === 'number' && status >= 400 ? readMessage(body ?? '', '') : '';
  return {
    id,
    at,
    method,
    path,
    query,
    account,
    mode,
    operation,
    status,
    fault: fault?.kind ?? null,
    reason,
  };
}

/** Reads everything again. Changes nothing if another account or mode was selected in the meantime. */
export async function load(store: State): Promise<void> {
  const scope = store.scope.value;
  const { accounts } = await callApi<{ readonly accounts: readonly AccountSummary[] }>('GET', '/accounts');
  const known = accounts.find(({ id }) => id === scope.account) ?? accounts[0];
  if (known === undefined) return;
  const query: Query = { account: known.id, mode: scope.mode, limit: MAX_ROWS };
  const [{ requests }, { rows: payments }, { deliveries }] = await Promise.all([
    callApi<{ readonly requests: readonly RequestView[] }>('GET', '/requests', {
      query: { limit: MAX_ROWS },
    }),
    callApi<Rows<PaymentSummary>>('GET', '/payments', { query }),
    callApi<{ readonly deliveries: readonly Delivery[] }>('GET', '/webhooks/deliveries', { query }),
  ]);
  if (store.scope.value !== scope) return;
  batch(() => {
    store.accounts.value = accounts;
    store.account.value = known.id;
    store.requests.value = requests.map(toRow).toReversed();
    store.payments.value = payments;
    store.deliveries.value = deliveries.toReversed();
    store.version.value += 1;
  });
}
