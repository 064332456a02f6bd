// A receiver in a process of its own, which handles the events and the payments of its messages.
import { setImmediate as yieldOnce } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { createReceiver } from '@service/webhooks';
import type { RetrievedPayment } from '@service/webhooks';
import { postgresStore } from '@service/webhooks/postgres';
import { redisStore } from '@service/webhooks/redis';
import { createDelivery, SECRET } from '../samples.ts';

const [kind, url = ''] = process.argv.slice(2);

const handled: string[] = [];
const receive = createReceiver({
  secrets: SECRET,
  on: {
    'payment.completed': async ({ data }) => {
      await yieldOnce();
      handled.push(data.id);
    },
  },
  fallback: () => {},
  store:
    kind === 'redis'
      ? redisStore(new Redis(url))
      : postgresStore(new Pool({ connectionString: url, max: 2 })),
});

interface Question {
  readonly body?: string;
  readonly payment?: RetrievedPayment;
}

async function answer({ body, payment }: Question): Promise<number | string | undefined> {
  if (body !== undefined) return (await receive(await createDelivery(body))).status;
  return payment && receive.handleRetrieved(payment);
}

process.on('message', (question: Question) => {
  void answer(question).then((result) => process.send?.({ result, handled }));
});
process.on('disconnect', () => process.exit());
process.send?.('started');
