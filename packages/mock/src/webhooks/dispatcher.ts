import {
  clearInterval,
  clearTimeout,
  createDeferred,
  type Deferred,
  type DeliveryFaults,
  memoize,
  setInterval,
  setTimeout,
} from '@service/internal';
import { behaviors, drawDuration } from '../domain/decision.ts';
import type { DeliveryFault } from '../domain/fault.ts';
import { createDraw, drawId } from '../domain/ids.ts';
import { type Payment, writeEvent } from '../domain/payment.ts';
import { type AccountState, type Changes, type CommittedPayment, storeDelivery } from '../state/state.ts';
import type { Faults } from '../state/faults.ts';
import type { AddressPolicy } from './address.ts';
import { attemptDelivery, type AttemptOptions, IO_TIMEOUT, stopDelivery } from './attempt.ts';
import { InProcessEndpoints } from './in-process-endpoint.ts';

/** The options of webhook delivery. */
interface DeliveryOptions extends Omit<AttemptOptions, 'inProcessEndpoints'> {
  /** The injected faults of deliveries. */
  readonly faults: Faults<DeliveryFault>;
  /** Called for an event that cannot be written, which is not sent, and for an unexpected error. */
  readonly onDefect: (error: unknown) => void;
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
  /** The end of the first attempts of an endpoint, one event after another, and the slots of its retries, which never delay them. */
  readonly #queueOf = memoize<AccountState, { first: Promise<void>; readonly retries: Semaphore }>(() => ({
    first: Promise.resolve(),
    retries: createSemaphore(RETRY_CONCURRENCY),
  }));
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

  /** Attempts a delivery again. A manual attempt uses no place in the schedule of its retries. */
  redeliver(accountState: AccountState, id: string, isManual = true): Promise<void> {
    const { retries } = this.#queueOf(accountState);
    return this.#track(
      accountState,
      1,
      retries(() => this.#runAttempt(accountState, id, isManual)),
    );
  }

  /** Resumes the deliveries of restored account states: queued events in order, retries on the clock. */
  resume(restored: readonly AccountState[]): void {
    for (const accountState of this.#pending.keys())
      if (accountState.isReplaced) this.#pending.delete(accountState);
    this.#notify();
    for (const accountState of restored) {
      const { deliveries, held } = accountState;
      const unsent: string[][] = [];
      const withLaterEvent = new Set<string>();
      for (const { id, payment_id, state, next_at, fault } of [...deliveries.values()].toReversed())
        if (state === 'queued' && fault === 'reorder' && !withLaterEvent.has(payment_id))
          held.set(payment_id, [id, ...(held.get(payment_id) ?? [])]);
        else {
          withLaterEvent.add(payment_id);
          if (state === 'queued' || next_at !== null) unsent.push([id]);
        }
      void this.#sendGroups(unsent.toReversed(), { accountState });
    }
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
    }, IO_TIMEOUT);
    while (!isSettled()) await this.#nextChange();
    clearInterval(watch);
  };

  /** Waits until idle, up to the timeout of a receiver. No attempt starts after that. */
  async close(): Promise<void> {
    const { promise: expired, resolve } = createDeferred();
    const timer = setTimeout(resolve, IO_TIMEOUT);
    await Promise.race([this.idle(), expired]);
    clearTimeout(timer);
    this.#isClosed = true;
  }

  async #sendGroups(groups: Groups, context: Omit<CommittedPayment, 'payment'>): Promise<void> {
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
    const send = async (): Promise<void> => {
      // A manual attempt can have run before.
      const queued = ids.filter((id) => accountState.deliveries.get(id)?.state === 'queued');
      await Promise.all(queued.map((id) => this.#runAttempt(accountState, id)));
    };
    const queue = this.#queueOf(accountState);
    const ready = isSent === undefined ? queue.first : Promise.all([queue.first, isSent]);
    const sent = ahead ? send() : ready.then(send);
    queue.first = ahead ? queue.first.then(() => sent) : sent;
    await this.#track(accountState, ids.length, sent);
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
      if (isStillDue) void this.redeliver(accountState, id, false);
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

/**
 * The ids of deliveries in the order in which they are sent: one group after another, each group at the same
 * time. A delivery with `next_at` waits for that time, and the next group does not wait for it.
 */
type Groups = readonly (readonly string[])[];

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

/**
 * Stores the deliveries of the event of a payment with a new status. Returns those to send now, including duplicate,
 * reordered and delayed ones, and not those that wait for another event.
 */
function addEvent({ accountState, payment }: CommittedPayment, { faults, changes }: DeliveryOptions): Groups {
  const { endpoint, profile, held } = accountState;
  const isSent = endpoint !== null && profile.events.includes(payment.status);
  const fault = isSent ? matchFault(faults, accountState, payment) : undefined;
  const ids = isSent ? addDeliveries(accountState, payment, fault, changes) : [];
  if (fault?.kind === 'reorder') {
    held.set(payment.id, [...(held.get(payment.id) ?? []), ...ids]);
    return [];
  }
  const waiting = held.get(payment.id) ?? [];
  held.delete(payment.id);
  // The last one of the deliveries that have waited comes first.
  const released = waiting.toReversed().map((id) => [id]);
  return isSent ? [ids, ...released] : released;
}

/**
 * Returns the fault of an event and counts it as fired. The outcome of the payment has precedence, and a fault drawn with the
 * probabilities of the profile comes last.
 */
function matchFault(
  faults: Faults<DeliveryFault>,
  accountState: AccountState,
  { id, status, outcome, next }: Payment,
): DeliveryFault | undefined {
  const { deliveryFault } = behaviors[outcome];
  if (deliveryFault !== undefined && (deliveryFault.status ?? status) === status) return deliveryFault.fault;
  // The last event of a payment cannot wait for the next one.
  const isLast = status !== 'pending' && status !== 'processing' && next === null;
  const canApply = ({ kind }: DeliveryFault): boolean => kind !== 'reorder' || !isLast;
  const injected = faults.match({ accountState, event: `payment.${status}`, canApply })?.fault;
  const { deliveryFaults } = accountState.profile;
  if (injected !== undefined || deliveryFaults === 'none') return injected;
  const fault = drawFault(deliveryFaults, createDraw(id, `webhook ${status}`));
  return fault === undefined || canApply(fault) ? fault : undefined;
}

/** Draws the fault of an event. */
function drawFault(
  { duplicates = 0, reorder = 0, delay = 0 }: DeliveryFaults,
  draw: () => number,
): DeliveryFault | undefined {
  const [isReordered, isDuplicate] = [draw() < reorder, draw() < duplicates];
  const by = drawDuration(delay, draw);
  if (isReordered) return { kind: 'reorder', by: 0 };
  if (isDuplicate) return { kind: 'duplicate', by };
  return by > 0 ? { kind: 'delay', by } : undefined;
}

/** Stops the deliveries that have not ended. Events without an endpoint are never sent later. */
export function stopDeliveries(accountState: AccountState, changes: Changes): void {
  for (const delivery of accountState.deliveries.values())
    if (delivery.state === 'queued' || delivery.state === 'retrying')
      stopDelivery(changes, accountState, delivery);
}

/** Stores the delivery of the event of a status, or the two of a duplicate, and returns their ids. */
function addDeliveries(
  accountState: AccountState,
  payment: Payment,
  fault: DeliveryFault | undefined,
  changes: Changes,
): string[] {
  const { id: payment_id, status, history } = payment;
  const body = writeEvent(payment, status, accountState.profile);
  const { kind = null, by = 0 } = fault ?? {};
  const isDelayed = (kind === 'delay' || kind === 'duplicate') && by > 0;
  const kinds = kind === 'duplicate' ? ([isDelayed ? 'delay' : null, kind] as const) : [kind];
  const next_at = isDelayed ? (history[status] ?? history.pending) + by : null;
  const ids: string[] = [];
  for (const each of kinds) {
    const id = drawId(accountState, 'dlv', accountState.deliveries.size + 1);
    storeDelivery(changes, accountState, {
      id,
      payment_id,
      status,
      event: `payment.${status}`,
      body,
      state: 'queued',
      attempts: [],
      next_at,
      fault: each,
    });
    ids.push(id);
  }
  return ids;
}
