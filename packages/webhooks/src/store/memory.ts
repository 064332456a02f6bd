import { assertKnownOptions, assertWholeNumber } from '../options.ts';
import type { ClaimOutcome, DedupeStore } from './store.ts';

/** Configures a memory store. */
export interface MemoryStoreOptions {
  /** Bounds the handled events that are remembered: at most this many, at least the latest half. Default 100 000. */
  readonly maxEntries?: number;
}

interface Claim {
  readonly owner: string;
  readonly waiters: Set<(outcome: ClaimOutcome) => void>;
}

/** Creates a dedupe store in the memory of one process. Throws `invalid_options`. */
export function memoryStore(options: MemoryStoreOptions = {}): DedupeStore {
  assertKnownOptions(options, ['maxEntries'], 'memoryStore');
  const { maxEntries = 100_000 } = options;
  assertWholeNumber(maxEntries, 'maxEntries', 2);
  const confirmed = createRecentSet(Math.floor(maxEntries / 2));
  // Apart from the confirmed keys, so that no flood of events can push out a claim in progress.
  const claims = new Map<string, Claim>();

  const end = (key: string, owner: string, outcome: ClaimOutcome): void => {
    const claim = claims.get(key);
    if (claim !== undefined && claim.owner !== owner) return;
    claims.delete(key);
    if (outcome === 'confirmed') confirmed.add(key);
    for (const settle of claim?.waiters ?? []) settle(outcome);
  };

  return {
    // Nothing lapses by time; `maxEntries` is the bound.
    ttl: Infinity,
    claim: async (key, owner) => {
      if (confirmed.has(key)) return 'confirmed';
      if (claims.has(key)) return 'in_progress';
      claims.set(key, { owner, waiters: new Set() });
      return 'claimed';
    },
    confirm: async (key, owner) => end(key, owner, 'confirmed'),
    release: async (key, owner) => end(key, owner, 'released'),
    wait: async (key, signal) => {
      const claim = claims.get(key);
      if (claim === undefined) return confirmed.has(key) ? 'confirmed' : 'released';
      return waitFor(claim, signal);
    },
  };
}

function waitFor({ waiters }: Claim, signal: AbortSignal): Promise<ClaimOutcome> {
  return new Promise((resolve) => {
    if (signal.aborted) return;
    waiters.add(resolve);
    signal.addEventListener('abort', () => waiters.delete(resolve), { once: true });
  });
}

interface RecentSet {
  add(key: string): void;
  has(key: string): boolean;
}

/** Creates a set of two generations: the older one is dropped whole when the younger is full, which keeps every step cheap. */
function createRecentSet(generationSize: number): RecentSet {
  let young = new Set<string>();
  let old = new Set<string>();
  return {
    add: (key) => {
      if (young.size >= generationSize) [old, young] = [young, new Set()];
      young.add(key);
    },
    has: (key) => young.has(key) || old.has(key),
  };
}
