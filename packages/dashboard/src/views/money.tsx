import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { formatAmount, formatMoney, formatTime } from '../format.ts';
import { toHref } from '../router.ts';
import type { StoreProps } from '../state.ts';
import { type Column, Table } from '../table.tsx';
import type { Rows, WalletRow, WalletView } from '../types.ts';
import { Empty, Panel, useApi } from '../ui.tsx';

const columns: readonly Column<WalletRow>[] = [
  {
    title: 'Amount',
    width: 110,
    isNumber: true,
    render: ({ amount, currency }) => (
      <span class={amount.startsWith('-') ? '' : 'good'}>{formatAmount(amount, currency, true)}</span>
    ),
  },
  { title: 'Type', width: 76, grow: 0.1, render: ({ type }) => type },
  {
    title: 'Balance',
    width: 110,
    isNumber: true,
    render: (row) => formatAmount(row.balance_after, row.currency),
  },
  { title: 'Time', width: 160, render: ({ at }) => formatTime(at) },
  {
    title: 'Payment',
    width: 240,
    grow: 1,
    render: ({ payment_id: id }) => id !== null && <a href={toHref('payments', id)}>{id}</a>,
  },
];

/** The wallets of an account and mode, and their history. */
export function MoneyView({ store }: ViewProps): JSX.Element {
  const scope = store.scope.value;
  const selected = useSignal<string | undefined>(undefined);
  const { body, error } = useApi<{ readonly wallets: readonly WalletView[] }>(store, '/wallets', scope);
  const wallets = body?.wallets ?? [];
  const currency = wallets.find((each) => each.currency === selected.value)?.currency ?? wallets[0]?.currency;
  if (currency === undefined)
    return <Empty>{error ?? (body && 'No wallet in this mode. Controls adds money.')}</Empty>;
  return (
    <div class="stack">
      <div class="wallets" role="group" aria-label="Wallets">
        {wallets.map((wallet) => (
          <button
            key={wallet.currency}
            class="card"
            aria-pressed={wallet.currency === currency}
            onClick={() => (selected.value = wallet.currency)}
          >
            <b>{formatMoney(wallet.balance, wallet.currency)}</b>
            <Hold wallet={wallet} />
          </button>
        ))}
      </div>
      <History store={store} currency={currency} />
    </div>
  );
}

/** The part of a balance that payments reserve, and the rest. */
function Hold({ wallet: { available, reserved, currency } }: { readonly wallet: WalletView }): JSX.Element {
  if (Number(reserved) === 0) return <span class="muted">nothing on hold</span>;
  return (
    <>
      <span>{formatMoney(available, currency)} available</span>
      <span class="muted">{formatMoney(reserved, currency)} on hold</span>
    </>
  );
}

function History({ store, currency }: StoreProps & { readonly currency: string }): JSX.Element {
  const query = { ...store.scope.value, currency, limit: 1_000 };
  const rows = useApi<Rows<WalletRow>>(store, '/wallets/history', query).body?.rows ?? [];
  return (
    <Panel title={`${currency} wallet`}>
      <Table
        label={`Transactions of the ${currency} wallet`}
        columns={columns}
        rows={rows}
        href={({ payment_id: id }) => (id === null ? undefined : toHref('payments', id))}
      />
    </Panel>
  );
}
