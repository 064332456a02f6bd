import type { FaultOptions, Mock } from '@service/mock';
import { readHeap, settle } from '../account.ts';
import { audit } from './audit.ts';
import { type Load, runLoad } from './load.ts';
import type { Receiver } from './receiver.ts';
import { openTenants } from './tenants.ts';

/** Sets up a soak. */
export interface Soak {
  readonly mock: Mock;
  /** Where the mock listens. */
  readonly baseUrl: string;
  readonly receiver: Receiver;
}

/** Holds what was measured in a round. */
export interface Round {
  readonly callsPerSecond: number;
  readonly payments: number;
  readonly events: number;
  readonly faults: number;
  /** In bytes, after everything of the round was forgotten. */
  readonly heap: number;
  readonly violations: readonly string[];
}

const ACCOUNTS = 8;
const LENGTH = 4_000;

/** Of a hundred calls, how many each of them meets. */
const CHANCE = 0.01;
const faults: readonly FaultOptions[] = [
  { kind: 'reset_before_commit' },
  { kind: 'reset_after_commit' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503, commit: true },
  { kind: 'html' },
  { kind: 'empty', commit: true },
  { kind: 'wrong_content_type' },
  { kind: 'latency', ms: 5 },
];

/** Goes one round: accounts are opened, called under load, audited, put back to a snapshot and audited again, and forgotten. */
export async function goRound(soak: Soak, number: number): Promise<Round> {
  const { mock, baseUrl, receiver } = soak;
  const { sandbox } = mock;
  const tenants = openTenants(mock, receiver, ACCOUNTS);
  for (const fault of faults) sandbox.faults.inject({ ...fault, probability: CHANCE });
  const load: Load = await runLoad({ mock, baseUrl, tenants, seed: number, length: LENGTH });
  const met = sandbox.faults.list().reduce((sum, { fired }) => sum + fired, 0);
  sandbox.faults.clear();
  await comeToRest(mock);
  const first = await audit(mock, receiver, tenants);
  sandbox.restore(sandbox.snapshot());
  const second = await audit(mock, receiver, tenants);
  const { received } = receiver.counts();
  // What is under way arrives before it is forgotten here.
  await sandbox.idle();
  sandbox.reset();
  receiver.clear();
  return {
    callsPerSecond: (load.calls * 1_000) / load.time,
    payments: first.payments,
    events: received,
    faults: met,
    heap: await readHeap(),
    violations: [...load.violations, ...first.violations, ...second.violations],
  };
}

/** Waits until no payment moves any more by itself, and every event has been tried. */
async function comeToRest({ sandbox }: Mock): Promise<void> {
  const isMoving = (): boolean =>
    sandbox
      .snapshot()
      .state.accounts.some(({ modes }) =>
        [modes.test, modes.live].some(({ payments }) => payments.some(({ next }) => next !== null)),
      );
  do {
    await sandbox.idle();
    await settle();
  } while (isMoving());
  await sandbox.idle();
}
