// Pays the approved invoices until SIGTERM. Start as many as you like, and kill them at any time.
import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from './database.ts';
import { openPayer } from './payer.ts';

/** The time between two runs in milliseconds. */
const INTERVAL = 1_000;

const stop = new AbortController();
const { signal } = stop;
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());

const database = await openDatabase();
const payer = openPayer(database);
while (!signal.aborted) {
  try {
    for await (const { reference, state, conflict } of payer.run({ signal }))
      console.info(reference, state, conflict?.problem ?? '');
  } catch (error) {
    // For example a database that restarts, or a rejected API key. The intents stay planned.
    console.error('The run ended:', error instanceof Error ? error.message : error);
  }
  await wait(INTERVAL, undefined, { signal }).catch(() => {});
}
await database.close();
