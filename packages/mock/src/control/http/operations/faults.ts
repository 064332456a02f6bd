import { errorTypes } from '@service/contract';
import * as z from 'zod/mini';
import { faultKinds } from '../../../domain/fault.ts';
import type { FaultOptions } from '../../fault-fields.ts';
import {
  account,
  accountState,
  duration,
  fields,
  number,
  oneOf,
  operation,
  say,
  text,
  whole,
} from '../fields.ts';
import { type ControlOperation, define, defineSilent } from '../operation.ts';
import { fault, listOf } from '../shapes.ts';

const faultFields = fields({
  ...accountState,
  kind: oneOf(faultKinds),
  operation: z.exactOptional(operation),
  times: z.exactOptional(
    say("a whole number, or 'unlimited'", (message) => z.union([z.int(), z.literal('unlimited')], message)),
  ),
  after: z.exactOptional(whole('a whole number: how many calls are let through first')),
  probability: z.exactOptional(number('a number from 0 to 1')),
  commit: z.exactOptional(say('true or false', z.boolean)),
  ms: z.exactOptional(number('a number of milliseconds, for latency')),
  status: z.exactOptional(whole('an HTTP status, for the kinds status, html and empty')),
  type: z.exactOptional(oneOf(errorTypes)),
  retryAfter: z.exactOptional(whole('a whole number of seconds, for status and rate_limit')),
});

/** Lists the operations that make calls go wrong, or too many. */
export const faultOperations: readonly ControlOperation[] = [
  define({
    id: 'armFault',
    method: 'POST',
    path: '/faults',
    summary: 'Arm a fault: what goes wrong, for which calls and when',
    input: faultFields,
    output: z.object({ id: z.string() }),
    status: 201,
    // Which fields go with which kind the sandbox itself says.
    run: (sandbox, input) => ({ id: sandbox.faults.inject(input as FaultOptions).id }),
  }),
  define({
    id: 'listFaults',
    method: 'GET',
    path: '/faults',
    summary: 'List the faults in the order in which they were armed',
    input: fields({}),
    output: z.object({ faults: listOf(fault) }),
    run: (sandbox) => ({ faults: sandbox.faults.list() }),
  }),
  defineSilent({
    id: 'disarmFault',
    method: 'DELETE',
    path: '/faults/{fault}',
    summary: 'Take a fault back',
    input: fields({ fault: text('the id of a fault') }),
    run: (sandbox, { fault: id }) => sandbox.faults.disarm(id),
  }),
  defineSilent({
    id: 'clearFaults',
    method: 'DELETE',
    path: '/faults',
    summary: 'Take back the faults that were armed for an account; without one, all faults',
    input: fields({ account: z.exactOptional(account) }),
    run: (sandbox, { account: id }) => sandbox.faults.clear(id),
  }),
  defineSilent({
    id: 'setRateLimit',
    method: 'PUT',
    path: '/rate-limit',
    summary: 'Limit how often each account and mode may call',
    input: fields({ requests: whole('a whole number from 0'), window: duration }),
    run: (sandbox, input) => sandbox.rateLimit.set(input),
  }),
  defineSilent({
    id: 'clearRateLimit',
    method: 'DELETE',
    path: '/rate-limit',
    summary: 'Lift the rate limit',
    input: fields({}),
    run: (sandbox) => sandbox.rateLimit.clear(),
  }),
];
