import { createReceiver, isStale, type PaymentEvent, type PaymentStatus } from '@service/webhooks';

/** The latest status of each payment. In your application, this is a table. */
export const statuses = new Map<string, PaymentStatus>();

/** Records a status, unless a later one is known: events can arrive late or out of order. */
function record({ data }: PaymentEvent): void {
  if (!isStale(statuses.get(data.id), data.status)) statuses.set(data.id, data.status);
}

const receive = createReceiver({
  secrets: () => process.env.SERVICE_WEBHOOK_SECRET, // called at the first request: a build needs no secret
  mode: 'test', // 'live' in production; events of the other mode are acknowledged and dropped
  on: { 'payment.completed': record, 'payment.failed': record }, // also `completed`, then `failed`
});
export const POST = receive; // (Request) => Promise<Response>
