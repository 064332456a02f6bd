import * as z from 'zod/mini';
import { deliveryFaultKinds, faultKinds } from '../../../domain/fault.ts';
import { faultFields, type FaultOptions } from '../../fault-options.ts';
import { account, accountMode, duration, faultShape, fields, oneOf, text, whole } from '../fields.ts';
import { type ControlOperation, defineOperation, defineEmptyOperation } from '../operation.ts';
import { fault, listOf } from '../shapes.ts';

const injectFields = fields({
  target: z.exactOptional(oneOf(['request', 'delivery'])),
  kind: oneOf([...faultKinds, ...deliveryFaultKinds]),
  ...faultShape(faultFields),
  ...accountMode,
});

/** Operations on injected faults and the rate limit. */
export const faultOperations: readonly ControlOperation[] = [
  defineOperation({
    id: 'injectFault',
    method: 'POST',
    path: '/faults',
    summary: 'Inject a fault into requests or webhook deliveries',
    input: injectFields,
    output: z.object({ id: z.string() }),
    status: 201,
    // The sandbox checks the options of the kind.
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
