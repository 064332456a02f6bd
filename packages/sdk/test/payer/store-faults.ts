import { expect, it } from 'vitest';
import { createRandom } from '../../../../test/support/random.ts';
import { runs } from '../../../../test/support/runs.ts';
import type { Intent, IntentStore } from '../../src/entries/payer.ts';
import { intentOf } from './store-contract.ts';

/** A function of a driver that sends one command. */
export type Command = (...words: never[]) => Promise<unknown>;

/** Connections whose commands fail before or after they take effect, take effect late, or are sent twice. */
export interface FaultyConnections {
  readonly wrap: <T extends Command>(command: T) => T;
  /** Starts the faults. */
  readonly start: () => void;
  /** Sends the late commands, and stops the faults. */
  readonly settle: () => Promise<void>;
}

function createFaults(random: () => number): FaultyConnections {
  let isOn = false;
  const late: (() => Promise<unknown>)[] = [];
  const sendLate = async (): Promise<void> => {
    // A late command may fail, like that of a connection that was closed.
    await Promise.allSettled(late.splice(0).map((command) => command()));
  };
  const wrap = <T extends Command>(command: T): T => {
    const send = async (...words: never[]): Promise<unknown> => {
      const fate = isOn ? random() : 1;
      if (fate < 0.06) throw new Error('failed before the command');
      if (fate < 0.12) {
        late.push(() => command(...words));
        throw new Error('timeout, and the command is late');
      }
      if (fate < 0.18) {
        const [one] = await Promise.all([command(...words), command(...words)]);
        return one;
      }
      if (fate < 0.24) void sendLate();
      const result = await command(...words);
      if (fate > 0.94 && fate < 1) throw new Error('failed after the command');
      return result;
    };
    return send as T;
  };
  return {
    wrap,
    start: () => void (isOn = true),
    settle: async () => {
      isOn = false;
      await sendLate();
    },
  };
}

/** Tests a store over connections with faults. `open` returns stores of two workers over one empty table. */
export function describeStoreFaults(
  open: (faults: FaultyConnections) => Promise<readonly [IntentStore, IntentStore]>,
): void {
  it('applies each write once if its commands fail before, after, late or twice', async () => {
    for (let seed = 1; seed <= runs(3); seed += 1) {
      const random = createRandom(seed);
      const faults = createFaults(random);
      const stores = await open(faults);
      faults.start();
      // The worker of each applied version. An applied write can also respond `lost`, after a further one.
      const done = new Map<string, string>();
      const raise = async (store: IntentStore, worker: number): Promise<void> => {
        for (let round = 0; round < 12; round += 1) {
          const reference = `ref-${Math.floor(random() * 3)}`;
          const before = await persist(() => store.read(reference));
          const version = (before?.version ?? 0) + 1;
          // Two workers want the same ids.
          const paymentId = random() < 0.5 ? `pay_test_${Math.floor(random() * 4)}` : undefined;
          const write = { fromVersion: version - 1, writeId: `${worker} ${round}` };
          const next = { ...intentOf(reference, version), paymentId, key: write.writeId };
          const result = await persist(() => store.swap(next, write));
          if (result !== 'done') continue;
          expect(done.get(`${reference} ${version}`)).toBeUndefined();
          done.set(`${reference} ${version}`, write.writeId);
        }
      };
      await Promise.all([0, 1, 2, 3].map((worker) => raise(stores[worker % 2 === 0 ? 0 : 1], worker)));
      await faults.settle();
      const intents = await listAll(stores[0]);
      expect(intents).toHaveLength(3);
      for (const { reference, version, key } of intents)
        expect(done.get(`${reference} ${version}`) ?? key).toBe(key);
      const ids = intents.flatMap(({ paymentId }) => paymentId ?? []);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
}

/** Repeats an operation until it succeeds. */
async function persist<T>(operation: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      const text = `${String(error)} ${String((error as Error).cause)}`;
      if (!/failed before|failed after|timeout, and/.test(text)) throw error;
    }
  }
}

async function listAll(store: IntentStore): Promise<readonly Intent[]> {
  const intents: Intent[] = [];
  for await (const intent of store.list({})) intents.push(intent);
  return intents;
}
