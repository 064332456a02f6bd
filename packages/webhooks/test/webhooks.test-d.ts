import { describe, expectTypeOf, it } from 'vitest';
import * as edge from '@service/webhooks/edge';
import {
  createReceiver,
  createVerifier,
  isValidSignature,
  isWebhookError,
  memoryStore,
  sign,
} from '@service/webhooks';
import type {
  DeliveredEvent,
  EventOf,
  Mode,
  PaymentEvent,
  PaymentEventData,
  PaymentEventName,
  PaymentStatus,
  Receiver,
  ReceiverOptions,
  RetrievedResult,
  UnknownEvent,
  VerificationCode,
  VerifierOptions,
  WebhookError,
  WebhookErrorCode,
  WebhookEvent,
} from '@service/webhooks';
import type * as contract from '@service/contract';
import type { IncomingHttpHeaders } from 'node:http';

declare const event: WebhookEvent;
declare const body: string | Uint8Array | Buffer | ArrayBuffer | DataView;
const fallback = (_event: WebhookEvent): void => {};
const secrets: string | undefined = undefined as string | undefined;

describe('a webhook event', () => {
  it('narrows on event', () => {
    if (event.event === 'payment.completed') {
      expectTypeOf(event).toEqualTypeOf<EventOf<'payment.completed'>>();
      expectTypeOf(event.data.status).toEqualTypeOf<'completed'>();
      expectTypeOf(event.data.send_amount).toEqualTypeOf<number | string>();
    }
  });

  it('narrows in a switch, by default to an unknown event', () => {
    switch (event.event) {
      case 'payment.pending':
      case 'payment.processing':
        expectTypeOf(event.data.status).toEqualTypeOf<'pending' | 'processing'>();
        break;
      case 'payment.completed':
      case 'payment.failed':
        expectTypeOf(event.data.mode).toEqualTypeOf<'test' | 'live'>();
        break;
      default:
        expectTypeOf(event).toEqualTypeOf<UnknownEvent>();
        expectTypeOf(event.data).toEqualTypeOf<unknown>();
    }
  });

  it('narrows on kind', () => {
    if (event.kind === 'payment') expectTypeOf(event.data.status).toEqualTypeOf<PaymentStatus>();
    else expectTypeOf(event.event).toExtend<string>();
  });

  it('narrows on source', () => {
    if (event.event === 'payment.completed' && event.source === 'webhook') {
      expectTypeOf(event).toEqualTypeOf<Extract<EventOf<'payment.completed'>, DeliveredEvent>>();
      expectTypeOf(event.created_at).toEqualTypeOf<string>();
    } else if (event.event === 'payment.completed') {
      expectTypeOf(event).toEqualTypeOf<Exclude<EventOf<'payment.completed'>, DeliveredEvent>>();
      expectTypeOf(event.created_at).toEqualTypeOf<undefined>();
    }
  });

  it('has an unknown name that can be compared as a string', () => {
    const name: string = event.event;
    expectTypeOf(name === 'payment.under_review').toEqualTypeOf<boolean>();
    // @ts-expect-error an undocumented name could be a misspelling
    if (event.event === 'payment.under_review') void event;
  });

  it('matches the types of the contract', () => {
    expectTypeOf<Mode>().toEqualTypeOf<contract.Mode>();
    expectTypeOf<PaymentStatus>().toEqualTypeOf<contract.PaymentStatus>();
    expectTypeOf<PaymentEventName>().toEqualTypeOf<contract.WebhookEventName>();
    expectTypeOf<keyof PaymentEventData>().toEqualTypeOf<keyof contract.WebhookEventData>();
    expectTypeOf<contract.WebhookEventData>().toExtend<PaymentEventData>();
    expectTypeOf<keyof PaymentEvent>().toEqualTypeOf<keyof contract.WebhookEvent | 'kind' | 'source'>();
  });

  it('has only the documented fields', () => {
    if (event.kind === 'payment') {
      // @ts-expect-error the field is send_amount
      void event.data.sendAmount;
      // @ts-expect-error events are read-only
      event.data.id = '';
    }
    expectTypeOf(event).not.toHaveProperty('type');
    // @ts-expect-error no such event
    if (event.event === 'payment.complete') void event;
  });
});

describe('a verifier', () => {
  it('accepts bodies and headers of frameworks', () => {
    const verifier = createVerifier({ secrets });
    const headers: IncomingHttpHeaders = {};
    expectTypeOf(verifier.verify(body, headers)).toEqualTypeOf<DeliveredEvent>();
    expectTypeOf(verifier.verify(body, new Headers())).toEqualTypeOf<DeliveredEvent>();
    expectTypeOf(verifier.verify(body, headers['x-service-signature'])).toEqualTypeOf<DeliveredEvent>();
    expectTypeOf(isValidSignature(body, headers['x-service-signature'], 'secret')).toEqualTypeOf<boolean>();
    expectTypeOf(sign(body, new Uint8Array())).toEqualTypeOf<string>();
  });

  it('returns promises at the edge', () => {
    const verifier = edge.createVerifier({ secrets });
    expectTypeOf(verifier.verify(body, {})).toEqualTypeOf<Promise<DeliveredEvent>>();
    expectTypeOf(edge.sign(body, 'secret')).toEqualTypeOf<Promise<string>>();
    expectTypeOf(edge.isValidSignature(body, '', 'secret')).toEqualTypeOf<Promise<boolean>>();
    expectTypeOf(edge.createReceiver).toEqualTypeOf(createReceiver);
  });

  it('narrows a result on ok', () => {
    const result = createVerifier({ secrets }).safeVerify(body, {});
    if (result.ok) {
      expectTypeOf(result.event).toEqualTypeOf<DeliveredEvent>();
      expectTypeOf(result.secretId).toEqualTypeOf<string>();
    } else {
      expectTypeOf(result.code).toEqualTypeOf<VerificationCode>();
    }
  });

  it('rejects invalid options and bodies', () => {
    createVerifier({ secrets: ['a', new Uint8Array(), { id: 'new', value: 'b' }], mode: 'live' });
    expectTypeOf<{ secrets: string }>().toExtend<VerifierOptions>();
    // @ts-expect-error secrets are required
    createVerifier({});
    // @ts-expect-error no such mode
    createVerifier({ secrets, mode: 'sandbox' });
    // @ts-expect-error no such option
    createVerifier({ secrets, tolerance: 300 });
    // @ts-expect-error a secret needs a value
    createVerifier({ secrets: [{ id: 'new' }] });
    // @ts-expect-error a parsed body cannot be verified
    createVerifier({ secrets }).verify({ event: 'payment.completed' }, '');
  });
});

describe('a receiver', () => {
  it('has a typed handler per event', () => {
    const receive = createReceiver({
      secrets,
      store: memoryStore({ maxEntries: 10 }),
      on: {
        'payment.failed': async (failed) => {
          expectTypeOf(failed).toEqualTypeOf<EventOf<'payment.failed'>>();
          return failed.data.id;
        },
      },
      fallback: (other) => expectTypeOf(other).toEqualTypeOf<WebhookEvent>(),
      onError: (error, about) => {
        expectTypeOf(error.code).toEqualTypeOf<WebhookErrorCode>();
        expectTypeOf(about).toEqualTypeOf<WebhookEvent | undefined>();
      },
    });
    expectTypeOf(receive).toEqualTypeOf<Receiver>();
    expectTypeOf(receive).toExtend<(request: Request) => Promise<Response>>();
  });

  it('takes payments of the client only', () => {
    const { handleRetrieved } = createReceiver({ secrets, on: {}, fallback });
    expectTypeOf(handleRetrieved).returns.toEqualTypeOf<Promise<RetrievedResult>>();
    expectTypeOf<contract.Payment>().toExtend<Parameters<typeof handleRetrieved>[0]>();
    // @ts-expect-error an event is not a payment
    void handleRetrieved(event);
    expectTypeOf<contract.Payment & { data: object }>().not.toExtend<Parameters<typeof handleRetrieved>[0]>();
    // @ts-expect-error a transaction is not a payment
    void handleRetrieved({} as contract.Transaction);
    // @ts-expect-error the payment of an event has no time of creation
    if (event.kind === 'payment') void handleRetrieved(event.data);
  });

  it('rejects invalid handlers', () => {
    expectTypeOf<{ secrets: string; on: {}; fallback: () => void }>().toExtend<ReceiverOptions>();
    // @ts-expect-error fallback is required
    createReceiver({ secrets, on: {} });
    // @ts-expect-error on is required
    createReceiver({ secrets, fallback });
    // @ts-expect-error no such event
    createReceiver({ secrets, fallback, on: { 'payment.complete': fallback } });
    // @ts-expect-error a handler is a function
    createReceiver({ secrets, fallback, on: { 'payment.failed': 'notify' } });
    // @ts-expect-error no such option
    createReceiver({ secrets, fallback, on: {}, maxBodySize: 1 });
  });
});

describe('a webhook error', () => {
  it('has a literal code behind its guard', () => {
    expectTypeOf(isWebhookError).guards.toEqualTypeOf<WebhookError>();
    expectTypeOf<WebhookError['code']>().toEqualTypeOf<WebhookErrorCode>();
  });
});
