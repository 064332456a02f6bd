import type { AccountState } from '../state/account-state.ts';

/** Runs a task as soon as a slot is free, in first-in, first-out order. */
export type Semaphore = (task: () => Promise<void>) => Promise<void>;

/** Creates a semaphore with `limit` slots. */
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
    // The finishing task passes its slot to the next one.
    else await new Promise<void>((start) => void waiting.push(start));
    try {
      await task();
    } finally {
      release();
    }
  };
}

/** Runs tasks one at a time, in the order in which they were added. */
export interface SerialQueue {
  /** Adds a task. Resolves after it has run. */
  readonly add: (task: () => Promise<void>) => Promise<void>;
  /** Adds a task that is already running. Later tasks wait for it. */
  readonly addRunning: (running: Promise<void>) => Promise<void>;
}

/** Creates an empty queue. Its tasks must not throw. */
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

/** A set of pending promises. */
export interface PendingSet {
  /** Adds a promise until it settles. It must not reject. */
  readonly track: (promise: Promise<void>) => Promise<void>;
  /** Resolves when the set is empty. Waits also for promises that are added in the meantime. */
  readonly idle: () => Promise<void>;
  /** Removes all promises. */
  readonly clear: () => void;
}

/** Creates an empty set. */
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

/** The queues of one endpoint, independent of other endpoints. */
export interface EndpointQueue {
  /** First attempts, one event after another. */
  readonly first: SerialQueue;
  /** Retries, a few at a time. They never delay first attempts. */
  readonly retries: Semaphore;
}

/** Returns the queues of an account and mode. */
export type EndpointQueues = (accountState: AccountState) => EndpointQueue;

/** Maximum number of concurrent retries and redeliveries per endpoint. */
const RETRY_CONCURRENCY = 8;

/** Creates the queues of a sandbox. */
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
