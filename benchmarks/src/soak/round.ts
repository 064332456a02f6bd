import type { Mock, RequestFaultOptions } from '@service/mock';
import { readHeap, waitForTasks } from '../account.ts';
import { audit } from './audit.ts';
import { type Load, runLoad } from './load.ts';
import type { Receiver } from './receiver.ts';
import { createTenants } from './tenants.ts';

/** The mock and the receiver of a soak. */
export interface Soak {
  readonly mock: Mock;
  readonly baseUrl: string;
  readonly receiver: Receiver;
}

/** The results of a round. */
export interface Round {
  readonly callsPerSecond: number;
  readonly payments: number;
  readonly events: number;
  readonly faults: number;
  /** Used heap in bytes after the reset. */
  readonly heap: number;
  readonly violations: readonly string[];
}

const ACCOUNTS = 8;
const ROUND_DURATION = 4_000;

/** Probability of each fault. */
const FAULT_PROBABILITY = 0.01;
const faults: readonly RequestFaultOptions[] = [
  { kind: 'reset_before_commit' },
  { kind: 'reset_after_commit' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503, commit: true },
  { kind: 'html' },
  { kind: 'empty', commit: true },
  { kind: 'wrong_content_type' },
  { kind: 'latency', ms: 5 },
];

/** Runs one round: creates accounts, sends load, audits, restores a snapshot, audits again, and resets. */
export async function runRound(soak: Soak, number: number): Promise<Round> {
  const { mock, baseUrl, receiver } = soak;
  const { sandbox } = mock;
  const tenants = createTenants(mock, receiver, ACCOUNTS);
  for (const fault of faults) sandbox.faults.inject({ ...fault, probability: FAULT_PROBABILITY });
  const load: Load = await runLoad({ mock, baseUrl, tenants, seed: number, duration: ROUND_DURATION });
  const fired = sandbox.faults.list().reduce((sum, fault) => sum + fault.fired, 0);
  sandbox.faults.clear();
  await waitUntilFinal(mock);
  const first = await audit(mock, receiver, tenants);
  sandbox.restore(sandbox.snapshot());
  const second = await audit(mock, receiver, tenants);
  const { received } = receiver.counts();
  // Deliveries in flight must arrive before the receiver is cleared.
  await sandbox.idle();
  sandbox.reset();
  receiver.clear();
  return {
    callsPerSecond: (load.calls * 1_000) / load.time,
    payments: first.payments,
    events: received,
    faults: fired,
    heap: await readHeap(),
    violations: [...load.violations, ...first.violations, ...second.violations],
  };
}

/** Waits until no payment has a scheduled status change and every event was sent. */
async function waitUntilFinal({ sandbox }: Mock): Promise<void> {
  const isScheduled = (): boolean =>
    sandbox
      .snapshot()
      .state.accounts.some(({ modes }) =>
        [modes.test, modes.live].some(({ payments }) => payments.some(({ next }) => next !== null)),
      );
  do {
    await sandbox.idle();
    await waitForTasks();
  } while (isScheduled());
  await sandbox.idle();
}
