import { modes } from '@service/contract';
import * as z from 'zod/mini';
import { faultKinds } from '../../domain/fault.ts';
import { ledgerAccounts } from '../../domain/ledger.ts';
import { statuses } from '../../domain/status.ts';
import type { Effects, EntryView, EventView } from '../effects.ts';
import type { FiredFault, RequestView, ResponseView } from '../request-view.ts';
import { operation } from './fields.ts';
import { delivery } from './shapes.ts';

const headers = z.record(z.string(), z.string());
const json = z.optional(z.unknown()).check(z.describe('the parsed body, if it is JSON'));

const response: z.ZodMiniType<ResponseView> = z.object({
  status: z.int(),
  headers,
  body: z.nullable(z.string()),
  json,
}) as unknown as z.ZodMiniType<ResponseView>;

const firedFault: z.ZodMiniType<FiredFault> = z.object({
  id: z.string(),
  kind: z.literal([...faultKinds]),
  degraded: z.boolean(),
});

const entry: z.ZodMiniType<EntryView> = z.object({
  kind: z.enum(['deposit', 'adjustment', 'payment', 'completion', 'refund', 'return']),
  at: z.string(),
  postings: z.array(z.object({ account: z.enum(ledgerAccounts), currency: z.string(), amount: z.string() })),
});

const event: z.ZodMiniType<EventView> = z.object({
  event: z.templateLiteral(['payment.', z.enum(statuses)]),
  at: z.string(),
  body: z.string(),
});

const effects: z.ZodMiniType<Effects> = z.object({
  payment_id: z.nullable(z.string()),
  entries: z.array(entry),
  events: z.array(event),
  deliveries: z.array(delivery),
});

/** Schema of a logged request. */
export const requestView: z.ZodMiniType<RequestView> = z.object({
  id: z.string(),
  at: z.string(),
  transport: z.enum(['fetch', 'msw', 'http']),
  account: z.nullable(z.string()),
  mode: z.nullable(z.enum(modes)),
  operation: z.nullable(operation),
  method: z.string(),
  path: z.string(),
  query: z.string(),
  headers,
  body: z.nullable(z.string()),
  json,
  response: z.union([response, z.literal('connection_lost'), z.null()]),
  fault: z.nullable(firedFault),
  effects,
}) as unknown as z.ZodMiniType<RequestView>;
