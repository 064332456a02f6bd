import { runClock } from '@service/internal';
import { CLAIM_OUTCOMES, CLAIM_STATES, type DedupeStore, withTimeout } from './store.ts';

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

/** The commands of a store that several processes share. Each resolves to a word as its client returns it. */
export interface StoreCommands {
  /** Claims a free or expired key. Returns a `ClaimState`. */
  readonly claim: (key: string, owner: string, lease: number) => Promise<unknown>;
  /** Returns `in_progress`, or the `ClaimOutcome` of an ended claim. */
  readonly read: (key: string) => Promise<unknown>;
  /** Returns `renewed`, or `lost` if another owner has the key or it was confirmed. */
  readonly renew: (key: string, owner: string, lease: number) => Promise<unknown>;
  /** Returns `confirmed`, or `lost` if another owner has or had the key. Renews the time of a confirmed key. */
  readonly confirm: (key: string, owner: string, ttl: number) => Promise<unknown>;
  readonly release: (key: string, owner: string) => Promise<unknown>;
}

/** Resolves to the word of a reply, also in bytes. A guess at any other reply would lose an event or handle it twice. */
export async function readWord<const Word extends string>(
  reply: Promise<unknown>,
  allowed: readonly Word[],
): Promise<Word> {
  const value = await reply;
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  const word = allowed.find((each) => each === text);
  if (word !== undefined) return word;
  const found = value === null ? 'null' : `another ${typeof value}`;
  throw new TypeError(
    `The store expects ${allowed.join(' or ')} from its client, which returned ${found}. Pass a client that does not convert replies.`,
  );
}

/** Creates a store from its commands. */
export function createSharedStore(
  { claim, read, renew, confirm, release }: StoreCommands,
  { ttl = 604_800_000 }: SharedStoreOptions,
): DedupeStore & { readonly ttl: number } {
  return {
    ttl,
    claim: (key, owner, lease = DEFAULT_LEASE) =>
      readWord(withTimeout(claim(key, owner, lease)), CLAIM_STATES),
    renew: (key, owner, lease) => readWord(withTimeout(renew(key, owner, lease)), ['renewed', 'lost']),
    confirm: (key, owner) => readWord(withTimeout(confirm(key, owner, ttl)), ['confirmed', 'lost']),
    release: async (key, owner) => void (await withTimeout(release(key, owner))),
    wait: async (key, signal) => {
      while (!signal.aborted) {
        const state = await readWord(withTimeout(read(key)), ['in_progress', ...CLAIM_OUTCOMES]);
        if (signal.aborted) break;
        if (state !== 'in_progress') return state;
        await runClock.sleep(POLL_INTERVAL, signal);
      }
      return new Promise(() => {});
    },
  };
}
