import { type Client, ServiceError } from '@service/sdk';
import { createPayer } from '@service/sdk/payer';
import { createReceiver, type PaymentEvent, type SecretsSource } from '@service/webhooks';
import { toExpress } from '@service/webhooks/express';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { Database } from './database.js';
import { findPayout, type Order, payInvoice, recordStatus } from './payouts.js';

export interface AppOptions {
  readonly client: Client;
  readonly database: Database;
  readonly webhookSecret: SecretsSource;
  readonly mode: 'test' | 'live';
  /** Called once for each completed payment. */
  readonly sendReceipt: (paymentId: string) => Promise<void>;
}

export function createApp({ client, database, webhookSecret, mode, sendReceipt }: AppOptions): Express {
  const { pool, intents, handled } = database;
  const payer = createPayer(client, { store: intents });
  const settle = ({ data }: PaymentEvent) => recordStatus(pool, data.id, data.status);
  const receive = createReceiver({
    secrets: webhookSecret,
    mode,
    store: handled,
    on: {
      'payment.completed': async (event) => {
        await settle(event);
        await sendReceipt(event.data.id);
      },
      'payment.failed': settle,
    },
  });

  const app = express();
  app.all('/webhooks', toExpress(receive)); // before express.json(), because a signature covers the raw body
  app.use(express.json());

  app.post('/payouts/:reference', async (request, response) => {
    const { reference } = request.params;
    await payInvoice(payer, reference, request.body as Order); // validate the fields of your users here
    response.status(202).json(await findPayout(pool, reference));
  });

  app.get('/payouts/:reference', async (request, response) => {
    const payout = await findPayout(pool, request.params.reference);
    response.status(payout === undefined ? 404 : 200).json(payout ?? { error: 'There is no such payout.' });
  });

  app.use(reportServiceError);
  return app;
}

const reportServiceError: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof ServiceError)) return next(error);
  console.error(error.name, error.message, error.requestId);
  response.status(error.outcome === 'rejected' ? 422 : 502).json({ error: error.message });
};
