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
  // From the oldest to the latest.
  const entries = new Map<string, Claim | 'confirmed'>();

  const remember = (key: string): void => {
    entries.delete(key);
    entries.set(key, 'confirmed');
    if (entries.size <= maxEntries) return;
    // Half of them at once: one at a time would take as long as the hash. Claims in progress are never dropped.
    for (const [oldest, entry] of entries) {
      if (entries.size <= maxEntries / 2) return;
      if (entry === 'confirmed') entries.delete(oldest);
    }
  };

  /** Ends a claim of an owner. Returns whether no other owner has or had the key. */
  const end = (key: string, owner: string, outcome: 'confirmed' | 'released'): boolean => {
    const entry = entries.get(key);
    if (typeof entry === 'object' && entry.owner !== owner) return false;
    if (outcome === 'confirmed') remember(key);
    else if (entry !== 'confirmed') entries.delete(key);
    if (entry === 'confirmed') return false;
    for (const resolve of entry?.waiters ?? []) resolve(outcome);
    return true;
  };

  return {
    // Entries do not expire. `maxEntries` is the limit.
    ttl: Infinity,
    claim: async (key, owner) => {
      const entry = entries.get(key);
      if (entry) return entry === 'confirmed' ? entry : 'in_progress';
      entries.set(key, { owner });
      return 'claimed';
    },
    // A claim ends with its process, so it has no lease.
    renew: async (key, owner) => {
      const entry = entries.get(key);
      return typeof entry === 'object' && entry.owner === owner ? 'renewed' : 'lost';
    },
    confirm: async (key, owner) => (end(key, owner, 'confirmed') ? 'confirmed' : 'lost'),
    release: async (key, owner) => void end(key, owner, 'released'),
    wait: async (key, signal) => {
      const entry = entries.get(key);
      if (typeof entry !== 'object') return entry ?? 'released';
      return new Promise((resolve) => {
        const waiters = (entry.waiters ??= new Set());
        if (!signal.aborted) waiters.add(resolve);
        signal.addEventListener('abort', () => waiters.delete(resolve), { once: true });
      });
    },
  };
}
