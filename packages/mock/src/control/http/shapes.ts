import { modes, type Payment } from '@service/contract';
import { Payment as paymentSchema } from '@service/contract/schemas';
import * as z from 'zod/mini';
import { type Delivery, deliveryStates, failureReasons } from '../../domain/delivery.ts';
import { eventNames } from '../../domain/payment.ts';
import { deliveryFaultKinds, faultKinds } from '../../domain/fault.ts';
import { statuses } from '../../domain/status.ts';
import type { CollectedEvent } from '../webhooks.ts';
import type { AccountSummary, AccountView } from '../accounts.ts';
import { requestFaultFields } from '../fault-options.ts';
import type { FaultView } from '../faults.ts';
import type { ClockMode } from '../../state/clock.ts';
import { faultShape, operation } from './fields.ts';

/** Creates a list schema. */
export function listOf<Item>(item: z.ZodMiniType<Item>): z.ZodMiniType<readonly Item[]> {
  return z.array(item);
}

/** Schema of an account and its keys. */
export const account: z.ZodMiniType<AccountView> = z.object({
  id: z.string(),
  name: z.string(),
  testKey: z.string(),
  liveKey: z.string(),
});

/** Schema of an account without its keys. */
export const accountSummary: z.ZodMiniType<AccountSummary> = z.object({
  id: z.string(),
  name: z.string(),
  suspended: z.boolean(),
});

/** Schema of a payment in the default profile. A profile can add a status. */
export const payment: z.ZodMiniType<Payment> = z.object({
  ...paymentSchema.shape,
  status: z.enum(statuses) as unknown as z.ZodMiniEnum<typeof paymentSchema.shape.status.def.entries>,
});

const instant = z.number().check(z.describe('milliseconds since 1970, in sandbox time'));

const attempt = z.object({
  at: instant,
  url: z.string(),
  result: z.union([
    z.object({ outcome: z.enum(['acknowledged', 'refused']), httpStatus: z.int() }),
    z.object({ outcome: z.literal('failed'), reason: z.enum(failureReasons) }),
  ]),
});

/** Schema of a delivery. */
export const delivery: z.ZodMiniType<Delivery> = z.object({
  id: z.string(),
  payment_id: z.string(),
  status: z.enum(statuses),
  event: z.enum(eventNames),
  body: z.string().check(z.describe('the text that is signed and sent')),
  state: z.enum(deliveryStates),
  attempts: z.array(attempt),
  next_at: z.nullable(instant),
  fault: z.nullable(z.enum(deliveryFaultKinds)),
});

/** Schema of a signing secret. */
export const issuedSecret: z.ZodMiniType<{ readonly secret: string }> = z.object({ secret: z.string() });

const requestFault = z.object({
  id: z.string(),
  target: z.literal('request'),
  kind: z.literal([...faultKinds]),
  operation: z.nullable(operation),
  account: z.nullable(z.string()),
  mode: z.nullable(z.enum(modes)),
  times: z.union([z.int(), z.literal('unlimited')]),
  after: z.int(),
  probability: z.number(),
  fired: z.int(),
  ...faultShape(requestFaultFields),
});

const deliveryFault = z.object({
  id: z.string(),
  target: z.literal('delivery'),
  kind: z.enum(deliveryFaultKinds),
  event: z.nullable(z.enum(eventNames)),
  account: z.nullable(z.string()),
  mode: z.nullable(z.enum(modes)),
  times: z.union([z.int(), z.literal('unlimited')]),
  by: z.number(),
  fired: z.int(),
});

/** Schema of an injected fault. The fields of a request fault depend on its kind. */
export const fault: z.ZodMiniType<FaultView> = z.union([
  requestFault,
  deliveryFault,
]) as unknown as z.ZodMiniType<FaultView>;

/** Schema of the clock mode. */
export const clockMode: z.ZodMiniType<ClockMode> = z.union([
  z.enum(['real', 'manual']),
  z.object({ speed: z.number() }),
]);

/** Schema of the time and clock mode. */
export const clock: z.ZodMiniType<{ readonly now: string; readonly clock: ClockMode }> = z.object({
  now: z.string(),
  clock: clockMode,
});

/** Schema of an endpoint without its secret. */
export const endpoint: z.ZodMiniType<{ readonly url: string } | null> = z.nullable(
  z.object({ url: z.string() }),
);

/** Schema of a collected event. */
export const collectedEvent: z.ZodMiniType<CollectedEvent> = z.object({
  id: z.string(),
  payment_id: z.string(),
  event: z.enum(eventNames),
  method: z.literal('POST'),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
