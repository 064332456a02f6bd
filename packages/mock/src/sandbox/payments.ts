import { type Payment, toWirePayment } from '../domain/payment.ts';
import type { Move } from '../domain/plan.ts';
import { defaultProfile } from '../domain/profile.ts';
import { moveOnward } from '../domain/transition.ts';
import { toJson } from '../domain/wire.ts';
import type { Payment as WirePayment } from '@service/contract';
import { SandboxError } from '../world/sandbox-error.ts';
import { movePayment, type World } from '../world/world.ts';
import { findPayment, type PaymentRef } from './locate.ts';

/** Moves payments by hand; each move cancels the one that was due by itself and answers with the payment after it. */
export interface PaymentControl {
  /** Moves a payment one step: pending to processing, processing to completed. */
  readonly advance: (payment: PaymentRef) => WirePayment;
  /**
   * Completes a payment; from pending it walks through processing, with both events. One that its wallet can no longer bear,
   * where the profile debits late, is answered as what it becomes: failed.
   */
  readonly complete: (payment: PaymentRef) => WirePayment;
  /** Fails a payment that is under way, and refunds it as its terms say. */
  readonly fail: (payment: PaymentRef) => WirePayment;
  /** Returns a completed payment: the bank sends it back, it fails and is refunded. */
  readonly return: (payment: PaymentRef) => WirePayment;
}

/** Creates the control of payments; every move throws `SandboxError` when the payment cannot make it. */
export function createPaymentControl(world: World): PaymentControl {
  const find = (ref: PaymentRef): Payment => findPayment(world, ref).payment;
  const make = (ref: PaymentRef, move: Move): Payment => {
    const { books, payment } = findPayment(world, ref);
    const moved = movePayment(world, books, { id: payment.id, move })?.payment;
    if (moved !== undefined) return moved;
    throw new SandboxError('invalid_state', `A payment that is ${payment.status} cannot ${move}.`);
  };
  return {
    advance: (ref) => show(make(ref, moveOnward(find(ref)) ?? 'complete')),
    complete(ref) {
      let payment = make(ref, moveOnward(find(ref)) ?? 'complete');
      for (let move = moveOnward(payment); move !== undefined; move = moveOnward(payment))
        payment = make(ref, move);
      return show(payment);
    },
    fail: (ref) => show(make(ref, 'fail')),
    return: (ref) => show(make(ref, 'return')),
  };
}

function show(payment: Payment): WirePayment {
  return JSON.parse(toJson(toWirePayment(payment, defaultProfile))) as WirePayment;
}
