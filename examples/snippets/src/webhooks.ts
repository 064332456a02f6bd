import { createReceiver } from '@service/webhooks'; // without node:crypto: '@service/webhooks/edge'

export const paid: string[] = [];
const failed: string[] = [];

/** Receives webhooks: `(Request) => Promise<Response>`, for any framework with fetch types. */
export const receive = createReceiver({
  secrets: () => process.env.SERVICE_WEBHOOK_SECRET,
  mode: 'test',
  on: {
    'payment.completed': ({ data }) => paid.push(data.id), // once per payment
    'payment.failed': ({ data }) => failed.push(data.id), // also after completed, if the bank returns it
  },
});
