import { createReceiver, type PaymentEvent } from '@service/webhooks';
import { toAppRouter } from '@service/webhooks/next';
import { revalidatePath } from 'next/cache';

/** Renders the page of the payment again at its next request. */
const refreshPage = ({ data }: PaymentEvent) => revalidatePath(`/payments/${data.id}`);

const receive = createReceiver({
  secrets: () => process.env.SERVICE_WEBHOOK_SECRET, // called at the first request, because `next build` has no secret
  on: {
    'payment.processing': refreshPage,
    'payment.completed': refreshPage,
    'payment.failed': refreshPage,
  },
});

export const POST = toAppRouter(receive);
