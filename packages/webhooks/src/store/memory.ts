import { assertKnownOptions, assertWholeNumber } from '../options.ts';
import type { ClaimOutcome, ClaimState, DedupeStore } from './store.ts';

/** Configures a memory store. */
export interface MemoryStoreOptions {
  /** Bounds the handled events that are remembered: at most this many, at least the latest half. Default 100 000. */
  readonly maxEntries?: number;
}

type Waiter = (outcome: ClaimOutcome) => void;

interface Claim {
  readonly owner: string;
  /** Is made by the first who waits, since hardly any claim is waited for. */
  waiters?: Set<Waiter>;
}

/** Creates a dedupe store in the memory of one process. Throws `invalid_options`. */
export function memoryStore(options: MemoryStoreOptions = {}): DedupeStore {
  assertKnownOptions(options, ['maxEntries'], 'memoryStore');
  const { maxEntries = 100_000 } = options;
  assertWholeNumber(maxEntries, 'maxEntries', 2);
  const confirmed = createRecentSet(Math.floor(maxEntries / 2));
  // Apart from the confirmed keys, so that no flood of events can push out a claim in progress.
  const claims = new Map<string, Claim>();

  const answers = createAnswers();

  const end = (key: string, owner: string, outcome: ClaimOutcome): Promise<void> => {
    const claim = claims.get(key);
    if (claim !== undefined && claim.owner !== owner) return answers.done;
    claims.delete(key);
    if (outcome === 'confirmed') confirmed.add(key);
    for (const settle of claim?.waiters ?? []) settle(outcome);
    return answers.done;
  };

  return {
    // Nothing lapses by time; `maxEntries` is the bound.
    ttl: Infinity,
    claim: (key, owner) => {
      if (confirmed.has(key)) return answers.confirmed;
      if (claims.has(key)) return answers.in_progress;
      claims.set(key, { owner });
      return answers.claimed;
    },
    confirm: (key, owner) => end(key, owner, 'confirmed'),
    release: (key, owner) => end(key, owner, 'released'),
    wait: async (key, signal) => {
      const claim = claims.get(key);
      if (claim === undefined) return confirmed.has(key) ? 'confirmed' : 'released';
      return waitFor(claim, signal);
    },
  };
}

function waitFor(claim: Claim, signal: AbortSignal): Promise<ClaimOutcome> {
  return new Promise((resolve) => {
    if (signal.aborted) return;
    const waiters = (claim.waiters ??= new Set());
    waiters.add(resolve);
    signal.addEventListener('abort', () => waiters.delete(resolve), { once: true });
  });
}

type Answers = { readonly [State in ClaimState]: Promise<State> } & { readonly done: Promise<void> };

/** Creates promises that are kept for good: to make a new one for each answer costs more than looking it up. */
function createAnswers(): Answers {
  return {
    claimed: Promise.resolve('claimed'),
    in_progress: Promise.resolve('in_progress'),
    confirmed: Promise.resolve('confirmed'),
    done: Promise.resolve(),
  };
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
