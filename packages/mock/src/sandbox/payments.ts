import { type Payment, toWirePayment } from '../domain/payment.ts';
import type { Move } from '../domain/plan.ts';
import { defaultProfile } from '../domain/profile.ts';
import { moveOnward } from '../domain/transition.ts';
import { toJson } from '../domain/wire.ts';
import type { Payment as WirePayment } from '@service/contract';
import { SandboxError } from '../world/sandbox-error.ts';
import { movePayment, type World } from '../world/world.ts';
import { findBooksOfPayment } from './locate.ts';

/** Moves payments by hand; each move cancels the one that was due by itself and answers with the payment after it. */
export interface PaymentControl {
  /** Moves a payment one step: pending to processing, processing to completed. */
  readonly advance: (id: string) => WirePayment;
  /** Completes a payment; from pending it walks through processing, with both events. */
  readonly complete: (id: string) => WirePayment;
  /** Fails a pending or processing payment and refunds it in full. */
  readonly fail: (id: string) => WirePayment;
  /** Returns a completed payment: the bank sends it back, it fails and is refunded. */
  readonly return: (id: string) => WirePayment;
}

/** Creates the control of payments; every move throws `SandboxError` when the payment cannot make it. */
export function createPaymentControl(world: World): PaymentControl {
  const make = (id: string, move: Move): WirePayment => {
    const moved = movePayment(world, findBooksOfPayment(world, id), { id, move })?.payment;
    if (moved === undefined) {
      const message = `A payment that is ${find(world, id).status} cannot ${move}.`;
      throw new SandboxError('invalid_state', message);
    }
    return JSON.parse(toJson(toWirePayment(moved, defaultProfile))) as WirePayment;
  };
  return {
    advance: (id) => make(id, moveOnward(find(world, id)) ?? 'complete'),
    complete(id) {
      let move = moveOnward(find(world, id));
      for (; move !== undefined && move !== 'complete'; move = moveOnward(find(world, id))) make(id, move);
      return make(id, 'complete');
    },
    fail: (id) => make(id, 'fail'),
    return: (id) => make(id, 'return'),
  };
}

function find(world: World, id: string): Payment {
  const payment = findBooksOfPayment(world, id).payments.get(id);
  if (payment === undefined)
    throw new SandboxError('not_found', `There is no payment ${JSON.stringify(id)}.`);
  return payment;
}
