import type { AccountState } from '../state/account-state.ts';

/** Runs a task as soon as there is room for it; the others before it first. */
export type Semaphore = (task: () => Promise<void>) => Promise<void>;

/** Creates a gate that at most `limit` tasks are inside of at once. */
export function createSemaphore(limit: number): Semaphore {
  const waiting: (() => void)[] = [];
  let active = 0;
  let next = 0;
  const release = (): void => {
    const start = waiting[next];
    if (start === undefined) {
      active -= 1;
      waiting.length = next = 0;
    } else {
      next += 1;
      start();
    }
  };
  return async (task) => {
    if (active < limit) active += 1;
    // Whoever leaves hands its place on.
    else await new Promise<void>((start) => void waiting.push(start));
    try {
      await task();
    } finally {
      release();
    }
  };
}

/** Runs tasks one after another, in the order in which they were added. */
export interface SerialQueue {
  /** Adds a task; fulfilled when it has run. */
  readonly add: (task: () => Promise<void>) => Promise<void>;
  /** Adds a task that runs already: what is added later waits for it too. */
  readonly addRunning: (running: Promise<void>) => Promise<void>;
}

/** Creates an empty queue; its tasks must not throw. */
export function createSerialQueue(): SerialQueue {
  let tail = Promise.resolve();
  return {
    add(task) {
      tail = tail.then(task);
      return tail;
    },
    addRunning(running) {
      tail = tail.then(() => running);
      return running;
    },
  };
}

/** Knows what is under way. */
export interface PendingSet {
  /** Counts a promise as under way until it is settled; it must not reject. */
  readonly track: (promise: Promise<void>) => Promise<void>;
  /** Fulfilled when nothing is under way, what came to be under way in the meantime included. */
  readonly idle: () => Promise<void>;
  /** Counts nothing as under way any more. */
  readonly clear: () => void;
}

/** Creates a tracker of nothing yet. */
export function createPendingSet(): PendingSet {
  const pending = new Set<Promise<void>>();
  return {
    async track(promise) {
      pending.add(promise);
      await promise;
      pending.delete(promise);
    },
    clear: () => pending.clear(),
    async idle() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/** Keeps the attempts at the endpoint of one books apart from those at all others. */
export interface EndpointQueue {
  /** First attempts, one event after another. */
  readonly first: SerialQueue;
  /** Attempts after the first, a few at a time, beside the queue and so never in front of it. */
  readonly retries: Semaphore;
}

/** Finds the line of books; the same one each time. */
export type EndpointQueues = (accountState: AccountState) => EndpointQueue;

/** Bounds the retries and redeliveries to one endpoint that are under way at once. */
const RETRY_CONCURRENCY = 8;

/** Creates the lines of a sandbox. */
export function createEndpointQueues(): EndpointQueues {
  const lines = new WeakMap<AccountState, EndpointQueue>();
  return (accountState) => {
    const line = lines.get(accountState) ?? {
      first: createSerialQueue(),
      retries: createSemaphore(RETRY_CONCURRENCY),
    };
    lines.set(accountState, line);
    return line;
  };
}
