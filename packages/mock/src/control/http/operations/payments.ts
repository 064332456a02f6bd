import * as z from 'zod/mini';
import { account, fields, text } from '../fields.ts';
import { type ControlOperation, defineOperation } from '../operation.ts';
import { profile, profileChoice } from '../profile-fields.ts';
import { payment } from '../shapes.ts';

const summaries = {
  advance: 'Run the next transition of a payment',
  complete: 'Complete a payment, from pending through processing',
  fail: 'Fail a pending or processing payment and refund it',
  return: 'Return a completed payment: the bank sends it back',
} as const;

const transitions = ['advance', 'complete', 'fail', 'return'] as const;
const input = fields({ payment: text('the id of a payment') });

/** Operations on payments and profiles. */
export const paymentOperations: readonly ControlOperation[] = [
  ...transitions.map((transition) =>
    defineOperation({
      id: `${transition}Payment`,
      method: 'POST',
      path: `/payments/{payment}/${transition}`,
      summary: summaries[transition],
      input,
      output: payment,
      run: (sandbox, { payment: id }) => sandbox.payments[transition](id),
    }),
  ),
  defineOperation({
    id: 'getProfile',
    method: 'GET',
    path: '/profile',
    summary: 'Get the profile of an account, or of new accounts',
    input: fields({ account: z.exactOptional(account) }),
    output: profile,
    run: (sandbox, { account: id }) => sandbox.profile.get(id),
  }),
  defineOperation({
    id: 'setProfile',
    method: 'PATCH',
    path: '/profile',
    summary: 'Change settings of one account, or of all existing and new accounts',
    input: fields({ account: z.exactOptional(account), settings: profileChoice }),
    output: profile,
    run: (sandbox, { account: id, settings }) => sandbox.profile.set(settings, id),
  }),
];
