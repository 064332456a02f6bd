import { entriesOf } from './bookings.ts';
import type { Change, Slice } from './change.ts';
import { eventsOf } from './event.ts';
import type { Payment } from './payment.ts';
import { type Move, planNext, readMagic } from './plan.ts';
import type { Terms } from './profile.ts';
import { debitOf } from './quote.ts';
import type { Status } from './status.ts';

interface Transition {
  readonly from: Status;
  readonly move: Move;
  readonly to: Status;
  /** Says under which terms there is such a transition; under all when left out. */
  readonly under?: (terms: Terms) => boolean;
}

const walks = ({ transitions }: Terms): boolean => transitions === 'walk';
const skips = ({ transitions }: Terms): boolean => transitions === 'skip';
const isReviewed = ({ unknownStatus }: Terms): boolean => unknownStatus === 'invented';

/** Lists every transition there is (contract.md 3). */
const transitions: readonly Transition[] = [
  { from: 'pending', move: 'process', to: 'processing', under: walks },
  { from: 'pending', move: 'complete', to: 'completed', under: skips },
  { from: 'processing', move: 'review', to: 'under_review', under: isReviewed },
  { from: 'processing', move: 'complete', to: 'completed', under: (terms) => !isReviewed(terms) },
  { from: 'under_review', move: 'complete', to: 'completed' },
  { from: 'pending', move: 'fail', to: 'failed' },
  { from: 'processing', move: 'fail', to: 'failed' },
  { from: 'under_review', move: 'fail', to: 'failed' },
  { from: 'completed', move: 'return', to: 'failed' },
];

/** Returns the move that brings a payment one status further, or undefined where there is none. */
export function moveOnward(payment: Payment): Move | undefined {
  return findTransition(payment, ({ to }) => to !== 'failed')?.move;
}

/**
 * Decides on a move of a payment; undefined when a payment in its status cannot make it. One that its wallet can no longer
 * bear when the debit falls due fails instead.
 */
export function decideMove(payment: Payment, move: Move, slice: Slice): Change | undefined {
  const transition = findTransition(payment, (row) => row.move === move);
  if (transition === undefined) return undefined;
  const moved = take(payment, transition.to, slice);
  const booked = entriesOf(payment).length;
  const isDebited = payment.debit_row === null && entriesOf(moved).length > 0;
  if (isDebited && debitOf(payment, payment.terms) > slice.balanceOf(payment.from_currency)) {
    return decideMove(payment, 'fail', slice);
  }
  return {
    payment: isDebited ? { ...moved, debit_row: slice.nextRow() } : moved,
    entries: entriesOf(moved).slice(booked),
    events: eventsOf(moved).slice(-1),
  };
}

function findTransition(
  { status, terms }: Payment,
  matches: (row: Transition) => boolean,
): Transition | undefined {
  return transitions.find(
    (row) => row.from === status && matches(row) && (row.under === undefined || row.under(terms)),
  );
}

function take(payment: Payment, status: Status, { now }: Slice): Payment {
  const { mode, beneficiary, history, terms } = payment;
  const magic = readMagic(mode, beneficiary.account);
  return {
    ...payment,
    status,
    history: { ...history, [status]: now },
    next: planNext({ magic, terms }, status, now),
  };
}
