import type { Payment as WirePayment } from '@service/contract';
import { nextTransition } from '../../domain/decision.ts';
import { toJson } from '../../domain/json.ts';
import { type Payment, toWirePayment } from '../../domain/payment.ts';
import { defaultProfile } from '../../domain/profile.ts';
import { statuses, type Transition } from '../../domain/status.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { transitionPayment, type State } from '../../state/state.ts';
import { reference } from '../fields.ts';
import { findPayment, type PaymentRef } from '../locate.ts';
import { defineOperation, type Group, type Operation, type Routes } from '../operation.ts';
import { nullable, number, object, oneOf, text, type Value } from '../../domain/schema.ts';

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

const positive = number('a positive number');

// In the form of the default profile. A profile can add a status.
const wirePayment: Value<WirePayment> = object(
  {
    id: text(),
    status: oneOf(statuses),
    from_currency: text(),
    to_currency: text(),
    send_amount: positive,
    rate: positive,
    receive_amount: positive,
    beneficiary: object({
      name: text(),
      bank: nullable(text()),
      account: nullable(text()),
      country: nullable(text()),
    }),
    purpose: nullable(text()),
    created_at: text(),
  },
  'Payment',
);

/** Operations on payments. */
export const payments: Group<PaymentControl> = {
  advance: defineTransition((state, id) => runTransition(state, id, findNextTransition(state, id))),
  complete: defineTransition((state, id) => {
    let payment = runTransition(state, id, findNextTransition(state, id));
    for (
      let transition = nextTransition(payment);
      transition !== undefined;
      transition = nextTransition(payment)
    )
      payment = runTransition(state, id, transition);
    return payment;
  }),
  fail: defineTransition((state, id) => runTransition(state, id, 'fail')),
  return: defineTransition((state, id) => runTransition(state, id, 'return')),
};

/** Defines a transition, which throws `SandboxError` if the status of the payment does not allow it. */
function defineTransition(
  run: (state: State, id: string) => Payment,
): Operation<(payment: PaymentRef) => WirePayment> {
  return defineOperation({
    input: { payment: reference<PaymentRef>('payment', 'pay_test_…') },
    args: ['payment'],
    run: ({ state }, { payment }) => toPaymentView(run(state, payment)),
  });
}

/** The routes of the operations on payments. */
export const paymentRoutes: Routes<PaymentControl> = {
  advance: routeTransition('advance'),
  complete: routeTransition('complete'),
  fail: routeTransition('fail'),
  return: routeTransition('return'),
};

/* @__NO_SIDE_EFFECTS__ */
function routeTransition(name: string): Routes<PaymentControl>['advance'] {
  return {
    id: `${name}Payment`,
    method: 'POST',
    path: `/payments/{payment}/${name}`,
    output: wirePayment,
  };
}

function findNextTransition(state: State, id: string): Transition {
  return nextTransition(findPayment(state, id).payment) ?? 'complete';
}

function runTransition(state: State, id: string, transition: Transition): Payment {
  const { accountState, payment } = findPayment(state, id);
  const changed = transitionPayment(state, accountState, { id: payment.id, transition });
  if (changed !== undefined) return changed;
  throw new SandboxError('invalid_state', `A payment that is ${payment.status} cannot ${transition}.`);
}

function toPaymentView(payment: Payment): WirePayment {
  return JSON.parse(toJson(toWirePayment(payment, defaultProfile))) as WirePayment;
}
