// Runs the checks in a runtime with a command line.
import { createSqliteStore } from '@service/sdk/intents/sqlite';
import { checkClient, checkWebhooks } from './checks.mjs';

const [baseUrl] = globalThis.Deno?.args ?? globalThis.process.argv.slice(2);
await checkClient(baseUrl);
await checkWebhooks();
if (globalThis.Deno === undefined && globalThis.Bun === undefined) await checkSqliteStore();

/** Writes to a store without a warning, or expects the sentence of an older Node. */
async function checkSqliteStore() {
  const { process } = globalThis;
  process.on('warning', (warning) => {
    throw warning;
  });
  try {
    const store = createSqliteStore(`intents-${process.version}.db`);
    const intent = { reference: 'a', version: 1, state: 'planned', digest: 'd', key: 'k', sends: [] };
    const result = await store.swap(intent, { fromVersion: 0, writeId: 'w' });
    store.close();
    if (result !== 'done') throw new Error(`The write returned ${result}.`);
  } catch (error) {
    if (!process.version.startsWith('v20.') || !error.message.includes('needs node:sqlite')) throw error;
  }
}
