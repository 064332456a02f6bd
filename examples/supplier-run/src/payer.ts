import { type ClientOptions, createClient } from '@service/sdk';
import { createPayer, type Payer } from '@service/sdk/payer';
import type { Database } from './database.ts';

const { TIMEOUT = '10000', KEY_RETENTION_HOURS = '' } = process.env;
const timeout = Number(TIMEOUT);

/** Creates the payer of this process. All processes must use the same options. */
export function openPayer(
  { intents }: Database,
  options: ClientOptions = {}, // by default SERVICE_API_KEY and SERVICE_BASE_URL
): Payer {
  // Set it only if the service replays keys, also of concurrent requests. Without it, a person decides about
  // payments whose outcome stays unknown.
  const keyRetention = KEY_RETENTION_HOURS === '' ? undefined : Number(KEY_RETENTION_HOURS) * 3_600_000;
  return createPayer(createClient({ timeout, keyRetention, ...options }), {
    store: intents,
    // After a kill, another worker continues with an intent when its lease has ended.
    lease: 2 * timeout,
    // All workers use the clock of Postgres.
    clockSkew: 1_000,
    concurrency: 4,
  });
}
