import type { Client, PaymentStatus, WaitGoal } from '@service/sdk';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { Session } from '../session.ts';

/** The payment to follow, and when to stop. */
export interface StatusLog {
  readonly client: Client;
  readonly id: string;
  readonly until: WaitGoal;
  /** Maximum total time, in milliseconds. */
  readonly timeout: number;
  /** The status that was already printed. */
  readonly shown?: PaymentStatus | undefined;
}

/** Prints each status of a payment as it changes. Returns `refused` if the final status is not the requested one. */
export async function follow({ environment, output }: Session, options: StatusLog): Promise<ExitCode> {
  const { client, id, until, timeout, shown } = options;
  const { status } = await client.payments.waitFor(id, {
    until,
    timeout,
    signal: environment.signal,
    onStatus: async (payment) => {
      if (payment.status !== shown) await output.result(payment, [`${payment.id}  ${payment.status}`]);
    },
  });
  const isReached = status === until || (status === 'completed' && until !== 'failed');
  if (!isReached) output.note(`The final status of the payment is ${status}.`);
  return isReached ? exitCodes.ok : exitCodes.refused;
}
