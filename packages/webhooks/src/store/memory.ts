import { wholeNumber } from '@service/internal';
import { parseOptions } from '../options.ts';
import type { ClaimOutcome, ClaimState, DedupeStore, Renewal } from './store.ts';

/** The size of a store in memory. */
export interface MemoryStoreOptions {
  /**
   * Maximum number of handled events to remember. At least the latest half of them is remembered.
   *
   * @default 100_000
   */
  readonly maxEntries?: number | undefined;
}

type Waiter = (outcome: ClaimOutcome) => void;

interface Claim {
  readonly key: string;
  readonly owner: string;
  /** The index in the list of claims in progress. */
  index: number;
  /** Created by the first waiter: few claims have any. */
  waiters?: Set<Waiter>;
}

/**
 * Creates a deduplication store in memory, for one process.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function memoryStore(options: MemoryStoreOptions = {}): DedupeStore {
  const fields = { maxEntries: wholeNumber(Number.MAX_SAFE_INTEGER, 2) };
  const { maxEntries = 100_000 } = parseOptions('memoryStore', options, fields);
  const table = createClaimTable(Math.floor(maxEntries / 2));
  const results = createResults();

  return {
    // Entries do not expire. `maxEntries` is the limit.
    ttl: Infinity,
    claim: (key, owner) => {
      const entry = table.find(key);
      if (entry === undefined) table.claim(key, owner);
      return entry === undefined
        ? results.claimed
        : entry === CONFIRMED
          ? results.confirmed
          : results.in_progress;
    },
    // A claim ends with its process, so it has no lease.
    renew: (key, owner) => (isClaimOf(owner, table.find(key)) ? results.renewed : results.lost),
    confirm: (key, owner) => {
      const entry = table.find(key);
      if (entry !== undefined && !isClaimOf(owner, entry)) return results.lost;
      table.confirm(key, entry);
      return results.confirmed;
    },
    release: (key, owner) => {
      const entry = table.find(key);
      if (isClaimOf(owner, entry)) table.release(entry);
      return results.done;
    },
    wait: async (key, signal) => {
      const entry = table.find(key);
      if (entry === undefined) return 'released';
      return entry === CONFIRMED ? CONFIRMED : waitFor(entry, signal);
    },
  };
}

function isClaimOf(owner: string, entry: Entry | undefined): entry is Claim {
  return typeof entry === 'object' && entry.owner === owner;
}

function waitFor(claim: Claim, signal: AbortSignal): Promise<ClaimOutcome> {
  return new Promise((resolve) => {
    if (signal.aborted) return;
    const waiters = (claim.waiters ??= new Set());
    waiters.add(resolve);
    signal.addEventListener('abort', () => waiters.delete(resolve), { once: true });
  });
}

const CONFIRMED = 'confirmed';

type Entry = Claim | typeof CONFIRMED;

interface ClaimTable {
  readonly find: (key: string) => Entry | undefined;
  readonly claim: (key: string, owner: string) => void;
  readonly confirm: (key: string, claim: Claim | undefined) => void;
  readonly release: (claim: Claim) => void;
}

/**
 * Creates a table of two generations. When the younger one is full of confirmed keys, the older one is
 * dropped as a whole: deleting single keys from a map would take as long as the hash.
 */
function createClaimTable(generationSize: number): ClaimTable {
  let young = new Map<string, Entry>();
  let old = new Map<string, Entry>();
  let confirmed = 0;
  const running: Claim[] = [];

  const end = (claim: Claim, outcome: ClaimOutcome): void => {
    const last = running.pop();
    if (last !== undefined && last !== claim) {
      running[claim.index] = last;
      last.index = claim.index;
    }
    for (const settle of claim.waiters ?? []) settle(outcome);
  };

  const startGeneration = (): void => {
    [old, young] = [young, new Map()];
    confirmed = 0;
    // Claims in progress are never dropped.
    for (const claim of running) young.set(claim.key, claim);
  };

  return {
    find: (key) => young.get(key) ?? old.get(key),
    claim: (key, owner) => {
      const claim: Claim = { key, owner, index: running.length };
      running.push(claim);
      young.set(key, claim);
    },
    confirm: (key, claim) => {
      if (confirmed >= generationSize) startGeneration();
      confirmed += 1;
      young.set(key, CONFIRMED);
      if (claim !== undefined) end(claim, CONFIRMED);
    },
    release: (claim) => {
      young.delete(claim.key);
      old.delete(claim.key);
      end(claim, 'released');
    },
  };
}

type Results = { readonly [Word in ClaimState | Renewal]: Promise<Word> } & { readonly done: Promise<void> };

/** Creates promises to reuse: creating one per call takes longer than the lookup. */
function createResults(): Results {
  return {
    claimed: Promise.resolve('claimed'),
    in_progress: Promise.resolve('in_progress'),
    confirmed: Promise.resolve('confirmed'),
    renewed: Promise.resolve('renewed'),
    lost: Promise.resolve('lost'),
    done: Promise.resolve(),
  };
}
