// A receiver that a fault run kills. It appends each effect and each reported error to a file synchronously.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { createReceiver } from '@service/webhooks';
import type { DedupeStore, EventOf } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { postgresStore } from '@service/webhooks/postgres';
import { redisStore } from '@service/webhooks/redis';
import { SECRET } from '../samples.ts';

const [kind, url = '', log = ''] = process.argv.slice(2);

function openStore(): DedupeStore {
  if (kind === 'redis') return redisStore(new Redis(url));
  const pool = new Pool({ connectionString: url, max: 4 });
  pool.on('error', () => {});
  return postgresStore(pool);
}

/** The duration of the handler before and after the effect, in milliseconds. */
type TimedData = EventOf<'payment.completed'>['data'] & { readonly before: number; readonly after: number };

const receive = createReceiver({
  secrets: SECRET,
  on: {
    'payment.completed': async ({ data }) => {
      const { id, before, after } = data as TimedData;
      await wait(before);
      appendFileSync(log, `effect ${id} ${process.pid}\n`);
      await wait(after);
    },
  },
  fallback: () => {},
  onError: ({ code }, event) => {
    if (event?.kind === 'payment') appendFileSync(log, `${code} ${event.data.id} ${process.pid}\n`);
  },
  store: openStore(),
});
const listener = toNode(receive);
const server = createServer((request, response) => void listener(request, response));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
