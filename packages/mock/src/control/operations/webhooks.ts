import * as z from 'zod/mini';
import { books, fields, text } from '../fields.ts';
import { type ControlOperation, define, defineSilent } from '../operation.ts';
import { delivery, issuedSecret, listOf } from '../shapes.ts';

/** Lists the operations on webhook endpoints and deliveries. */
export const webhookOperations: readonly ControlOperation[] = [
  define({
    id: 'setEndpoint',
    method: 'PUT',
    path: '/webhooks/endpoint',
    summary: 'Set where events go; the secret that signs them is shown this once',
    input: fields({ ...books, url: text('an http or https address on this machine') }),
    output: issuedSecret,
    run: (sandbox, input) => sandbox.webhooks.setEndpoint(input),
  }),
  defineSilent({
    id: 'removeEndpoint',
    method: 'DELETE',
    path: '/webhooks/endpoint',
    summary: 'Remove the endpoint; retries stop',
    input: fields(books),
    run: (sandbox, input) => sandbox.webhooks.removeEndpoint(input),
  }),
  define({
    id: 'rotateSecret',
    method: 'POST',
    path: '/webhooks/endpoint/rotate-secret',
    summary: 'Sign whatever is sent from now on with a new secret',
    input: fields(books),
    output: issuedSecret,
    run: (sandbox, input) => sandbox.webhooks.rotateSecret(input),
  }),
  define({
    id: 'listDeliveries',
    method: 'GET',
    path: '/webhooks/deliveries',
    summary: 'List deliveries with their attempts, oldest first',
    input: fields(books),
    output: z.object({ deliveries: listOf(delivery) }),
    run: (sandbox, input) => ({ deliveries: sandbox.webhooks.deliveries(input) }),
  }),
  define({
    id: 'redeliver',
    method: 'POST',
    path: '/webhooks/deliveries/{delivery}/redeliver',
    summary: 'Try a delivery once more, now',
    input: fields({ delivery: text('the id of a delivery') }),
    output: delivery,
    run: (sandbox, { delivery: id }) => sandbox.webhooks.redeliver(id),
  }),
];
