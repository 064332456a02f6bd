import {
  clearInterval,
  clearTimeout,
  createDeferred,
  type Deferred,
  memoize,
  setInterval,
  setTimeout,
} from '@service/internal';
import type { AccountState } from '../state/account-state.ts';
import type { CommittedPayment } from '../state/state.ts';
import type { AddressPolicy } from './address.ts';
import { attemptDelivery, type AttemptOptions } from './attempt.ts';
import { InProcessEndpoints } from './in-process-endpoint.ts';
import { addEvent, type DeliveryGroups, listUnsent, type OutboxOptions } from './outbox.ts';

/** The options of webhook delivery. */
interface DeliveryOptions extends Omit<AttemptOptions, 'inProcessEndpoints'>, OutboxOptions {
  /** Called for an event that cannot be written, which is not sent, and for an unexpected error. */
  readonly onDefect: (error: unknown) => void;
}

/** The attempts of one endpoint. A slow endpoint does not delay other ones. */
class EndpointQueue {
  /** Resolves after the last queued first attempt. First attempts run one event after another. */
  first: Promise<void> = Promise.resolve();
  /** Limits the retries, which never delay first attempts. */
  readonly retries: Semaphore = createSemaphore(RETRY_CONCURRENCY);
}

/**
 * Maximum number of concurrent attempts over all endpoints. An unresponsive endpoint uses at most nine: one
 * first attempt and eight retries.
 */
const CONCURRENCY = 256;

/** Maximum number of concurrent retries and redeliveries per endpoint. */
const RETRY_CONCURRENCY = 8;

/** Delivers the webhook events of a sandbox. */
export class Deliveries {
  readonly addresses: AddressPolicy;
  readonly inProcessEndpoints: InProcessEndpoints = new InProcessEndpoints();
  readonly #options: DeliveryOptions & AttemptOptions;
  /** Limits the attempts over all endpoints. */
  readonly #attempts = createSemaphore(CONCURRENCY);
  readonly #queueOf = memoize<AccountState, EndpointQueue>(() => new EndpointQueue());
  /** The numbers of due and running attempts. */
  readonly #pending = new Map<AccountState, number>();
  /** The endpoints that have exceeded the timeout, until no attempt of them is pending. */
  readonly #slow = new Set<AccountState>();
  #change: Deferred<void> | undefined;
  /** The number of starts and ends of attempts. */
  #progress = 0;
  #isClosed = false;

  constructor(options: DeliveryOptions) {
    this.#options = { ...options, inProcessEndpoints: this.inProcessEndpoints };
    this.addresses = options.addresses;
  }

  /**
   * Queues the first attempts of the event of a payment with a new status, in order for each account and mode, after the
   * response to its request. Resolves after the first attempts, if there are any. Retries run on the clock and delay nothing.
   */
  readonly dispatch = (committed: CommittedPayment): Promise<void> | undefined => {
    try {
      const groups = addEvent(committed, this.#options);
      return groups.length === 0 ? undefined : this.#sendGroups(groups, committed);
    } catch (error) {
      // The payment has changed already. Its event cannot be written, such as a body that is too large.
      this.#options.onDefect(error);
      return undefined;
    }
  };

  /** Attempts a delivery again, immediately. Uses no place in the schedule of its retries. */
  redeliver(accountState: AccountState, id: string): Promise<void> {
    return this.#retry(accountState, id, true);
  }

  /** Resumes the deliveries of restored account states: queued events in order, retries on the clock. */
  resume(restored: readonly AccountState[]): void {
    for (const accountState of this.#pending.keys())
      if (accountState.isReplaced) this.#pending.delete(accountState);
    this.#notify();
    for (const accountState of restored) void this.#sendGroups(listUnsent(accountState), { accountState });
  }

  /** Resolves when no attempt is due or running. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await this.#nextChange();
  }

  /** Returns the number of due and running attempts. */
  countPending(): number {
    return [...this.#pending.values()].reduce((sum, attempts) => sum + attempts, 0);
  }

  /**
   * Resolves when no attempt is pending, except at endpoints that have exceeded the timeout. Also resolves when for the time of a timeout no attempt starts or ends: an unread response or a full disk holds
   * the attempts then.
   */
  readonly settle = async (): Promise<void> => {
    const isSettled = (): boolean => [...this.#pending.keys()].every((each) => this.#slow.has(each));
    if (isSettled()) return;
    let progress = this.#progress;
    const watch = setInterval(() => {
      if (progress === this.#progress) for (const each of this.#pending.keys()) this.#slow.add(each);
      progress = this.#progress;
      this.#notify();
    }, this.#options.timeout);
    while (!isSettled()) await this.#nextChange();
    clearInterval(watch);
  };

  /** Waits until idle, up to the timeout of a receiver. No attempt starts after that. */
  async close(): Promise<void> {
    const { promise: expired, resolve } = createDeferred();
    const timer = setTimeout(resolve, this.#options.timeout);
    await Promise.race([this.idle(), expired]);
    clearTimeout(timer);
    this.#isClosed = true;
  }

  async #sendGroups(groups: DeliveryGroups, context: Omit<CommittedPayment, 'payment'>): Promise<void> {
    await Promise.all(groups.map((ids) => this.#sendGroup(ids, context)));
  }

  /** Sends a group of deliveries at the same time, after earlier groups, or at the time of its `next_at`. */
  async #sendGroup(
    ids: readonly string[],
    { accountState, after, ahead = false }: Omit<CommittedPayment, 'payment'>,
  ): Promise<void> {
    const later = ids.filter((id) => this.#scheduleNext(accountState, id));
    if (later.length > 0) return;
    const isSent = after?.wait();
    const task = async (): Promise<void> => {
      await isSent;
      // A manual attempt can have run before.
      const queued = ids.filter((id) => accountState.deliveries.get(id)?.state === 'queued');
      await Promise.all(queued.map((id) => this.#runAttempt(accountState, id)));
    };
    const queue = this.#queueOf(accountState);
    const sent = ahead ? task() : queue.first.then(task);
    queue.first = ahead ? queue.first.then(() => sent) : sent;
    await this.#track(accountState, ids.length, sent);
  }

  /** Runs an attempt as soon as the endpoint has a free slot for retries. */
  #retry(accountState: AccountState, id: string, isManual = false): Promise<void> {
    const { retries } = this.#queueOf(accountState);
    return this.#track(
      accountState,
      1,
      retries(() => this.#runAttempt(accountState, id, isManual)),
    );
  }

  /** Runs an attempt as soon as a slot is free, and schedules the next one. */
  #runAttempt(accountState: AccountState, id: string, isManual = false): Promise<void> {
    return this.#attempts(async () => {
      if (this.#isClosed) return;
      this.#progress += 1;
      try {
        const delivery = await attemptDelivery(accountState, id, isManual, this.#options);
        if (delivery === undefined) return;
        const result = delivery.attempts.at(-1)?.result;
        if (result?.outcome === 'failed' && result.reason === 'timeout') {
          this.#slow.add(accountState);
          this.#notify();
        }
        if (!isManual) this.#scheduleNext(accountState, id);
      } catch (error) {
        this.#options.onDefect(error);
      } finally {
        this.#progress += 1;
      }
    });
  }

  /** Schedules the next attempt of a delivery on the clock. Returns false if it has none. */
  #scheduleNext(accountState: AccountState, id: string): boolean {
    const at = accountState.deliveries.get(id)?.next_at ?? null;
    if (at === null || accountState.isReplaced) return false;
    const run = (): void => {
      const isStillDue = accountState.deliveries.get(id)?.next_at === at;
      if (isStillDue) void this.#retry(accountState, id);
    };
    this.#options.clock.schedule({ at, tieBreaker: id, owner: accountState, run });
    return true;
  }

  /** Counts attempts of an endpoint until a promise resolves. The promise must not reject. */
  async #track(accountState: AccountState, attempts: number, ended: Promise<void>): Promise<void> {
    this.#pending.set(accountState, (this.#pending.get(accountState) ?? 0) + attempts);
    await ended;
    const left = (this.#pending.get(accountState) ?? 0) - attempts;
    if (left > 0) return void this.#pending.set(accountState, left);
    this.#slow.delete(accountState);
    if (this.#pending.delete(accountState)) this.#notify();
  }

  #nextChange(): Promise<void> {
    return (this.#change ??= createDeferred()).promise;
  }

  #notify(): void {
    this.#change?.resolve();
    this.#change = undefined;
  }
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
