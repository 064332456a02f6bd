import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { formatMoney, formatTime, toWords } from '../format.ts';
import { toHref } from '../router.ts';
import { type Column, Table } from '../table.tsx';
import type { PaymentSummary } from '../types.ts';
import { Empty, Filters, Status } from '../ui.tsx';
import { PaymentDetailView } from './payment.tsx';

const columns: readonly Column<PaymentSummary>[] = [
  { title: 'Created', width: '11rem', render: ({ created_at }) => formatTime(created_at) },
  { title: 'Status', width: '7.5rem', render: ({ status }) => <Status value={status} /> },
  {
    title: 'Send',
    width: '9.5rem',
    render: (row) => <span class="number">{formatMoney(row.send_amount, row.from_currency)}</span>,
  },
  {
    title: 'Receive',
    width: '9.5rem',
    render: (row) => <span class="number">{formatMoney(row.receive_amount, row.to_currency)}</span>,
  },
  { title: 'Beneficiary', width: 'minmax(8rem, 1fr)', render: ({ beneficiary }) => beneficiary },
  { title: 'Purpose', width: 'minmax(6rem, 1fr)', render: ({ purpose }) => purpose ?? '' },
];

/** The payments of an account and mode, as a table or in lanes, and one of them in detail. */
export function PaymentsView({ store, id }: ViewProps): JSX.Element {
  const isLanes = useSignal(false);
  const text = useSignal('');
  const rows = useComputed(() => {
    const searched = text.value.trim().toLowerCase();
    if (searched === '') return store.payments.value;
    return store.payments.value.filter(({ id: each, status, beneficiary, purpose }) =>
      `${each} ${status} ${beneficiary} ${purpose}`.toLowerCase().includes(searched),
    );
  });
  if (store.payments.value.length === 0 && id === undefined) return <NoPayments store={store} />;
  return (
    <div class={id === undefined ? 'split' : 'split open'}>
      <div class="list">
        <Filters text={text} placeholder="id, status, beneficiary or purpose" count={rows.value.length}>
          <label class="check">
            <input
              type="checkbox"
              checked={isLanes}
              onChange={(event) => (isLanes.value = event.currentTarget.checked)}
            />
            Lanes by status
          </label>
        </Filters>
        {isLanes.value ? (
          <Lanes rows={rows.value} />
        ) : (
          <Table
            label="Payments"
            columns={columns}
            rows={rows.value}
            selected={id}
            href={(payment) => toHref('payments', payment.id)}
          />
        )}
      </div>
      {id !== undefined && <PaymentDetailView store={store} id={id} />}
    </div>
  );
}

const lanes = ['pending', 'processing', 'under_review', 'completed', 'failed'] as const;
const MAX_CARDS = 50;

/** One column for each status, newest payments first. */
function Lanes({ rows }: { readonly rows: readonly PaymentSummary[] }): JSX.Element {
  const used = lanes.map((status) => ({ status, cards: rows.filter((row) => row.status === status) }));
  const shown = used.filter(({ status, cards }) => status !== 'under_review' || cards.length > 0);
  return (
    <div class="lanes">
      {shown.map(({ status, cards }) => (
        <section key={status} aria-label={toWords(status)}>
          <h2>
            {toWords(status)} <span class="count">{cards.length}</span>
          </h2>
          {cards.slice(0, MAX_CARDS).map((payment) => (
            <a key={payment.id} class="card" href={toHref('payments', payment.id)}>
              <b>{formatMoney(payment.send_amount, payment.from_currency)}</b>
              <span>{payment.beneficiary}</span>
              {payment.next !== null && (
                <span class="muted">
                  {payment.next.transition} at {formatTime(payment.next.at).slice(11)}
                </span>
              )}
            </a>
          ))}
          {cards.length > MAX_CARDS && <p class="muted">{cards.length - MAX_CARDS} more: use the table.</p>}
        </section>
      ))}
    </div>
  );
}

function NoPayments({ store }: Pick<ViewProps, 'store'>): JSX.Element {
  return (
    <Empty>
      <h2>No payment in {store.mode.value} mode</h2>
      {store.report === undefined && (
        <p>
          Create one with the key of this account and mode. <a href={toHref('requests')}>Requests</a> shows a
          command to paste.
        </p>
      )}
    </Empty>
  );
}
