import { errorTypes } from '@service/contract';
import * as z from 'zod/mini';
import { deliveryFaultKinds } from '../../../domain/fault.ts';
import { faultKinds } from '../../../domain/fault.ts';
import type { FaultOptions } from '../../fault-options.ts';
import {
  account,
  accountMode,
  duration,
  event,
  fields,
  number,
  oneOf,
  operation,
  described,
  text,
  whole,
} from '../fields.ts';
import { type ControlOperation, defineOperation, defineEmptyOperation } from '../operation.ts';
import { fault, listOf } from '../shapes.ts';

const faultFields = fields({
  target: z.exactOptional(oneOf(['request', 'delivery'])),
  kind: oneOf([...faultKinds, ...deliveryFaultKinds]),
  ...accountMode,
  operation: z.exactOptional(operation),
  times: z.exactOptional(
    described("a whole number, or 'unlimited'", (message) =>
      z.union([z.int(), z.literal('unlimited')], message),
    ),
  ),
  after: z.exactOptional(whole('a whole number of requests that pass first')),
  probability: z.exactOptional(number('a number from 0 to 1')),
  commit: z.exactOptional(described('true or false', z.boolean)),
  ms: z.exactOptional(number('a number of milliseconds, for latency')),
  status: z.exactOptional(whole('an HTTP status, for the kinds status, html and empty')),
  type: z.exactOptional(oneOf(errorTypes)),
  retryAfter: z.exactOptional(whole('a whole number of seconds, for status and rate_limit')),
  event: z.exactOptional(event),
  by: z.exactOptional(duration),
});

/** Operations on injected faults and the rate limit. */
export const faultOperations: readonly ControlOperation[] = [
  defineOperation({
    id: 'injectFault',
    method: 'POST',
    path: '/faults',
    summary: 'Inject a fault into requests or webhook deliveries',
    input: faultFields,
    output: z.object({ id: z.string() }),
    status: 201,
    // The sandbox checks which fields belong to which kind.
    run: (sandbox, input) => ({ id: sandbox.faults.inject(input as FaultOptions).id }),
  }),
  defineOperation({
    id: 'listFaults',
    method: 'GET',
    path: '/faults',
    summary: 'List the request faults, then the delivery faults, in injection order',
    input: fields({}),
    output: z.object({ faults: listOf(fault) }),
    run: (sandbox) => ({ faults: sandbox.faults.list() }),
  }),
  defineEmptyOperation({
    id: 'removeFault',
    method: 'DELETE',
    path: '/faults/{fault}',
    summary: 'Remove a fault',
    input: fields({ fault: text('the id of a fault') }),
    run: (sandbox, { fault: id }) => sandbox.faults.remove(id),
  }),
  defineEmptyOperation({
    id: 'clearFaults',
    method: 'DELETE',
    path: '/faults',
    summary: 'Remove the faults of an account, or all faults',
    input: fields({ account: z.exactOptional(account) }),
    run: (sandbox, { account: id }) => sandbox.faults.clear(id),
  }),
  defineEmptyOperation({
    id: 'setRateLimit',
    method: 'PUT',
    path: '/rate-limit',
    summary: 'Limit the requests of each account and mode',
    input: fields({ requests: whole('a whole number from 0'), window: duration }),
    run: (sandbox, input) => sandbox.rateLimit.set(input),
  }),
  defineEmptyOperation({
    id: 'clearRateLimit',
    method: 'DELETE',
    path: '/rate-limit',
    summary: 'Remove the rate limit',
    input: fields({}),
    run: (sandbox) => sandbox.rateLimit.clear(),
  }),
];
