import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@service/sdk';
import { POST as receive, statuses } from './receiver.ts';

/** Reads each open payment and passes it to the handlers of its events. */
export async function readOpenPayments(client: Client): Promise<void> {
  for (const [id, status] of statuses) {
    if (status === 'completed' || status === 'failed') continue;
    try {
      const payment = await client.payments.retrieve(id); // never the body of a request: nothing is verified
      const result = await receive.handleRetrieved(payment);
      if (result === 'too_old') console.error(`Check ${id} by hand. It is ${payment.status}.`);
    } catch (error) {
      console.error(`${id} is read again later:`, error);
    }
  }
}

/** Reads the open payments every five minutes, until the signal is aborted. */
export async function watchOpenPayments(client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await readOpenPayments(client);
    await wait(5 * 60_000, undefined, { signal }).catch(() => {});
  }
}
