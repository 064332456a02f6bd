import type { JSX } from 'preact';
import type { ViewProps } from '../app.tsx';
import { formatMoney, formatTime } from '../format.ts';
import { List } from '../list.tsx';
import type { Column } from '../table.tsx';
import type { PaymentSummary } from '../types.ts';
import { Status } from '../ui.tsx';
import { PaymentDetailView } from './payment.tsx';

function toMoneyColumn(
  title: string,
  width: number,
  format: Column<PaymentSummary>['render'],
): Column<PaymentSummary> {
  return { title, width, grow: 0.3, isNumber: true, render: format };
}

const columns: readonly Column<PaymentSummary>[] = [
  toMoneyColumn('Amount', 122, (row) => formatMoney(row.send_amount, row.from_currency)),
  { title: 'Beneficiary', width: 84, grow: 1, render: ({ beneficiary }) => beneficiary },
  { title: 'Status', width: 98, render: ({ status }) => <Status value={status} /> },
  toMoneyColumn('Receives', 120, (row) => formatMoney(row.receive_amount, row.to_currency)),
  { title: 'Purpose', width: 110, grow: 1, render: ({ purpose }) => purpose },
  { title: 'Created', width: 160, render: ({ created_at }) => formatTime(created_at) },
];

/** The payments of an account and mode, and one of them in detail. */
export function PaymentsView({ store, id }: ViewProps): JSX.Element {
  return (
    <List
      view="payments"
      label="Payments"
      columns={columns}
      rows={store.payments.value}
      placeholder="id, status, beneficiary or purpose"
      empty={`No payment in ${store.mode.value} mode. Create one with your client or in Controls.`}
      id={id}
      detail={(payment) => <PaymentDetailView store={store} id={payment} />}
    />
  );
}
