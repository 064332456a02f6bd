import { type Client, createClient } from '@service/sdk';
import { createPayer, type Payer } from '@service/sdk/payer';
import { sqliteStore } from '@service/sdk/payer/sqlite';

let client: Client | undefined;

/** Creates the client at the first request, because `next build` has no key. Reads SERVICE_API_KEY and SERVICE_BASE_URL. */
export function getClient(): Client {
  return (client ??= createClient());
}

let payer: Payer | undefined;

/** Creates the payer at the first request. Its file remembers each invoice, so that a second click and a restart pay once. */
export function getPayer(): Payer {
  const store = process.env.INTENTS_FILE ?? 'payments.db';
  return (payer ??= createPayer(getClient(), { store: sqliteStore(store) }));
}
