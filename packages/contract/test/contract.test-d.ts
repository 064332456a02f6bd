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
    expectTypeOf<Infer<typeof schemas.Payment>>().toEqualTypeOf<Payment>();
    type Open = 'type' | 'status';
    type Parsed = Infer<typeof schemas.Transaction>;
    expectTypeOf<Omit<Parsed, Open>>().toEqualTypeOf<Omit<Transaction, Open>>();
    expectTypeOf<Pick<Parsed, Open>>().toEqualTypeOf<Record<Open, string>>();
    expectTypeOf<Infer<typeof schemas.WebhookEvent>>().toEqualTypeOf<WebhookEvent>();
    expectTypeOf<PaymentRequest>().toExtend<Infer<typeof schemas.PaymentRequest>>();
    expectTypeOf<ErrorEnvelope>().toExtend<Infer<typeof schemas.ErrorEnvelope>>();
  });

  it('has literal statuses and nullable optional fields', () => {
    expectTypeOf<Payment['status']>().toEqualTypeOf<'pending' | 'processing' | 'completed' | 'failed'>();
    expectTypeOf<Payment['purpose']>().toEqualTypeOf<string | null>();
  });
});
