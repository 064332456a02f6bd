import { errorTypes, modes } from '@service/contract';
import { deliveryFaultKinds } from '../../domain/delivery-fault.ts';
import { eventNames } from '../../domain/payment.ts';
import { faultKinds } from '../../domain/fault.ts';
import type { FaultOptions } from '../fault-options.ts';
import { createFaultControl, type FaultControl, type FaultHandle, type FaultView } from '../faults.ts';
import { anyAccount, duration, event, mode, operation, reference } from '../fields.ts';
import { defineOperation, type Group, type SandboxParts } from '../operation.ts';
import {
  anyOf,
  boolean,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  type Value,
  type ValueFields,
  whole,
} from '../schema.ts';

const times = anyOf(whole(1), oneOf(['unlimited']));
const status = whole(200, 599);
const own = { commit: optional(boolean), retryAfter: optional(whole()), status: optional(status) };

/** The fields of every fault. The sandbox checks which fields belong to which kind. */
const faultFields: ValueFields = {
  kind: oneOf([...faultKinds, ...deliveryFaultKinds]),
  target: optional(oneOf(['request', 'delivery'])),
  account: anyAccount,
  mode,
  operation: optional(operation),
  times: optional(times),
  after: optional(whole()),
  probability: optional(number('a number from 0 to 1', { maximum: 1 })),
  ms: optional(number('milliseconds from 0 to 3600000', { maximum: 3_600_000 })),
  ...own,
  type: optional(oneOf(errorTypes)),
  event: optional(event),
  by: optional(duration),
};

const statusFields = {
  id: text(),
  account: nullable(text()),
  mode: nullable(oneOf(modes)),
  times,
  fired: whole(),
};

const requestFault = object({
  ...statusFields,
  ...own,
  target: oneOf(['request']),
  kind: oneOf(faultKinds),
  operation: nullable(operation),
  after: whole(),
  probability: number('a number from 0 to 1', { maximum: 1 }),
  ms: optional(number('milliseconds')),
  type: optional(oneOf(errorTypes)),
});

const deliveryFault = object({
  ...statusFields,
  target: oneOf(['delivery']),
  kind: oneOf(deliveryFaultKinds),
  event: nullable(oneOf(eventNames)),
  by: number('milliseconds'),
});

const anyFault = anyOf(requestFault, deliveryFault);
const faultView: Value<FaultView> = {
  ...anyFault,
  parse: (value) => anyFault.parse(value) as FaultView | undefined,
  json: { title: 'Fault', ...anyFault.json },
};

/** Operations on injected faults. */
export const faults: Group<FaultControl> = {
  inject: defineOperation({
    id: 'injectFault',
    method: 'POST',
    path: '/faults',
    input: faultFields,
    output: object<{ readonly id: string }>({ id: text() }),
    toBody: ({ id }: FaultHandle) => ({ id }),
    status: 201,
    example: { kind: 'status', status: 503, operation: 'createPayment' },
    run: (parts, input) => control(parts).inject(input as unknown as FaultOptions),
    // In process the options of each kind have their own messages.
    createCall: (parts) => control(parts).inject,
  }),
  list: defineOperation({
    id: 'listFaults',
    method: 'GET',
    path: '/faults',
    input: {},
    output: object<{ readonly faults: readonly FaultView[] }>({ faults: listOf(faultView) }),
    toBody: (list: readonly FaultView[]) => ({ faults: list }),
    run: (parts) => control(parts).list(),
  }),
  remove: defineOperation({
    id: 'removeFault',
    method: 'DELETE',
    path: '/faults/{fault}',
    input: { fault: reference<string>('fault', 'flt_000001') },
    args: ['fault'],
    run: (parts, { fault }) => control(parts).remove(fault),
  }),
  clear: defineOperation({
    id: 'clearFaults',
    method: 'DELETE',
    path: '/faults',
    input: { account: anyAccount },
    args: ['account'],
    run: (parts, { account }) => control(parts).clear(account),
  }),
};

function control({ state, faults: requestFaults, deliveries }: SandboxParts): FaultControl {
  return createFaultControl({ state, faults: requestFaults, deliveryFaults: deliveries.faults });
}
