import * as z from 'zod/mini';
import { accountMode, event, fields, text, waitTime } from '../fields.ts';
import { type ControlOperation, defineOperation, defineEmptyOperation } from '../operation.ts';
import { collectedEvent, delivery, endpoint, issuedSecret, listOf } from '../shapes.ts';

const secret = z.exactOptional(text('the signing secret; a derived one by default'));

/** Operations on webhook endpoints and deliveries. */
export const webhookOperations: readonly ControlOperation[] = [
  defineOperation({
    id: 'setEndpoint',
    method: 'PUT',
    path: '/webhooks/endpoint',
    summary: 'Set the webhook endpoint; responds with the signing secret, once',
    input: fields({
      ...accountMode,
      url: text('an http or https URL on a loopback host, or on an allowed host'),
      secret,
    }),
    output: issuedSecret,
    run: (sandbox, input) => sandbox.webhooks.setEndpoint(input),
  }),
  defineOperation({
    id: 'getEndpoint',
    method: 'GET',
    path: '/webhooks/endpoint',
    summary: 'Get the webhook endpoint, without the secret',
    input: fields(accountMode),
    output: z.object({ endpoint }),
    run: (sandbox, input) => ({ endpoint: sandbox.webhooks.endpoint(input) }),
  }),
  defineEmptyOperation({
    id: 'removeEndpoint',
    method: 'DELETE',
    path: '/webhooks/endpoint',
    summary: 'Remove the endpoint; retries stop',
    input: fields(accountMode),
    run: (sandbox, input) => sandbox.webhooks.removeEndpoint(input),
  }),
  defineOperation({
    id: 'rotateSecret',
    method: 'POST',
    path: '/webhooks/endpoint/rotate-secret',
    summary: 'Replace the signing secret; later attempts use the new one',
    input: fields(accountMode),
    output: issuedSecret,
    run: (sandbox, input) => sandbox.webhooks.rotateSecret(input),
  }),
  defineOperation({
    id: 'collectEvents',
    method: 'POST',
    path: '/webhooks/collect',
    summary: 'Collect events instead of sending them: sign, store and acknowledge them',
    input: fields({ ...accountMode, secret }),
    output: issuedSecret,
    run: (sandbox, input) => sandbox.webhooks.collect(input),
  }),
  defineOperation({
    id: 'listCollected',
    method: 'GET',
    path: '/webhooks/collected',
    summary: 'List the collected events in the order of arrival',
    input: fields(accountMode),
    output: z.object({ events: listOf(collectedEvent) }),
    run: (sandbox, input) => ({ events: sandbox.webhooks.collected(input) }),
  }),
  defineOperation({
    id: 'waitForDelivery',
    method: 'GET',
    path: '/webhooks/wait',
    summary: 'Wait for an acknowledged delivery; 408 after the timeout',
    input: fields({
      ...accountMode,
      payment: z.exactOptional(text('the id of a payment')),
      event: z.exactOptional(event),
      timeout: z.exactOptional(waitTime),
    }),
    output: delivery,
    run: ({ webhooks }, { timeout, ...target }, { signal }) =>
      webhooks.waitFor(target, { signal, ...(timeout !== undefined && { timeout }) }),
  }),
  defineOperation({
    id: 'listDeliveries',
    method: 'GET',
    path: '/webhooks/deliveries',
    summary: 'List deliveries with their attempts, oldest first',
    input: fields(accountMode),
    output: z.object({ deliveries: listOf(delivery) }),
    run: (sandbox, input) => ({ deliveries: sandbox.webhooks.deliveries(input) }),
  }),
  defineOperation({
    id: 'redeliver',
    method: 'POST',
    path: '/webhooks/deliveries/{delivery}/redeliver',
    summary: 'Attempt a delivery again, immediately',
    input: fields({ delivery: text('the id of a delivery') }),
    output: delivery,
    run: (sandbox, { delivery: id }) => sandbox.webhooks.redeliver(id),
  }),
];
