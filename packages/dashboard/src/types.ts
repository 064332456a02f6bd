export type { EntryView, RequestView } from '../../mock/src/control/operations/requests.ts';
export type { FaultView } from '../../mock/src/control/operations/faults.ts';
export type { AccountSummary, AccountView } from '../../mock/src/control/operations/accounts.ts';
export type { Overview, Rows, WalletRow, WalletView } from '../../mock/src/control/operations/views.ts';
export type { PaymentDetail, PaymentSummary } from '../../mock/src/control/operations/payments.ts';
export type { Attempt, Delivery } from '../../mock/src/domain/delivery.ts';

/** The two modes of the service. */
export type Mode = 'test' | 'live';
