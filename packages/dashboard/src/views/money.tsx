import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { BalanceChart } from '../chart.tsx';
import { formatMoney, formatTime } from '../format.ts';
import { toHref } from '../router.ts';
import { type Column, Table } from '../table.tsx';
import type { LedgerCheck, Rows, WalletRow, WalletView } from '../types.ts';
import { Empty, Panel, useApi } from '../ui.tsx';

const columns: readonly Column<WalletRow>[] = [
  { title: 'Time', width: '11rem', render: ({ at }) => formatTime(at) },
  { title: 'Type', width: '7rem', render: ({ type }) => type },
  {
    title: 'Amount',
    width: '10rem',
    render: ({ amount, currency }) => (
      <span class={amount.startsWith('-') ? 'number debit' : 'number'}>{formatMoney(amount, currency)}</span>
    ),
  },
  {
    title: 'Balance',
    width: '10rem',
    render: (row) => <span class="number">{formatMoney(row.balance_after, row.currency)}</span>,
  },
  {
    title: 'Payment',
    width: 'minmax(9rem, 1fr)',
    render: ({ payment_id }) =>
      payment_id === null ? '' : <a href={toHref('payments', payment_id)}>{payment_id}</a>,
  },
];

const checkTexts: Readonly<Record<LedgerCheck['name'], string>> = {
  balanced: 'All ledger accounts add up to 0 in every currency',
  not_overdrawn: 'No wallet is overdrawn',
  history: 'Each balance is the sum of its transactions',
  reserved: 'The reserved amounts are those of the open payments',
  funded: 'No wallet has less than it reserves',
};

/** The wallets of an account and mode, their history, and the checks of the ledger. */
export function MoneyView({ store }: ViewProps): JSX.Element {
  const scope = store.scope.value;
  const selected = useSignal<string | undefined>(undefined);
  const { body, error } = useApi<{ readonly wallets: readonly WalletView[] }>(store, '/wallets', scope);
  const wallets = body?.wallets ?? [];
  const currency = wallets.find((each) => each.currency === selected.value)?.currency ?? wallets[0]?.currency;
  if (error !== undefined) return <Empty>{error}</Empty>;
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
            <span>{formatMoney(wallet.available, wallet.currency)} available</span>
            <span class="muted">{formatMoney(wallet.reserved, wallet.currency)} on hold</span>
          </button>
        ))}
      </div>
      {currency === undefined ? <NoWallet store={store} /> : <History store={store} currency={currency} />}
      <Checks store={store} />
    </div>
  );
}

function NoWallet({ store }: Pick<ViewProps, 'store'>): JSX.Element {
  return (
    <Empty>
      <h2>No wallet in {store.mode.value} mode</h2>
      {store.report === undefined && <p>Add money with the form under Controls.</p>}
    </Empty>
  );
}

function History({
  store,
  currency,
}: {
  readonly store: ViewProps['store'];
  readonly currency: string;
}): JSX.Element {
  const query = { ...store.scope.value, currency, limit: 1_000 };
  const rows = useApi<Rows<WalletRow>>(store, '/wallets/history', query).body?.rows ?? [];
  return (
    <Panel title={`${currency} wallet`}>
      <BalanceChart rows={rows} currency={currency} />
      <Table
        label={`Transactions of the ${currency} wallet`}
        columns={columns}
        rows={rows}
        selected={undefined}
        href={(row) => toHref(row.payment_id === null ? 'money' : 'payments', row.payment_id ?? undefined)}
      />
    </Panel>
  );
}

function Checks({ store }: Pick<ViewProps, 'store'>): JSX.Element {
  const { body } = useApi<{ readonly checks: readonly LedgerCheck[] }>(
    store,
    '/wallets/checks',
    store.scope.value,
  );
  return (
    <Panel title="Checks of the ledger">
      <ul class="checks">
        {(body?.checks ?? []).map(({ name, isHeld, detail }) => (
          <li key={name} class={isHeld ? 'held' : 'broken'}>
            <span aria-hidden="true">{isHeld ? '✓' : '✗'}</span>
            <span>
              {checkTexts[name]}
              <span class="muted">{isHeld ? detail : `contradiction: ${detail}`}</span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
