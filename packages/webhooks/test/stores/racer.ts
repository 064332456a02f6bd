// One process of a race: receives the deliveries, 20 at a time, and reports its dispatched events.
import { once } from 'node:events';
import { createReceiver, sign } from '@service/webhooks';
import type { DedupeStore } from '@service/webhooks';
import { postgresStore } from '@service/webhooks/postgres';
import { redisStore } from '@service/webhooks/redis';

const CONCURRENCY = 20;
const SECRET = 'the secret of the race';
const [kind, url = '', index, count] = process.argv.slice(2);
const deliveries = Number(count);

interface Opened {
  readonly store: DedupeStore;
  readonly close: () => Promise<unknown>;
}

async function open(): Promise<Opened> {
  // Only the client of this race: loading both doubles the startup time.
  if (kind === 'postgres') {
    const { Pool } = await import('pg');
    const pool = new Pool({ connectionString: url, max: 5 });
    return { store: postgresStore(pool), close: () => pool.end() };
  }
  const { createClient } = await import('redis');
  const client = createClient({ url });
  await client.connect();
  return { store: redisStore(client), close: () => client.close() };
}

function bodyOf(number: number): string {
  const data = {
    id: `pay_test_race${number}`,
    status: 'completed',
    from_currency: 'USD',
    to_currency: 'EUR',
  };
  const amounts = { send_amount: 10, receive_amount: 9, mode: 'test' };
  return JSON.stringify({
    event: 'payment.completed',
    created_at: '2026-01-31T12:00:00Z',
    data: { ...data, ...amounts },
  });
}

const { store, close } = await open();
const dispatched: string[] = [];
const statuses: Record<string, number> = {};
const receive = createReceiver({
  secrets: SECRET,
  on: {
    'payment.completed': async ({ data }) => {
      await new Promise((resolve) => setImmediate(resolve));
      dispatched.push(data.id);
    },
  },
  fallback: () => {},
  store,
});

// Processes start at close offsets, so that most events reach several processes at the same time.
const order = Array.from({ length: deliveries }, (_, step) => (step + Number(index) * 3) % deliveries);
async function work(): Promise<void> {
  for (let number = order.shift(); number !== undefined; number = order.shift()) {
    const body = bodyOf(number);
    const headers = { 'x-service-signature': sign(body, SECRET) };
    const { status } = await receive.deliver({ method: 'POST', headers, read: () => body });
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

process.send?.('ready');
await once(process, 'message');
await Promise.all(Array.from({ length: CONCURRENCY }, work));
await close();
process.send?.({ statuses, dispatched }, () => process.disconnect());
