import { modes } from '@service/contract';
import { deliveryFaultKinds, faultKinds } from '../../domain/fault.ts';
import type { FaultOption, FaultOptionTable } from '../../domain/fault-option.ts';
import { eventNames } from '../../domain/payment.ts';
import { faultFields, type FaultOptions, faultTerms, requestFaultFields } from '../fault-options.ts';
import { createFaultControl, type FaultControl, type FaultHandle, type FaultView } from '../faults.ts';
import { anyAccount, mode, operation, reference } from '../fields.ts';
import { defineOperation, type Group, type SandboxParts } from '../operation.ts';
import {
  anyOf,
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

/** Converts the options of faults to fields that can be left out: the sandbox checks the options of each kind. */
function toFields(options: FaultOptionTable): ValueFields {
  return Object.fromEntries(Object.entries(options).map(([name, option]) => [name, optional(option)]));
}

const injectFields: ValueFields = {
  kind: oneOf([...faultKinds, ...deliveryFaultKinds]),
  target: optional(oneOf(['request', 'delivery'])),
  ...toFields(faultFields),
  account: anyAccount,
  mode,
};

type Timing = Record<'times' | 'after' | 'probability', FaultOption>;
const { times, after, probability } = faultTerms.request as FaultOptionTable & Timing;

const status = { id: text(), account: nullable(text()), mode: nullable(oneOf(modes)), times, fired: whole() };

const requestFault = object({
  ...status,
  ...toFields(requestFaultFields),
  target: oneOf(['request']),
  kind: oneOf(faultKinds),
  operation: nullable(operation),
  after,
  probability,
});

const deliveryFault = object({
  ...status,
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
    input: injectFields,
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
