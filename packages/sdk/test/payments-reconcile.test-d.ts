import { expectTypeOf, test } from 'vitest';
import type {
  Client,
  Payment,
  PaymentInput,
  PaymentIntent,
  PaymentNews,
  PaymentOutcomeUnknownError,
  Reconciliation,
  ReconcileOptions,
} from '../src/index.ts';

declare const service: Client;
declare const error: PaymentOutcomeUnknownError;
declare const caught: unknown;
declare const answer: Reconciliation;
declare const body: PaymentInput;
const intent = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', since: new Date() };

test('takes the error of a create, or what was asked for', () => {
  expectTypeOf(service.payments.reconcile(error)).toEqualTypeOf<Promise<Reconciliation>>();
  expectTypeOf(service.payments.reconcile(intent)).toEqualTypeOf<Promise<Reconciliation>>();
  void service.payments.reconcile({ ...intent, amount: 1, since: error.sentAt, purpose: error.purpose });
  expectTypeOf<PaymentOutcomeUnknownError>().toExtend<Omit<PaymentIntent, 'since'>>();
});

test('refuses half of it, and misspelt fields', () => {
  expectTypeOf<keyof PaymentIntent>().toEqualTypeOf<keyof PaymentInput | 'since' | 'reference'>();
  void service.payments.reconcile({ ...body, since: error.sentAt });
  // @ts-expect-error when it was sent is needed
  void service.payments.reconcile({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
  // @ts-expect-error it is purpose
  void service.payments.reconcile({ ...intent, purpse: 'INV-42' });
  // @ts-expect-error a caught value has to be narrowed first
  void service.payments.reconcile(caught);
});

test('knows exactly four results', () => {
  expectTypeOf<Reconciliation['result']>().toEqualTypeOf<
    'found' | 'not_found_yet' | 'ambiguous' | 'cannot_tell'
  >();
});

test('gives a payment only where one was found', () => {
  if (answer.result === 'found') {
    expectTypeOf(answer.payment).toEqualTypeOf<Payment>();
    expectTypeOf(answer.evidence).toEqualTypeOf<'id' | 'purpose+beneficiary'>();
    return;
  }
  // @ts-expect-error none was found
  void answer.payment;
  if (answer.result === 'ambiguous') {
    expectTypeOf(answer.payments).toEqualTypeOf<readonly Payment[]>();
    expectTypeOf(answer.evidence).toEqualTypeOf<'purpose+beneficiary' | 'purpose' | 'amount'>();
    return;
  }
  expectTypeOf(answer.result).toEqualTypeOf<'not_found_yet' | 'cannot_tell'>();
  // @ts-expect-error there are none to choose from
  void answer.payments;
});

test('takes a signal, the difference of the clocks and ids to exclude', () => {
  expectTypeOf<ReconcileOptions>().toEqualTypeOf<{
    readonly signal?: AbortSignal | undefined;
    readonly clockSkew?: number | undefined;
    readonly exclude?: readonly string[] | undefined;
  }>();
  // @ts-expect-error it sends no create, so nothing is tried again
  void service.payments.reconcile(error, { maxRetries: 2 });
});

test('hears of events that name a payment', () => {
  expectTypeOf(service.payments.notify).returns.toBeVoid();
  expectTypeOf<PaymentNews>().toEqualTypeOf<{ readonly data: { readonly id: string } }>();
  service.payments.notify({
    event: 'payment.completed',
    data: { id: 'pay_test_a', status: 'completed' },
  } as PaymentNews);
  // @ts-expect-error an event names its payment under data
  service.payments.notify({ id: 'pay_test_a' });
});
