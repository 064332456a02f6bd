import { describe, expectTypeOf, it } from 'vitest';
import type {
  Client,
  Payment,
  PaymentInput,
  PaymentIntent,
  PaymentOutcomeUnknownError,
  Reconciliation,
  ReconcileOptions,
} from '../src/index.ts';

declare const client: Client;
declare const error: PaymentOutcomeUnknownError;
declare const caught: unknown;
declare const reconciliation: Reconciliation;
declare const body: PaymentInput;
const intent = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', since: new Date() };

describe('Reconciliation', () => {
  it('has exactly four results', () => {
    expectTypeOf<Reconciliation['result']>().toEqualTypeOf<
      'found' | 'not_found_yet' | 'ambiguous' | 'cannot_tell'
    >();
  });

  it('has a payment only if one was found', () => {
    if (reconciliation.result === 'found') {
      expectTypeOf(reconciliation.payment).toEqualTypeOf<Payment>();
      expectTypeOf(reconciliation.evidence).toEqualTypeOf<'id' | 'purpose+beneficiary'>();
      return;
    }
    // @ts-expect-error this result has no payment
    void reconciliation.payment;
    if (reconciliation.result === 'ambiguous') {
      expectTypeOf(reconciliation.payments).toEqualTypeOf<readonly Payment[]>();
      expectTypeOf(reconciliation.evidence).toEqualTypeOf<'purpose+beneficiary' | 'purpose' | 'amount'>();
      return;
    }
    expectTypeOf(reconciliation.result).toEqualTypeOf<'not_found_yet' | 'cannot_tell'>();
    // @ts-expect-error this result has no payments
    void reconciliation.payments;
  });
});

describe('payments.reconcile', () => {
  it('accepts the error of a create, or its body and time', () => {
    expectTypeOf(client.payments.reconcile(error)).toEqualTypeOf<Promise<Reconciliation>>();
    expectTypeOf(client.payments.reconcile(intent)).toEqualTypeOf<Promise<Reconciliation>>();
    void client.payments.reconcile({ ...intent, amount: 1, since: error.sentAt, purpose: error.purpose });
    expectTypeOf<PaymentOutcomeUnknownError>().toExtend<Omit<PaymentIntent, 'since'>>();
  });

  it('rejects missing and misspelled fields', () => {
    expectTypeOf<keyof PaymentIntent>().toEqualTypeOf<keyof PaymentInput | 'since'>();
    void client.payments.reconcile({ ...body, since: error.sentAt });
    // @ts-expect-error since is required
    void client.payments.reconcile({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
    // @ts-expect-error the field is purpose
    void client.payments.reconcile({ ...intent, purpse: 'INV-42' });
    // @ts-expect-error a caught value must be narrowed first
    void client.payments.reconcile(caught);
  });

  it('accepts a signal, a clock difference and excluded ids', () => {
    expectTypeOf<ReconcileOptions>().toEqualTypeOf<{
      readonly signal?: AbortSignal | undefined;
      readonly clockSkew?: number | undefined;
      readonly exclude?: readonly string[] | undefined;
    }>();
    // @ts-expect-error the option does not exist
    void client.payments.reconcile(error, { maxRetries: 2 });
  });
});

describe('payments.handleEvent', () => {
  it('accepts events that name a payment', () => {
    expectTypeOf(client.payments.handleEvent).returns.toBeVoid();
    expectTypeOf<Parameters<Client['payments']['handleEvent']>[0]>().toEqualTypeOf<{
      readonly data: { readonly id: string };
    }>();
    client.payments.handleEvent({
      event: 'payment.completed',
      data: { id: 'pay_test_a', status: 'completed' },
    } as { data: { id: string } });
    // @ts-expect-error the id is under data
    client.payments.handleEvent({ id: 'pay_test_a' });
  });
});
