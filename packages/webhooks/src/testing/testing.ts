// A separate entry point, so that bundles for production do not contain it.
import type { PaymentEventData, PaymentStatus } from '../event.ts';
import { SIGNATURE_HEADER } from '../signature.ts';
import type { RawBody, Secret } from '../signature.ts';
import { signAsync } from '../runtime.web.ts';

/** An event as it is sent. */
export interface WireEvent<Status extends PaymentStatus = PaymentStatus> {
  /** The name of the event: `payment.` and the new status. */
  readonly event: `payment.${Status}`;
  /** The time of the change, ISO 8601. */
  readonly created_at: string;
  /** The payment after the change. */
  readonly data: PaymentEventData<Status>;
}

/** Replacements for parts of an event. `data` is merged. */
export interface EventParts {
  /** The time of the change, ISO 8601. The default is the noon of 31 January 2026 (UTC). */
  readonly created_at?: string | undefined;
  /** Fields of the payment that replace the default ones. */
  readonly data?: Partial<Omit<PaymentEventData, 'status'>> | undefined;
}

/**
 * Event factories, one per status.
 *
 * @example events.completed({ data: { send_amount: 5 } });
 */
export const events: {
  readonly [Status in PaymentStatus]: (parts?: EventParts) => WireEvent<Status>;
} = {
  pending: (parts) => createEvent('pending', parts),
  processing: (parts) => createEvent('processing', parts),
  completed: (parts) => createEvent('completed', parts),
  failed: (parts) => createEvent('failed', parts),
};

function createEvent<Status extends PaymentStatus>(
  status: Status,
  { created_at = '2026-01-31T12:00:00+00:00', data = {} }: EventParts = {},
): WireEvent<Status> {
  const mode = data.mode ?? 'test';
  return {
    event: `payment.${status}`,
    created_at,
    data: {
      id: `pay_${mode}_4Zs81kQ0vYw2`,
      status,
      from_currency: 'USD',
      to_currency: 'EUR',
      send_amount: 1000,
      receive_amount: 916.69,
      ...data,
      mode,
    },
  };
}

/** The secret, the address and additional headers of a signed request. */
export interface SignedRequestOptions {
  /** The signing secret. Required. */
  readonly secret: Secret;
  /**
   * The address, which a receiver ignores.
   *
   * @default 'http://localhost/webhooks'
   */
  readonly url?: string | undefined;
  /**
   * Additional headers. They replace the headers of the service.
   *
   * @default {}
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Creates a signed request, as the service sends it. An object is sent as compact JSON, text and bytes
 * unchanged.
 *
 * @example await receive(await signedRequest(events.completed(), { secret }));
 * @throws {WebhookError} `unusable_secret`
 */
export async function signedRequest(
  event: object | RawBody,
  { secret, url = 'http://localhost/webhooks', headers = {} }: SignedRequestOptions,
): Promise<Request> {
  const isRaw = typeof event === 'string' || ArrayBuffer.isView(event) || event instanceof ArrayBuffer;
  const body = (isRaw ? event : JSON.stringify(event)) as string | Uint8Array<ArrayBuffer>;
  const signature = await signAsync(body, secret);
  return new Request(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature, ...headers },
  });
}
