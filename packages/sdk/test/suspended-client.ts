// One create in a separate process, for suspension.money.test.ts: prints its result as one line of JSON.
import { readSync, writeSync } from 'node:fs';
import { createClient, ServiceError } from '../src/index.ts';
import { paymentInput, testKey } from './service.ts';

const [, , baseUrl = '', timeout = '', place = ''] = process.argv;

/** Blocks the thread, as a key store that reads a file or runs a child process does. */
function readKey(): string {
  writeSync(1, 'preparing\n');
  readSync(0, Buffer.alloc(16));
  return testKey;
}

const { payments } = createClient({
  apiKey: place === 'apiKey' ? readKey : testKey,
  baseUrl,
  timeout: Number(timeout),
  onWarning: () => {},
});
const ended = await payments.create(paymentInput).catch((error: unknown) => {
  if (!(error instanceof ServiceError)) throw error;
  return { name: error.name, outcome: error.outcome, attempts: error.attempts };
});
writeSync(1, `${JSON.stringify(ended)}\n`);
process.exit();
