import { type Payment, toWirePayment } from '../domain/payment.ts';
import type { Transition } from '../domain/plan.ts';
import { defaultProfile } from '../domain/profile.ts';
import { nextTransition } from '../domain/transition-rules.ts';
import { toJson } from '../domain/json.ts';
import type { Payment as WirePayment } from '@service/contract';
import { SandboxError } from '../state/sandbox-error.ts';
import { transitionPayment, type State } from '../state/state.ts';
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
export function createPaymentControl(state: State): PaymentControl {
  const find = (ref: PaymentRef): Payment => findPayment(state, ref).payment;
  const runTransition = (ref: PaymentRef, transition: Transition): Payment => {
    const { accountState, payment } = findPayment(state, ref);
    const changed = transitionPayment(state, accountState, { id: payment.id, transition })?.payment;
    if (changed !== undefined) return changed;
    throw new SandboxError('invalid_state', `A payment that is ${payment.status} cannot ${transition}.`);
  };
  return {
    advance: (ref) => toPaymentView(runTransition(ref, nextTransition(find(ref)) ?? 'complete')),
    complete(ref) {
      let payment = runTransition(ref, nextTransition(find(ref)) ?? 'complete');
      for (
        let transition = nextTransition(payment);
        transition !== undefined;
        transition = nextTransition(payment)
      )
        payment = runTransition(ref, transition);
      return toPaymentView(payment);
    },
    fail: (ref) => toPaymentView(runTransition(ref, 'fail')),
    return: (ref) => toPaymentView(runTransition(ref, 'return')),
  };
}

function toPaymentView(payment: Payment): WirePayment {
  return JSON.parse(toJson(toWirePayment(payment, defaultProfile))) as WirePayment;
}
