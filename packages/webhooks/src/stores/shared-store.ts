import { runClock } from '@service/internal';
import { type ClaimState, type DedupeStore, withTimeout } from './store.ts';

/** The options of stores that several processes share. */
export interface SharedStoreOptions {
  /**
   * Time for which handled events are remembered, in milliseconds.
   *
   * @default 604_800_000
   */
  readonly ttl?: number | undefined;
}

/** The default lease of a claim, in milliseconds. */
const DEFAULT_LEASE = 60_000;

/** Time between two reads while a duplicate waits, in milliseconds. */
const POLL_INTERVAL = 50;

/** The commands of a store that several processes share. */
export interface StoreCommands {
  /** Writes a claim over no other or an expired one. Resolves to whether it was written. */
  readonly claim: (key: string, owner: string, lease: number) => Promise<boolean>;
  /** Reads the state of a key: `claimed` if this owner has claimed it, undefined without a claim. */
  readonly read: (key: string, owner?: string) => Promise<ClaimState | undefined>;
  /** Renews a claim or confirms it. Resolves to false if another owner has the key or it was confirmed. */
  readonly update: (key: string, owner: string, duration: number, isConfirmed: boolean) => Promise<boolean>;
  readonly release: (key: string, owner: string) => Promise<unknown>;
}

/** Creates a store from its commands. */
export function createSharedStore(
  { claim, read, update, release }: StoreCommands,
  { ttl = 604_800_000 }: SharedStoreOptions,
): DedupeStore & { readonly ttl: number } {
  return {
    ttl,
    claim: async (key, owner, lease = DEFAULT_LEASE) => {
      // The existing claim may expire between the two commands.
      for (let attempt = 0; attempt < 3; attempt += 1) {
        if (await withTimeout(claim(key, owner, lease))) return 'claimed';
        const state = await withTimeout(read(key, owner));
        if (state !== undefined) return state;
      }
      throw new TypeError(
        'The key could not be claimed and has no claim. Connect the store to the primary, not to a replica.',
      );
    },
    renew: async (key, owner, lease) =>
      (await withTimeout(update(key, owner, lease, false))) ? 'renewed' : 'lost',
    confirm: async (key, owner) =>
      (await withTimeout(update(key, owner, ttl, true))) ? 'confirmed' : 'lost',
    release: async (key, owner) => void (await withTimeout(release(key, owner))),
    wait: async (key, signal) => {
      while (!signal.aborted) {
        const state = await withTimeout(read(key));
        if (signal.aborted) break;
        if (state !== 'in_progress') return state ? 'confirmed' : 'released';
        await runClock.sleep(POLL_INTERVAL, signal);
      }
      return new Promise(() => {});
    },
  };
}
