import type { Client, PaymentStatus, WaitGoal } from '@service/sdk';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { Session } from '../session.ts';

/** Says which payment to follow, how far and how long. */
export type Course = {
  readonly client: Client;
  readonly id: string;
  readonly until: WaitGoal;
  /** Limits the whole waiting, in milliseconds. */
  readonly timeout: number;
  /** Names the status that was shown already. */
  readonly shown?: PaymentStatus | undefined;
};

/** Shows each status of a payment as it changes; a payment that failed, unless asked for, is a refusal. */
export async function follow({ environment, output }: Session, course: Course): Promise<ExitCode> {
  const { client, id, until, timeout, shown } = course;
  const { status } = await client.payments.waitFor(id, {
    until,
    timeout,
    signal: environment.signal,
    onStatus: async (payment) => {
      if (payment.status !== shown) await output.result(payment, [`${payment.id}  ${payment.status}`]);
    },
  });
  const isReached = status === until || (status === 'completed' && until !== 'failed');
  if (!isReached) output.note(`The payment ended as ${status}.`);
  return isReached ? exitCodes.ok : exitCodes.refused;
}
