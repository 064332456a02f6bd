// `POST /payouts/:reference` starts a payout, `GET` shows it, and `/webhooks` receives events.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { createClient, NotFoundError } from '@service/sdk';
import { createPayer } from '@service/sdk/payer';
import { postgresStore } from '@service/sdk/payer/postgres';
import { createReceiver, type PaymentEvent } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { Pool } from 'pg';
import { createPayouts, type Order } from './payouts.ts';

const {
  DATABASE_URL = 'postgres://postgres@127.0.0.1:5432/postgres',
  PORT = '3000',
  SERVICE_API_KEY = '',
  TIMEOUT = '10000',
} = process.env;
const timeout = Number(TIMEOUT);

const pool = new Pool({ connectionString: DATABASE_URL });
// Without this listener, a dropped connection ends the process.
pool.on('error', (error) => console.error('Postgres:', error.message));
const client = createClient({ timeout }); // reads SERVICE_API_KEY and SERVICE_BASE_URL
const payer = createPayer(client, {
  store: postgresStore(pool),
  // After a kill, the next attempt continues when the lease of the killed one has ended.
  lease: 2 * timeout,
  // All processes use the clock of Postgres.
  clockSkew: 1_000,
});
const payouts = createPayouts(client, payer);

/** Sends the status of a payment to its payout, also before the payout knows the payment. */
async function tell({ data: { id, status } }: PaymentEvent): Promise<void> {
  const purpose = await client.payments.retrieve(id).then(
    (payment) => payment.purpose,
    (error: unknown) => {
      if (error instanceof NotFoundError) return null; // after a silence, the payout reads its payment
      throw error;
    },
  );
  if (purpose !== null && (await payouts.find(purpose)) !== undefined) await payouts.tell(purpose, status);
}

// The engine discards an event that comes twice: no other store is needed.
const receive = createReceiver({
  secrets: () => process.env['SERVICE_WEBHOOK_SECRET'],
  mode: SERVICE_API_KEY.startsWith('service_live_') ? 'live' : 'test',
  on: { 'payment.completed': tell, 'payment.failed': tell },
});
const onWebhook = toNode(receive);

async function answer({ method, url = '' }: IncomingMessage, readBody: () => Promise<unknown>) {
  const reference = /^\/payouts\/([^/?]+)$/.exec(url)?.[1];
  if (reference === undefined) return { status: 404, body: { error: 'There is no such path.' } };
  if (method === 'POST') await payouts.start(reference, (await readBody()) as Order); // validate the fields here
  const payout = await payouts.find(reference);
  if (payout === undefined) return { status: 404, body: { error: 'There is no such payout.' } };
  return { status: method === 'POST' ? 202 : 200, body: payout };
}

// The version names the steps of the workflow. Change it with them: a workflow continues with its own version.
DBOS.setConfig({
  name: 'payouts',
  systemDatabaseUrl: DATABASE_URL,
  applicationVersion: '1',
  logLevel: 'warn',
});
await DBOS.launch(); // continues the workflows that a crash has interrupted

const server = createServer((request, response) => {
  const respond = async (): Promise<void> => {
    const { status, body } = await answer(request, () => json(request));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const fail = (error: unknown): void => {
    console.error(error);
    response.writeHead(500).end();
  };
  if (request.url === '/webhooks') void onWebhook(request, response);
  else respond().catch(fail);
});
server.listen(Number(PORT), () => console.info(`http://localhost:${(server.address() as AddressInfo).port}`));

// The attempts that have begun may end. All payouts continue after the next start.
process.once('SIGTERM', () => void payouts.settle().then(() => process.exit(0)));
