import { type Intent, type IntentStore, memoryStore, type SwapResult } from '../../src/entries/payer.ts';

/** Runs other tasks first, a random number of times. */
export async function pause(random: () => number, most = 6): Promise<void> {
  for (let turns = Math.floor(random() * most); turns > 0; turns -= 1) await Promise.resolve();
}

/**
 * An intent store over a network that fails: writes are delayed, duplicated, applied although they report a failure, applied late,
 * or lost, and reads are stale.
 */
export function createFaultyStore(random: () => number): IntentStore & {
  readonly inner: IntentStore;
  /** Waits until every late write has been applied. */
  readonly settled: () => Promise<void>;
} {
  const inner = memoryStore();
  const history = new Map<string, Intent[]>();
  const late: Promise<unknown>[] = [];
  const apply: IntentStore['swap'] = async (next, write) => {
    const result = await inner.swap(next, write);
    const versions = history.get(next.reference) ?? [];
    if (result === 'done' && versions.at(-1)?.version !== next.version) {
      history.set(next.reference, [...versions, next]);
    }
    return result;
  };
  return {
    inner,
    settled: async () => void (await Promise.all(late)),
    list: (filter) => inner.list(filter),
    bindAccount: (account) => inner.bindAccount(account),
    read: async (reference) => {
      await pause(random);
      if (random() < 0.05) throw new Error('read failed');
      const versions = [undefined, ...(history.get(reference) ?? [])];
      return random() < 0.3 ? versions[Math.floor(random() * versions.length)] : versions.at(-1);
    },
    swap: async (intent, write): Promise<SwapResult> => {
      await pause(random);
      const fate = random();
      if (fate < 0.1) throw new Error('failed before the write');
      if (fate < 0.2) {
        late.push(pause(random, 200).then(() => apply(intent, write)));
        throw new Error('timeout, and the write is late');
      }
      const result = await apply(intent, write);
      if (fate < 0.3) throw new Error('failed after the write');
      // The driver resends a command without a response: the result is that of the second time.
      if (fate < 0.5) return apply(intent, write);
      if (fate < 0.6) late.push(pause(random, 200).then(() => apply(intent, write)));
      await pause(random);
      return result;
    },
  };
}
