import { wholeNumber } from '@service/internal';
import { parseOptions } from '../options.ts';
import type { DedupeStore } from './store.ts';

interface Claim {
  readonly owner: string;
  /** Created by the first waiter: few claims have any. */
  waiters?: Set<(outcome: 'confirmed' | 'released') => void>;
}

/**
 * Creates a deduplication store in memory, for one process.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function memoryStore(
  options: {
    /**
     * Maximum number of handled events to remember. At least the latest half of them is remembered.
     *
     * @default 100_000
     */
    readonly maxEntries?: number | undefined;
  } = {},
): DedupeStore {
  const fields = { maxEntries: wholeNumber(Number.MAX_SAFE_INTEGER, 2) };
  const { maxEntries = 100_000 } = parseOptions('The options of memoryStore', options, fields);
  // When the younger generation is full, the older one is dropped as a whole: deleting single keys from a map
  // would take as long as the hash.
  let young = new Map<string, Claim | 'confirmed'>();
  let old: typeof young = new Map();
  let confirmed = 0;

  const find = (key: string): Claim | 'confirmed' | undefined => young.get(key) ?? old.get(key);

  const startGeneration = (): void => {
    // Claims in progress are never dropped.
    const claims = [...old].filter(([, entry]) => entry !== 'confirmed');
    [old, young, confirmed] = [young, new Map(claims), 0];
  };

  const remember = (key: string): void => {
    if (confirmed >= Math.floor(maxEntries / 2)) startGeneration();
    old.delete(key);
    young.set(key, 'confirmed');
    confirmed += 1;
  };

  /** Ends a claim of an owner. Returns whether no other owner has or had the key. */
  const end = (key: string, owner: string, outcome: 'confirmed' | 'released'): boolean => {
    const entry = find(key);
    if (entry === 'confirmed') {
      if (outcome === 'confirmed' && !young.has(key)) remember(key);
      return false;
    }
    if (entry && entry.owner !== owner) return false;
    if (outcome === 'confirmed') remember(key);
    else for (const generation of [young, old]) generation.delete(key);
    for (const resolve of entry?.waiters ?? []) resolve(outcome);
    return true;
  };

  return {
    // Entries do not expire. `maxEntries` is the limit.
    ttl: Infinity,
    claim: async (key, owner) => {
      const entry = find(key);
      if (entry) return entry === 'confirmed' ? entry : 'in_progress';
      young.set(key, { owner });
      return 'claimed';
    },
    // A claim ends with its process, so it has no lease.
    renew: async (key, owner) => {
      const entry = find(key);
      return typeof entry === 'object' && entry.owner === owner ? 'renewed' : 'lost';
    },
    confirm: async (key, owner) => (end(key, owner, 'confirmed') ? 'confirmed' : 'lost'),
    release: async (key, owner) => void end(key, owner, 'released'),
    wait: async (key, signal) => {
      const entry = find(key);
      if (typeof entry !== 'object') return entry ?? 'released';
      return new Promise((resolve) => {
        const waiters = (entry.waiters ??= new Set());
        if (!signal.aborted) waiters.add(resolve);
        signal.addEventListener('abort', () => waiters.delete(resolve), { once: true });
      });
    },
  };
}
