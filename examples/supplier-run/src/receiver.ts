// Receives webhooks and records the final status of payments: `npm run receiver`.
import { createServer, type Server } from 'node:http';
import { createReceiver, type PaymentEvent, type SecretsSource } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { type Database, openDatabase } from './database.ts';
import { recordStatus } from './invoices.ts';

export interface ReceiverOptions {
  readonly database: Database;
  readonly secret: SecretsSource;
  readonly mode: 'test' | 'live';
}

export function createWebhookServer({ database, secret, mode }: ReceiverOptions): Server {
  const settle = ({ data }: PaymentEvent) => recordStatus(database, data.id, data.status);
  const receive = createReceiver({
    secrets: secret,
    mode,
    store: database.handled,
    on: { 'payment.completed': settle, 'payment.failed': settle },
  });
  const listener = toNode(receive);
  return createServer((request, response) => void listener(request, response));
}

if (import.meta.main) {
  const { PORT = '3000', SERVICE_API_KEY = '' } = process.env;
  const mode = SERVICE_API_KEY.startsWith('service_live_') ? 'live' : 'test';
  const database = await openDatabase();
  const secret = () => process.env.SERVICE_WEBHOOK_SECRET;
  createWebhookServer({ database, secret, mode }).listen(Number(PORT), () =>
    console.info(`http://localhost:${PORT}`),
  );
}
