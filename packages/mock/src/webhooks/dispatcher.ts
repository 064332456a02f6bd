import type { Delivery } from '../domain/delivery.ts';
import type { DeliveryFault } from '../domain/fault.ts';
import type { Faults } from '../state/faults.ts';
import type { CommittedPayment } from '../state/state.ts';
import type { AddressPolicy } from './address.ts';
import { attemptDelivery, type AttemptOptions, type TimeoutOptions } from './attempt.ts';
import { createInProcessEndpoints, type InProcessEndpoints } from './in-process-endpoint.ts';
import { createOutbox } from './outbox.ts';
import { createDeferred, type Deferred } from '@service/internal';
import type { AccountState } from '../state/account-state.ts';

/** Delivers webhook events. */
export interface Deliveries {
  /**
   * Queues the first attempts of events, in order for each account and mode, after the response to their
   * request. Resolves after the first attempts, if there are any. Retries run on the clock and delay nothing.
   */
  readonly dispatch: (committed: CommittedPayment) => Promise<void> | undefined;
  /** Attempts a delivery again, immediately. Uses no place in the schedule of its retries. */
  readonly redeliver: (accountState: AccountState, id: string) => Promise<void>;
  /** Resumes the deliveries of restored account states: queued events in order, retries on the clock. */
  readonly resume: (restored: readonly AccountState[]) => void;
  /** Resolves when no attempt of one account, or of any account, is due or running. */
  readonly idle: (account?: string) => Promise<void>;
  /** Returns the number of due and running attempts. */
  readonly countPending: () => number;
  /** Starts to wait for the attempts of a move of the clock. */
  readonly startWait: () => AttemptWait;
  /** Waits until idle, up to the timeout of a receiver. No attempt starts after that. */
  readonly close: () => Promise<void>;
  /** Calls a listener after each attempt. Returns a function that removes it. */
  readonly watch: (listener: DeliveryListener) => () => void;
  readonly addresses: AddressPolicy;
  readonly faults: Faults<DeliveryFault>;
  readonly inProcessEndpoints: InProcessEndpoints;
}

/** Called after each attempt of a delivery. */
type DeliveryListener = (accountState: AccountState, delivery: Delivery) => void;

/** The options of webhook delivery. */
export interface DeliveryOptions extends Omit<AttemptOptions, 'inProcessEndpoints'> {
  readonly faults: Faults<DeliveryFault>;
  /** Called for an event that cannot be written. It is not sent. */
  readonly onDefect: (error: unknown) => void;
}

/** Creates the delivery of a sandbox. */
export function createDeliveries(options: DeliveryOptions): Deliveries {
  const outbox = createOutbox(options.faults, options.durability, options.onDefect);
  const inProcessEndpoints = createInProcessEndpoints();
  const pending = new PendingAttempts(options);
  const dispatcher: Dispatcher = {
    ...options,
    inProcessEndpoints,
    pending,
    attempts: createSemaphore(CONCURRENCY),
    queues: new WeakMap(),
    listeners: new Set(),
    isClosed: false,
  };
  return {
    dispatch(committed) {
      const groups = outbox.add(committed.accountState, committed.payment);
      if (groups.length === 0) return undefined;
      const sent = Promise.all(groups.map((ids) => sendGroup(dispatcher, ids, committed)));
      return sent.then(() => {});
    },
    redeliver: (accountState, id) => retryDelivery(dispatcher, accountState, { id, isManual: true }),
    resume(restored) {
      pending.clearReplaced();
      for (const accountState of restored)
        for (const ids of outbox.restore(accountState)) void sendGroup(dispatcher, ids, { accountState });
    },
    idle: pending.idle,
    countPending: pending.count,
    startWait: pending.startWait,
    async close() {
      await waitAtMost(options, pending.idle());
      dispatcher.isClosed = true;
    },
    watch(listener) {
      dispatcher.listeners.add(listener);
      return () => void dispatcher.listeners.delete(listener);
    },
    addresses: options.addresses,
    faults: options.faults,
    inProcessEndpoints,
  };
}

/** The running and waiting attempts of a sandbox. */
interface Dispatcher extends DeliveryOptions, AttemptOptions {
  /** Limits the attempts over all endpoints. */
  readonly attempts: Semaphore;
  readonly queues: WeakMap<AccountState, EndpointQueue>;
  readonly pending: PendingAttempts;
  readonly listeners: Set<DeliveryListener>;
  /** Starts no further attempts. Running attempts continue. */
  isClosed: boolean;
}

/** The attempts of one endpoint. A slow endpoint does not delay other ones. */
interface EndpointQueue {
  /** Resolves after the last queued first attempt. First attempts run one event after another. */
  first: Promise<void>;
  /** Limits the retries, which never delay first attempts. */
  readonly retries: Semaphore;
}

/**
 * Maximum number of concurrent attempts over all endpoints. An unresponsive endpoint uses at most nine: one
 * first attempt and eight retries.
 */
const CONCURRENCY = 256;

/** Maximum number of concurrent retries and redeliveries per endpoint. */
const RETRY_CONCURRENCY = 8;

/** Sends a group of deliveries at the same time, after earlier groups, or at the time of its `next_at`. */
async function sendGroup(
  dispatcher: Dispatcher,
  ids: readonly string[],
  { accountState, after, ahead = false }: Omit<CommittedPayment, 'payment'>,
): Promise<void> {
  const later = ids.filter((id) => scheduleNext(dispatcher, accountState, id));
  if (later.length > 0) return;
  const isSent = after?.wait();
  const task = async (): Promise<void> => {
    await isSent;
    await Promise.all(ids.map((id) => attemptFirst(dispatcher, accountState, id)));
  };
  const queue = queueOf(dispatcher, accountState);
  const sent = ahead ? task() : queue.first.then(task);
  queue.first = ahead ? queue.first.then(() => sent) : sent;
  await dispatcher.pending.track(accountState, ids.length, sent);
}

/** Runs the first attempt, unless a manual one has run before. */
async function attemptFirst(dispatcher: Dispatcher, accountState: AccountState, id: string): Promise<void> {
  if (accountState.deliveries.get(id)?.state === 'queued') await runAttempt(dispatcher, accountState, { id });
}

/** The delivery of an attempt. */
interface AttemptTarget {
  readonly id: string;
  /** Whether the attempt is a manual one, which the schedule of the retries does not count. */
  readonly isManual?: boolean;
}

/** Runs an attempt as soon as the endpoint has a free slot for retries. */
function retryDelivery(
  dispatcher: Dispatcher,
  accountState: AccountState,
  target: AttemptTarget,
): Promise<void> {
  const { retries } = queueOf(dispatcher, accountState);
  const ended = retries(() => runAttempt(dispatcher, accountState, target));
  return dispatcher.pending.track(accountState, 1, ended);
}

/** Runs an attempt as soon as a slot is free, and schedules the next one. */
function runAttempt(
  dispatcher: Dispatcher,
  accountState: AccountState,
  { id, isManual = false }: AttemptTarget,
): Promise<void> {
  const { pending } = dispatcher;
  return dispatcher.attempts(async () => {
    if (dispatcher.isClosed) return;
    pending.noteProgress();
    try {
      const delivery = await attemptDelivery(accountState, id, { ...dispatcher, isManual });
      if (delivery === undefined) return;
      if (hasTimedOut(delivery)) pending.noteTimeout(accountState);
      for (const listener of dispatcher.listeners) listener(accountState, delivery);
      if (!isManual) scheduleNext(dispatcher, accountState, id);
    } catch (error) {
      dispatcher.onDefect(error);
    } finally {
      pending.noteProgress();
    }
  });
}

function hasTimedOut({ attempts }: Delivery): boolean {
  const result = attempts.at(-1)?.result;
  return result?.outcome === 'failed' && result.reason === 'timeout';
}

/** Schedules the next attempt of a delivery on the clock. Returns false if it has none. */
function scheduleNext(dispatcher: Dispatcher, accountState: AccountState, id: string): boolean {
  const at = accountState.deliveries.get(id)?.next_at ?? null;
  if (at === null || accountState.isReplaced) return false;
  const run = (): void => {
    const isStillDue = accountState.deliveries.get(id)?.next_at === at;
    if (isStillDue) void retryDelivery(dispatcher, accountState, { id });
  };
  dispatcher.clock.schedule({ at, tieBreaker: id, owner: accountState, run });
  return true;
}

function queueOf({ queues }: Dispatcher, accountState: AccountState): EndpointQueue {
  const known = queues.get(accountState);
  if (known !== undefined) return known;
  const queue = { first: Promise.resolve(), retries: createSemaphore(RETRY_CONCURRENCY) };
  queues.set(accountState, queue);
  return queue;
}

async function waitAtMost({ timeout, startTimer }: DeliveryOptions, promise: Promise<void>): Promise<void> {
  const { promise: expired, resolve } = createDeferred();
  const cancel = startTimer(timeout, resolve);
  await Promise.race([promise, expired]);
  cancel();
}

/** Runs a task as soon as a slot is free, in first-in, first-out order. */
type Semaphore = (task: () => Promise<void>) => Promise<void>;

/** Creates a semaphore with `limit` slots. */
function createSemaphore(limit: number): Semaphore {
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

/** Waits for the attempts of a move of the clock. */
interface AttemptWait {
  /**
   * Resolves when no attempt is pending, except at the endpoints that have exceeded the timeout since the start of the
   * wait.
   */
  readonly settle: () => Promise<void>;
  readonly end: () => void;
}

/** The due and running attempts of a sandbox. */
class PendingAttempts {
  readonly #options: TimeoutOptions;
  readonly #counts = new Map<AccountState, number>();
  /** The endpoints that each wait ignores. */
  readonly #ignoredByWait = new Set<Set<AccountState>>();
  #change: Deferred<void> | undefined;
  #hasProgress = false;

  constructor(options: TimeoutOptions) {
    this.#options = options;
  }

  /** Counts attempts of an endpoint until a promise resolves. The promise must not reject. */
  async track(accountState: AccountState, attempts: number, ended: Promise<void>): Promise<void> {
    this.#counts.set(accountState, (this.#counts.get(accountState) ?? 0) + attempts);
    await ended;
    const left = (this.#counts.get(accountState) ?? 0) - attempts;
    if (left > 0) this.#counts.set(accountState, left);
    else if (this.#counts.delete(accountState)) this.#notify();
  }

  /** Returns the number of pending attempts. */
  readonly count = (): number => [...this.#counts.values()].reduce((sum, attempts) => sum + attempts, 0);

  /** Ends every wait for the attempts of replaced states. */
  clearReplaced(): void {
    for (const accountState of this.#counts.keys())
      if (accountState.isReplaced) this.#counts.delete(accountState);
    this.#notify();
  }

  /** Called when an attempt starts or ends. */
  noteProgress(): void {
    this.#hasProgress = true;
  }

  /** Called when the receiver of an attempt has exceeded the timeout. */
  noteTimeout(accountState: AccountState): void {
    for (const ignored of this.#ignoredByWait) ignored.add(accountState);
    this.#notify();
  }

  /** Resolves when no attempt of one account, or of any account, is pending. */
  readonly idle = async (account?: string): Promise<void> => {
    const isPending = (): boolean =>
      [...this.#counts.keys()].some((each) => account === undefined || each.account === account);
    while (isPending()) await this.#nextChange();
  };

  /**
   * Starts to wait for the attempts of a move of the clock. The wait also ends when for the time of a timeout no attempt
   * starts or ends: an unread response or a full disk holds the attempts then.
   */
  readonly startWait = (): AttemptWait => {
    const ignored = new Set<AccountState>();
    this.#ignoredByWait.add(ignored);
    const isSettled = (): boolean => {
      for (const accountState of this.#counts.keys()) if (!ignored.has(accountState)) return false;
      return true;
    };
    const ignoreAll = (): void => {
      for (const accountState of this.#counts.keys()) ignored.add(accountState);
      this.#notify();
    };
    const settle = async (): Promise<void> => {
      if (isSettled()) return;
      const stopWatching = this.#watchProgress(ignoreAll);
      while (!isSettled()) await this.#nextChange();
      stopWatching();
    };
    return { settle, end: () => void this.#ignoredByWait.delete(ignored) };
  };

  /** Calls a function after a time without progress. Returns a function that ends the watch. */
  #watchProgress(onStall: () => void): () => void {
    const { timeout, startTimer } = this.#options;
    const check = (): void => {
      if (!this.#hasProgress) return onStall();
      this.#hasProgress = false;
      cancel = startTimer(timeout, check);
    };
    let cancel = startTimer(timeout, check);
    return () => cancel();
  }

  #nextChange(): Promise<void> {
    return (this.#change ??= createDeferred()).promise;
  }

  #notify(): void {
    this.#change?.resolve();
    this.#change = undefined;
  }
}
