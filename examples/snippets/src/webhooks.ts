import { createReceiver } from '@service/webhooks'; // '@service/webhooks/edge' where there is no node:crypto

export const paid: string[] = [];

/** Takes webhooks: `(Request) => Promise<Response>`, for any framework that speaks fetch. */
export const receive = createReceiver({
  secrets: process.env.WEBHOOK_SECRET,
  mode: 'test',
  on: { 'payment.completed': ({ data }) => paid.push(data.id) }, // once, however often it is delivered
  fallback: () => {}, // every other event, also those that nobody knows yet
});
