import { type Payment, toWirePayment } from '../domain/payment.ts';
import type { Transition } from '../domain/plan.ts';
import { defaultProfile } from '../domain/profile.ts';
import { nextTransition } from '../domain/decision.ts';
import { toJson } from '../domain/json.ts';
import type { Payment as WirePayment } from '@service/contract';
import { SandboxError } from '../state/sandbox-error.ts';
import { transitionPayment, type State } from '../state/state.ts';
import { findPayment, type PaymentRef } from './locate.ts';

/**
 * Manual payment transitions. Each one cancels the next automatic transition and returns the changed payment.
 */
export interface PaymentControl {
  /** Runs the next transition: pending to processing, or processing to completed. */
  readonly advance: (payment: PaymentRef) => WirePayment;
  /**
   * Completes a payment. From pending it also runs the transition to processing, with both events. If the
   * profile debits late and the balance is too low, the payment fails instead.
   */
  readonly complete: (payment: PaymentRef) => WirePayment;
  /** Fails a pending or processing payment and refunds it according to its terms. */
  readonly fail: (payment: PaymentRef) => WirePayment;
  /** Returns a completed payment: the bank sends it back, it fails and is refunded. */
  readonly return: (payment: PaymentRef) => WirePayment;
}

/**
 * Creates the payment control of a sandbox. Every transition throws `SandboxError` if the status does not
 * allow it.
 */
export function createPaymentControl(state: State): PaymentControl {
  const find = (ref: PaymentRef): Payment => findPayment(state, ref).payment;
  const runTransition = (ref: PaymentRef, transition: Transition): Payment => {
    const { accountState, payment } = findPayment(state, ref);
    const changed = transitionPayment(state, accountState, { id: payment.id, transition });
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
