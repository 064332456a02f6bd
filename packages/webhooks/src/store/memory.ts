import { assertKnownOptions, assertWholeNumber } from '../options.ts';
import type { ClaimOutcome, ClaimState, DedupeStore, Renewal } from './store.ts';

/** Configures a memory store. */
export interface MemoryStoreOptions {
  /** Bounds the handled events that are remembered: at most this many, at least the latest half. Default 100 000. */
  readonly maxEntries?: number | undefined;
}

type Waiter = (outcome: ClaimOutcome) => void;

interface Claim {
  readonly key: string;
  readonly owner: string;
  /** Is its place in the list of those in progress. */
  place: number;
  /** Is made by the first who waits, since hardly any claim is waited for. */
  waiters?: Set<Waiter>;
}

/** Creates a dedupe store in the memory of one process. Throws `invalid_options`. */
export function memoryStore(options: MemoryStoreOptions = {}): DedupeStore {
  assertKnownOptions(options, ['maxEntries'], 'memoryStore');
  const { maxEntries = 100_000 } = options;
  assertWholeNumber(maxEntries, 'maxEntries', 2);
  const held = createHoldings(Math.floor(maxEntries / 2));
  const answers = createAnswers();

  return {
    // Nothing lapses by time; `maxEntries` is the bound.
    ttl: Infinity,
    claim: (key, owner) => {
      const holding = held.find(key);
      if (holding === undefined) held.claim(key, owner);
      return holding === undefined
        ? answers.claimed
        : holding === CONFIRMED
          ? answers.confirmed
          : answers.in_progress;
    },
    // A claim ends with its process, so that there is no lease to extend.
    renew: (key, owner) => (isHeldBy(owner, held.find(key)) ? answers.renewed : answers.lost),
    confirm: (key, owner) => {
      const holding = held.find(key);
      if (holding !== undefined && !isHeldBy(owner, holding)) return answers.lost;
      held.confirm(key, holding);
      return answers.confirmed;
    },
    release: (key, owner) => {
      const holding = held.find(key);
      if (isHeldBy(owner, holding)) held.release(holding);
      return answers.done;
    },
    wait: async (key, signal) => {
      const holding = held.find(key);
      if (holding === undefined) return 'released';
      return holding === CONFIRMED ? CONFIRMED : waitFor(holding, signal);
    },
  };
}

function isHeldBy(owner: string, holding: Holding | undefined): holding is Claim {
  return typeof holding === 'object' && holding.owner === owner;
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

type Holding = Claim | typeof CONFIRMED;

interface Holdings {
  readonly find: (key: string) => Holding | undefined;
  readonly claim: (key: string, owner: string) => void;
  readonly confirm: (key: string, claim: Claim | undefined) => void;
  readonly release: (claim: Claim) => void;
}

/**
 * Creates a memory of two generations: the older one is dropped whole when as many keys are confirmed in the younger,
 * which keeps every step cheap. Nothing is deleted on the usual way, since a map that shrinks costs as much as a hash.
 */
function createHoldings(generationSize: number): Holdings {
  let young = new Map<string, Holding>();
  let old = new Map<string, Holding>();
  let confirmed = 0;
  const running: Claim[] = [];

  const end = (claim: Claim, outcome: ClaimOutcome): void => {
    const last = running.pop();
    if (last !== undefined && last !== claim) {
      running[claim.place] = last;
      last.place = claim.place;
    }
    for (const settle of claim.waiters ?? []) settle(outcome);
  };

  const startGeneration = (): void => {
    [old, young] = [young, new Map()];
    confirmed = 0;
    // No flood of events pushes out a claim in progress.
    for (const claim of running) young.set(claim.key, claim);
  };

  return {
    find: (key) => young.get(key) ?? old.get(key),
    claim: (key, owner) => {
      const claim: Claim = { key, owner, place: running.length };
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

type Answers = { readonly [Word in ClaimState | Renewal]: Promise<Word> } & { readonly done: Promise<void> };

/** Creates promises that are kept for good: to make a new one for each answer costs more than looking it up. */
function createAnswers(): Answers {
  return {
    claimed: Promise.resolve('claimed'),
    in_progress: Promise.resolve('in_progress'),
    confirmed: Promise.resolve('confirmed'),
    renewed: Promise.resolve('renewed'),
    lost: Promise.resolve('lost'),
    done: Promise.resolve(),
  };
}
