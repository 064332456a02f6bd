// What the reports in packages/webhooks/api do not show: narrowing, inference, and types without a public name.
import { describe, expectTypeOf, it } from 'vitest';
import type * as contract from '@service/contract';
import * as edge from '@service/webhooks/edge';
import * as webhooks from '@service/webhooks';
import type { DeliveredEvent, EventOf, PaymentStatus, WebhookEvent } from '@service/webhooks';
import type { IncomingHttpHeaders } from 'node:http';

declare const event: WebhookEvent;
declare const body: string | Uint8Array | Buffer | ArrayBuffer | DataView;
const fallback = (_event: WebhookEvent): void => {};
const secrets: string | undefined = undefined as string | undefined;

describe('a webhook event', () => {
  it('narrows in a switch, by default to an unknown event', () => {
    switch (event.event) {
      case 'payment.pending':
      case 'payment.processing':
        expectTypeOf(event.data.status).toEqualTypeOf<'pending' | 'processing'>();
        break;
      case 'payment.completed':
        expectTypeOf(event).toEqualTypeOf<EventOf<'payment.completed'>>();
        expectTypeOf(event.data.send_amount).toEqualTypeOf<number | string>();
        // @ts-expect-error events are read-only
        event.data.id = '';
        break;
      case 'payment.failed':
        break;
      default:
        expectTypeOf(event).toEqualTypeOf<webhooks.UnknownEvent>();
    }
  });

  it('narrows on kind and source', () => {
    if (event.kind === 'unknown') return;
    expectTypeOf(event.data.status).toEqualTypeOf<PaymentStatus>();
    if (event.event !== 'payment.completed') return;
    if (event.source === 'webhook')
      expectTypeOf(event).toEqualTypeOf<Extract<EventOf<'payment.completed'>, DeliveredEvent>>();
    else expectTypeOf(event).toEqualTypeOf<Exclude<EventOf<'payment.completed'>, DeliveredEvent>>();
  });

  it('has an unknown name that can be compared as a string', () => {
    const name: string = event.event;
    expectTypeOf(name === 'payment.under_review').toEqualTypeOf<boolean>();
    // @ts-expect-error an undocumented name could be a misspelling
    if (event.event === 'payment.under_review') void event;
  });

  it('matches the types of the contract', () => {
    expectTypeOf<webhooks.Mode>().toEqualTypeOf<contract.Mode>();
    expectTypeOf<PaymentStatus>().toEqualTypeOf<contract.PaymentStatus>();
    expectTypeOf<webhooks.PaymentEventName>().toEqualTypeOf<contract.WebhookEventName>();
    expectTypeOf<keyof webhooks.PaymentEventData>().toEqualTypeOf<keyof contract.WebhookEventData>();
    expectTypeOf<contract.WebhookEventData>().toExtend<webhooks.PaymentEventData>();
    expectTypeOf<keyof webhooks.PaymentEvent>().toEqualTypeOf<
      keyof contract.WebhookEvent | 'kind' | 'source'
    >();
  });
});

describe('a verifier', () => {
  it('accepts bodies and headers of frameworks', () => {
    const verifier = webhooks.createVerifier({ secrets: ['a', new Uint8Array(), { id: 'new', value: 'b' }] });
    const headers: IncomingHttpHeaders = {};
    expectTypeOf(verifier.verify(body, headers)).toEqualTypeOf<webhooks.DeliveredEvent>();
    void verifier.verify(body, new Headers());
    void webhooks.isValidSignature(body, headers['x-service-signature'], 'secret');
    // @ts-expect-error a parsed body cannot be verified
    void verifier.verify({ event: 'payment.completed' }, '');
  });

  it('returns promises at the edge', () => {
    const verifier = edge.createAsyncVerifier({ secrets: async () => secrets });
    expectTypeOf(verifier.verifyAsync(body, {})).toEqualTypeOf<Promise<webhooks.DeliveredEvent>>();
    expectTypeOf(edge.verifyEventAsync(body, {}, secrets)).toEqualTypeOf<Promise<webhooks.DeliveredEvent>>();
    // @ts-expect-error a verifier without promises needs its secrets at once
    webhooks.createVerifier({ secrets: async () => secrets });
    // @ts-expect-error so does its shorter form
    webhooks.verifyEvent(body, {}, async () => secrets);
  });

  it('shares no name with the edge for a function that returns a promise there', () => {
    type Shared = keyof typeof edge & keyof typeof webhooks;
    expectTypeOf<Pick<typeof edge, Shared>>().toEqualTypeOf<Pick<typeof webhooks, Shared>>();
    expectTypeOf<
      Extract<Shared, 'isValidSignature' | 'sign' | 'createVerifier' | 'verifyEvent'>
    >().toBeNever();
  });

  it('narrows a result on ok', () => {
    const result = webhooks.createVerifier({ secrets }).safeVerify(body, {});
    if (result.ok) expectTypeOf(result.event).toEqualTypeOf<webhooks.DeliveredEvent>();
    else expectTypeOf(result.code).toEqualTypeOf<webhooks.VerificationCode>();
  });

  it('rejects invalid options', () => {
    expectTypeOf<{ secrets: string }>().toExtend<webhooks.VerifierOptions>();
    // @ts-expect-error secrets are required
    webhooks.createVerifier({});
    // @ts-expect-error no such option
    webhooks.createVerifier({ secrets, tolerance: 300 });
    // @ts-expect-error a secret needs a value
    webhooks.createVerifier({ secrets: [{ id: 'new' }] });
  });
});

describe('a receiver', () => {
  it('has a typed handler per event', () => {
    const receive = webhooks.createReceiver({
      secrets: async () => 'a secret',
      on: {
        'payment.failed': async (failed) => expectTypeOf(failed).toEqualTypeOf<EventOf<'payment.failed'>>(),
      },
      fallback: (other) => expectTypeOf(other).toEqualTypeOf<WebhookEvent>(),
      onError: (error) => expectTypeOf(error.code).toEqualTypeOf<webhooks.WebhookErrorCode>(),
    });
    expectTypeOf(receive).toExtend<(request: Request) => Promise<Response>>();
  });

  it('takes payments of the client only', () => {
    const { handleRetrieved } = webhooks.createReceiver({ secrets, on: {}, fallback });
    expectTypeOf<contract.Payment>().toExtend<webhooks.RetrievedPayment>();
    expectTypeOf<contract.Payment & { data: object }>().not.toExtend<webhooks.RetrievedPayment>();
    // @ts-expect-error an event is not a payment
    void handleRetrieved(event);
    // @ts-expect-error a transaction is not a payment
    void handleRetrieved({} as contract.Transaction);
    // @ts-expect-error the payment of an event has no time of creation
    if (event.kind === 'payment') void handleRetrieved(event.data);
  });

  it('rejects invalid handlers', () => {
    expectTypeOf<{ secrets: string; on: {} }>().toExtend<webhooks.ReceiverOptions>();
    // @ts-expect-error no such event
    webhooks.createReceiver({ secrets, fallback, on: { 'payment.complete': fallback } });
    // @ts-expect-error no such option
    webhooks.createReceiver({ secrets, fallback, on: {}, maxBodySize: 1 });
  });
});
