import type { PaymentEvent } from './event.ts';
import type { Entry } from './ledger.ts';
import type { Minor } from './money.ts';
import type { Payment } from './payment.ts';
import type { Terms } from './profile.ts';
import type { Instant } from './timestamp.ts';
import type { Currency, Mode } from '@service/contract';

/** Binds an idempotency key to the payment that a call makes (contract.md 3). */
export interface KeyReservation {
  readonly key: string;
  /** The request body in canonical JSON: what a repetition must equal. */
  readonly fingerprint: string;
  readonly reserved_at: Instant;
  readonly expires_at: Instant;
}

/** Holds all that one decision changes; it is committed as a whole or not at all. */
export interface Change {
  readonly payment?: Payment;
  readonly reservation?: KeyReservation;
  /** A wallet that is listed from now on, whatever it holds. */
  readonly opens?: Currency;
  readonly entries?: readonly Entry[];
  readonly events?: readonly PaymentEvent[];
}

/** Gives a decision just what it may look at. */
export interface View {
  readonly mode: Mode;
  readonly now: Instant;
  /** What a new payment is made under. */
  readonly terms: Terms;
  /** Returns the balance of a wallet, 0 where there is none. */
  readonly balanceOf: (currency: Currency) => Minor;
  /** Returns the balance of a wallet less what payments that are not debited yet will take. */
  readonly availableOf: (currency: Currency) => Minor;
  /** Draws the id of a new payment; it is used up only when the decision is committed. */
  readonly drawPaymentId: () => string;
  /** Returns the place that the next row of the transaction history will take. */
  readonly nextRow: () => number;
}
