// The workflow of a payout. The engine repeats: it runs the step again after a crash, and waits for days. The payer answers
// whether it happened: each call pays the reference at most once, also if the service ignores idempotency keys.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { type Client, PaymentOutcomeUnknownError, ServiceError, ValidationError } from '@service/sdk';
import type { Payer } from '@service/sdk/payer';

export interface Order {
  readonly amount: string;
  readonly supplier: string;
  readonly account: string;
}

/** What is known about a payout. `unknown`: each attempt searches for the payment, and a person can decide. */
export interface Payout {
  readonly status: 'paying' | 'unknown' | 'refused' | 'pending' | 'completed' | 'failed';
  readonly paymentId?: string;
}

/** The longest time between two attempts, in seconds. */
const MAX_DELAY = 60;
/** The longest time without a webhook after which the payment is read, in seconds. */
const MAX_SILENCE = 60;
/** The time in which a bank can return the money of a completed payment, in seconds. */
const RETURN_PERIOD = 30 * 86_400;

export type Payouts = ReturnType<typeof createPayouts>;

export function createPayouts(client: Client, payer: Payer) {
  async function attempt(reference: string, order: Order): Promise<Payout> {
    try {
      const { id } = await payer.pay(reference, {
        from_currency: 'USD',
        to_currency: 'EUR',
        amount: order.amount,
        beneficiary_name: order.supplier,
        beneficiary_account: order.account,
        purpose: reference, // a search recognizes the payment by it
      });
      return { status: 'pending', paymentId: id };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      console.error(reference, error.message);
      if (error instanceof ValidationError) return { status: 'refused' };
      return { status: error instanceof PaymentOutcomeUnknownError ? 'unknown' : 'paying' };
    }
  }

  /** The attempts of this process that have not ended. */
  const attempts = new Set<Promise<unknown>>();
  async function track(running: Promise<Payout>): Promise<Payout> {
    attempts.add(running);
    return running.finally(() => attempts.delete(running));
  }

  async function pay(reference: string, order: Order): Promise<Payout> {
    for (let delay = 1; ; delay = Math.min(2 * delay, MAX_DELAY)) {
      // Its result is recorded. A crash in the middle runs it again, with the same reference.
      const payout = await DBOS.runStep(() => track(attempt(reference, order)), { name: 'pay' });
      await DBOS.setEvent('payout', payout);
      if (payout.status === 'pending' || payout.status === 'refused') return payout;
      await DBOS.recv('again', delay);
    }
  }

  const workflow = DBOS.registerWorkflow(
    async (reference: string, order: Order): Promise<void> => {
      const { status, paymentId } = await pay(reference, order);
      if (status === 'refused' || paymentId === undefined) return;
      const read = async () => (await client.payments.retrieve(paymentId)).status;
      let silence = 1;
      for (let last: string = status; last !== 'failed';) {
        const isCompleted = last === 'completed';
        const told = await DBOS.recv<string>('status', isCompleted ? RETURN_PERIOD : silence);
        if (told === null && isCompleted) return;
        silence = Math.min(2 * silence, MAX_SILENCE);
        const next = told ?? (await DBOS.runStep(read, { name: 'read', retriesAllowed: true }));
        // `failed` can follow `completed`, and nothing follows `failed`.
        if (next !== 'failed' && next !== 'completed') continue;
        last = next;
        await DBOS.setEvent('payout', { status: next, paymentId });
      }
    },
    // A payout waits for weeks, and each deployment in that time recovers it.
    { name: 'payout', maxRecoveryAttempts: 10_000 },
  );

  return {
    /** Starts the workflow of a reference, or makes the one that runs try again at once. */
    start: async (reference: string, order: Order): Promise<void> => {
      if ((await DBOS.getWorkflowStatus(reference)) !== null) return DBOS.send(reference, null, 'again');
      await DBOS.startWorkflow(workflow, { workflowID: reference })(reference, order);
    },
    /** Sends a status to the workflow. The engine discards one that comes twice. */
    tell: async (reference: string, status: string): Promise<void> =>
      DBOS.send(reference, status, 'status', `${reference} ${status}`),
    /** Waits for the attempts that have begun. */
    settle: async (): Promise<unknown> => Promise.allSettled(attempts),
    find: async (reference: string): Promise<Payout | undefined> => {
      if ((await DBOS.getWorkflowStatus(reference)) === null) return undefined;
      return (await DBOS.getEvent<Payout>(reference, 'payout', 0)) ?? { status: 'paying' };
    },
  };
}
