import type { PaymentEventData, PaymentEventOf, PaymentStatus } from '../event.ts';

/** An event as it is sent. */
export type WireEvent<Status extends PaymentStatus = PaymentStatus> = Omit<PaymentEventOf<Status>, 'kind'>;

/** Replacements for parts of an event. `data` is merged. */
export interface EventParts {
  readonly created_at?: string | undefined;
  readonly data?: Partial<Omit<PaymentEventData, 'status'>> | undefined;
}

type Factory<Status extends PaymentStatus> = (parts?: EventParts) => WireEvent<Status>;

/**
 * Event factories, one per status.
 *
 * @example events.completed({ data: { send_amount: 5 } });
 */
export const events: { readonly [Status in PaymentStatus]: Factory<Status> } = {
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
