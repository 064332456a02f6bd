import type {
  ErrorEnvelope,
  Payment,
  PaymentRequest,
  Quote,
  Transaction,
  WebhookEvent,
} from '@service/contract';
import type * as schemas from '@service/contract/schemas';
import { describe, expectTypeOf, it } from 'vitest';
import type { infer as Infer } from 'zod/mini';

describe('@service/contract', () => {
  it('has schemas whose output is the type of their name', () => {
    expectTypeOf<Infer<typeof schemas.Quote>>().toEqualTypeOf<Quote>();
    expectTypeOf<PaymentRequest>().toExtend<Infer<typeof schemas.PaymentRequest>>();
    expectTypeOf<ErrorEnvelope>().toExtend<Infer<typeof schemas.ErrorEnvelope>>();
  });

  it('has schemas that accept any text where a list is open', () => {
    type Open = 'event' | 'type' | 'status';
    type Opened<T> = {
      [Name in keyof T]: Name extends Open ? string : Name extends 'data' ? Opened<T[Name]> : T[Name];
    };
    expectTypeOf<Infer<typeof schemas.Payment>>().toEqualTypeOf<Opened<Payment>>();
    expectTypeOf<Infer<typeof schemas.Transaction>>().toEqualTypeOf<Opened<Transaction>>();
    expectTypeOf<Infer<typeof schemas.WebhookEvent>>().toEqualTypeOf<Opened<WebhookEvent>>();
  });

  it('has literal statuses and nullable optional fields', () => {
    expectTypeOf<Payment['status']>().toEqualTypeOf<'pending' | 'processing' | 'completed' | 'failed'>();
    expectTypeOf<Payment['purpose']>().toEqualTypeOf<string | null>();
  });
});
