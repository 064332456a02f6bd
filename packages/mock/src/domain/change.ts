import type { PaymentEvent } from './event.ts';
import type { Entry } from './ledger.ts';
import type { Minor } from './money.ts';
import type { Payment } from './payment.ts';
import type { Terms } from './profile.ts';
import type { Instant } from './timestamp.ts';
import type { Currency, Mode } from '@service/contract';

/** An idempotency key that is reserved for the payment of one request. */
export interface KeyReservation {
  readonly key: string;
  /** The request body in canonical JSON. A repeated request must have the same one. */
  readonly fingerprint: string;
  readonly reserved_at: Instant;
  readonly expires_at: Instant;
}

/** The effects of one decision. They are committed together or not at all. */
export interface Change {
  readonly payment?: Payment;
  readonly reservation?: KeyReservation;
  /** A currency to open a wallet for, if the account has none. */
  readonly opens?: Currency;
  readonly entries?: readonly Entry[];
  readonly events?: readonly PaymentEvent[];
}

/** The part of the state that a decision reads. */
export interface View {
  readonly mode: Mode;
  readonly now: Instant;
  /** The terms of a new payment. */
  readonly terms: Terms;
  /** Returns the balance of a wallet, or 0 without a wallet. */
  readonly balanceOf: (currency: Currency) => Minor;
  /** Returns the balance of a wallet minus the pending debits of payments. */
  readonly availableOf: (currency: Currency) => Minor;
  /** Returns the id of the next payment. It stays the same until a payment with it is committed. */
  readonly drawPaymentId: () => string;
  /** Returns the index of the next row in the transaction history. */
  readonly nextRow: () => number;
}
