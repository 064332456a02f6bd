import { createReceiver, type Receiver } from '@service/webhooks/edge';
import { toHono } from '@service/webhooks/hono';
import { Hono } from 'hono';
import type { Environment } from './environment.js';
import type { Invoice } from './payout.js';
import { durableObjectStore } from './webhook-store.js';

export { Payout } from './payout.js';
export { HandledEvent } from './webhook-store.js';

const app = new Hono<{ Bindings: Environment }>();

app.post('/payouts', async (context) => {
  const order = await context.req.json<Invoice>(); // validate the fields of your users here
  const payout = context.env.PAYOUTS.getByName(order.invoice);
  const result = await payout.pay(order);
  return context.json(result, 'error' in result ? result.status : 202);
});

app.get('/payouts/:invoice', async (context) => {
  const payout = await context.env.PAYOUTS.getByName(context.req.param('invoice')).read();
  return payout === undefined
    ? context.json({ error: 'There is no such payout.' }, 404)
    : context.json(payout);
});

/** Created at the first request, because a worker gets its secrets with a request. */
let receive: Receiver | undefined;

app.all('/webhooks', (context) => {
  receive ??= createWebhookReceiver(context.env);
  return toHono(receive)(context);
});

export default app;

function createWebhookReceiver(env: Environment): Receiver {
  return createReceiver({
    secrets: env.SERVICE_WEBHOOK_SECRET,
    mode: env.SERVICE_API_KEY.startsWith('service_live_') ? 'live' : 'test',
    store: durableObjectStore(env.HANDLED_EVENTS),
    on: {
      'payment.completed': async ({ data }) => {
        await env.RECEIPTS.fetch(`https://receipts.internal/${data.id}`, { method: 'POST' });
      },
    },
    fallback: () => {}, // no other event has an effect here
  });
}
