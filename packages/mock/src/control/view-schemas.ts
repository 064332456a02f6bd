import { modes, type Currency, type OperationId, operations } from '@service/contract';
import { type Delivery, deliveryStates } from '../domain/delivery.ts';
import { faultKinds } from '../domain/fault.ts';
import { transitions } from '../domain/status.ts';
import { event, status } from './fields.ts';
import type { Changes, DeliverySummary, Overview, RequestSummary } from './changes.ts';
import { type LedgerCheck, ledgerCheckNames } from './ledger-checks.ts';
import { clockMode } from './operations/clock.ts';
import { entryView, eventView } from './operations/requests.ts';
import { deliveryFields, deliveryView } from './operations/webhooks.ts';
import { paymentActions, type PaymentDetail, type PaymentSummary } from './payment-view.ts';
import { anyOf, anything, boolean, listOf, nullable, object, oneOf, text, whole } from '../domain/schema.ts';
import type { Value, ValueFields } from '../domain/value.ts';

/** The balance of one currency. Amounts are decimal text. */
export interface WalletView {
  readonly currency: Currency;
  readonly balance: string;
  /** The balance without the amounts that payments reserve. */
  readonly available: string;
  readonly reserved: string;
}

/** A change of a wallet, with the balance after it. */
export interface WalletRow {
  readonly id: string;
  readonly type: string;
  readonly currency: Currency;
  readonly amount: string;
  readonly balance_after: string;
  readonly payment_id: string | null;
  /** Sandbox time, ISO 8601. */
  readonly at: string;
}

/** A page of rows, newest first. */
export interface Rows<Row> {
  readonly rows: readonly Row[];
  /** The number of rows on all pages. */
  readonly total: number;
}

export const wallet: Value<WalletView> = object(
  { currency: text(), balance: text(), available: text(), reserved: text() },
  'Wallet',
);

export const walletRow: Value<WalletRow> = object(
  {
    id: text(),
    type: text(),
    currency: text(),
    amount: text(),
    balance_after: text(),
    payment_id: nullable(text()),
    at: text(),
  },
  'WalletRow',
);

export const ledgerCheck: Value<LedgerCheck> = object(
  { name: oneOf(ledgerCheckNames), isHeld: boolean, detail: text() },
  'LedgerCheck',
);

const paymentFields: ValueFields = {
  id: text(),
  account: text(),
  mode: oneOf(modes),
  status,
  send_amount: text(),
  from_currency: text(),
  receive_amount: text(),
  to_currency: text(),
  beneficiary: text(),
  purpose: nullable(text()),
  created_at: text(),
  updated_at: text(),
  changes: whole(),
  next: nullable(object({ transition: oneOf(transitions), at: text() })),
  actions: listOf(oneOf(paymentActions)),
};

export const paymentDetail: Value<PaymentDetail> = object(
  {
    ...paymentFields,
    payment: anything,
    fee: text(),
    timeline: listOf(object({ status, at: text() })),
    entries: listOf(entryView),
    events: listOf(eventView),
    deliveries: listOf(deliveryView),
  },
  'PaymentDetail',
);

/** A delivery, and the signature of its body with the current secret of the endpoint. */
export interface DeliveryDetail extends Delivery {
  /** Null without an endpoint. */
  readonly signature: string | null;
}

export const deliveryDetail: Value<DeliveryDetail> = object(
  { ...deliveryFields, signature: nullable(text()) },
  'DeliveryDetail',
);

export const requestSummary: Value<RequestSummary> = object(
  {
    id: text(),
    at: text(),
    method: text(),
    path: text(),
    query: text(),
    account: nullable(text()),
    mode: nullable(oneOf(modes)),
    operation: nullable(oneOf(Object.keys(operations) as OperationId[])),
    status: nullable(anyOf(whole(), oneOf(['connection_lost']))),
    fault: nullable(oneOf(faultKinds)),
    payment_id: nullable(text()),
  },
  'RequestSummary',
);

export const deliverySummary: Value<DeliverySummary> = object(
  {
    id: text(),
    account: text(),
    mode: oneOf(modes),
    payment_id: text(),
    event,
    state: oneOf(deliveryStates),
    attempts: whole(),
    next_at: nullable(text()),
  },
  'DeliverySummary',
);

/** The schema of a page of rows. */
export function rowsOf<Row>(row: Value<Row>): Value<Rows<Row>> {
  return object({ rows: listOf(row), total: whole() });
}

/** The schema of a payment as a row. */
export const paymentSummary: Value<PaymentSummary> = object(paymentFields, 'PaymentSummary');

/** The schema of the changes after a cursor. */
export const changes: Value<Changes> = object(
  {
    cursor: text(),
    isReset: boolean,
    hasMore: boolean,
    requests: listOf(requestSummary),
    payments: listOf(paymentSummary),
    deliveries: listOf(deliverySummary),
    overview: object<Overview>({
      clock: clockMode,
      now: nullable(text()),
      accounts: whole(),
      faults: whole(),
      fired: whole(),
    }),
  },
  'Changes',
);
