import type { Change } from './change.ts';
import { recordEvent } from './event.ts';
import { bookCompletion, bookRefund, bookReturn, type Entry } from './ledger.ts';
import type { Payment } from './payment.ts';
import { type Move, planNext, readMagic } from './plan.ts';
import type { Instant } from './wire.ts';
import type { PaymentStatus } from '@service/contract';

interface Transition {
  readonly from: PaymentStatus;
  readonly move: Move;
  readonly to: PaymentStatus;
  readonly book: (payment: Payment, at: Instant) => readonly Entry[];
}

/** Lists every transition there is, with what the ledger books for it (contract.md 3). */
const transitions: readonly Transition[] = [
  { from: 'pending', move: 'process', to: 'processing', book: () => [] },
  { from: 'pending', move: 'fail', to: 'failed', book: (payment, at) => [bookRefund(payment, at)] },
  {
    from: 'processing',
    move: 'complete',
    to: 'completed',
    book: (payment, at) => [bookCompletion(payment, at)],
  },
  { from: 'processing', move: 'fail', to: 'failed', book: (payment, at) => [bookRefund(payment, at)] },
  { from: 'completed', move: 'return', to: 'failed', book: (payment, at) => [bookReturn(payment, at)] },
];

/** Decides on a move of a payment at `at`; undefined when a payment in its status cannot make it. */
export function decideMove(payment: Payment, move: Move, at: Instant): Change | undefined {
  const transition = transitions.find((row) => row.from === payment.status && row.move === move);
  if (transition === undefined) return undefined;
  const magic = readMagic(payment.mode, payment.beneficiary.account);
  const moved = { ...payment, status: transition.to, next: planNext(magic, transition.to, at) };
  return { payment: moved, entries: transition.book(payment, at), events: [recordEvent(moved, at)] };
}
