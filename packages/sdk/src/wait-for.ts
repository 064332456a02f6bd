import {
  type Field,
  abortSignal,
  callable,
  describeUnknown,
  duration,
  parseObject,
  wholeNumber,
} from '@service/internal';
import type { CallOptions } from './options.ts';
import type { ClientContext } from './transport/response.ts';
import type { DocumentedStatus, Payment, PaymentStatus } from './models.ts';
import {
  addCallerStack,
  ConnectionError,
  createAbortError,
  createUsageError,
  ServiceError,
  TimeoutError,
  WaitTimeoutError,
} from './errors.ts';
import { isMissing } from './outcome.ts';
import { type CheckDeadline, type Clock, onAbort, sleep, withDeadline } from './transport/deadline.ts';

/** An update of a payment, such as a webhook event. */
export interface PaymentUpdate {
  /** The object of the event. */
  readonly data: {
    /** The id of the payment (`pay_…`). A running `waitFor` of this payment retrieves it. */
    readonly id: string;
  };
}

/** A publisher of payment updates to running `waitFor` calls. */
export interface PaymentUpdates {
  readonly publish: (update: PaymentUpdate) => void;
  /** Calls `listener` at each update of a payment, until the returned function is called. */
  readonly subscribe: (id: string, listener: () => void) => () => void;
}

/** Creates the payment updates of a client. */
export function createPaymentUpdates(): PaymentUpdates {
  const subscriptions = new Set<{ readonly id: string; readonly listener: () => void }>();
  return {
    publish: (update) => {
      for (const { id, listener } of subscriptions) if (id === update?.data?.id) listener();
    },
    subscribe: (id, listener) => {
      const subscription = { id, listener };
      subscriptions.add(subscription);
      return () => subscriptions.delete(subscription);
    },
  };
}

/** The status to wait for: `'final'` for any final status, or a documented status. */
export type WaitGoal = 'final' | DocumentedStatus;

/** The options of `payments.waitFor`. */
export interface WaitOptions {
  /**
   * The status to wait for. A final status ends the wait in every case.
   *
   * @default 'final'
   * @example 'processing'
   */
  readonly until?: WaitGoal | undefined;
  /**
   * Maximum time of the whole wait in milliseconds, including `onStatus`.
   *
   * @default 60_000
   * @example 10_000
   */
  readonly timeout?: number | undefined;
  /**
   * Aborts the wait.
   *
   * @default none
   * @example controller.signal
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with the payment after its first retrieval and after each change of status. A promise is awaited.
   *
   * @default none
   */
  readonly onStatus?: ((payment: Payment) => unknown) | undefined;
  /**
   * First pause between two requests, in milliseconds. Each further pause is twice as long, up to 1 s during
   * the first 30 s, and up to 5 s after that.
   *
   * @default 250
   */
  readonly pollInterval?: number | undefined;
  /**
   * Maximum time in milliseconds for which a 404 is retried. It counts from the create if this client created
   * the payment, otherwise from the start of the wait. `0` disables these retries.
   *
   * @default the `readLag` of the client
   */
  readonly readLag?: number | undefined;
}

const goals = [
  'final',
  'pending',
  'processing',
  'completed',
  'failed',
] as const satisfies readonly WaitGoal[];

const fields = {
  until: {
    expected: `'final' or a documented status`,
    parse: (value) => {
      const goal = goals.find((one) => one === value);
      if (goal === undefined) throw createUsageError(`until: ${describeUnknown(String(value), goals)}`);
      return goal;
    },
  },
  timeout: duration,
  signal: abortSignal,
  onStatus: callable<(payment: Payment) => unknown>(),
  pollInterval: duration,
  readLag: wholeNumber(2_147_483_647),
} as const satisfies Record<keyof WaitOptions, Field>;

type WaitContext = ClientContext & {
  readonly retrieve: (options: CallOptions) => Promise<Payment>;
  /** Calls `listener` at each update of the payment, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The time at which this client created the payment. Undefined if it did not. */
  readonly knownSince: number | undefined;
};

/** The progress of a wait. */
interface WaitState {
  step: 'requesting' | 'notifying' | 'pausing';
  last?: Payment;
  failure?: unknown;
  hasUpdate: boolean;
  /** Ends the current pause. Absent before the first one. */
  endPause?: () => void;
}

/** The time after which a payment is polled less often, in milliseconds. */
const FAST_POLLING_TIME = 30_000;
const MAX_FAST_PAUSE = 1_000;
const MAX_PAUSE = 5_000;

/** Polls a payment until it has the requested status. See `payments.waitFor`. */
export async function waitForPayment(
  options: WaitOptions | undefined,
  context: WaitContext,
): Promise<Payment> {
  try {
    const plan = parseObject(options ?? {}, {
      name: 'The options of waitFor',
      fields,
      createError: createUsageError,
    });
    const { timeout = 60_000, until = 'final', signal } = plan;
    const state: WaitState = { step: 'requesting', hasUpdate: false };
    const unsubscribe = context.subscribe(() => {
      state.hasUpdate = true;
      state.endPause?.();
    });
    const start = context.clock.now();
    const unseenUntil = (context.knownSince ?? start) + (plan.readLag ?? context.settings.readLag);
    return await withDeadline(
      { timeout, signal, clock: context.clock },
      (over, checkDeadline) =>
        poll(state, { ...plan, until, start, unseenUntil, signal: over, checkDeadline }, context),
      (stop) =>
        stop === 'abort'
          ? createAbortError(signal, { outcome: 'not_sent' }, 'waitFor')
          : toWaitTimeout(until, state),
    ).finally(unsubscribe);
  } catch (error) {
    throw addCallerStack(error, waitForPayment);
  }
}

type Plan = Pick<WaitOptions, 'onStatus' | 'pollInterval'> & {
  readonly until: WaitGoal;
  /** The time at which the wait began. */
  readonly start: number;
  /** The time until which a 404 is retried because reads can lag behind. */
  readonly unseenUntil: number;
  /** Aborted at the end of the wait. */
  readonly signal: AbortSignal;
  readonly checkDeadline: CheckDeadline;
};

async function poll(state: WaitState, plan: Plan, context: WaitContext): Promise<Payment> {
  const { pollInterval = 250, onStatus, until, signal, start } = plan;
  const { clock } = context;
  for (let pause = pollInterval; ; pause = computeNextPause(pause, clock.now() - start)) {
    const before = state.last?.status;
    plan.checkDeadline();
    const payment = await retrieveOnce(state, plan, context);
    state.step = 'notifying';
    if (payment && payment.status !== before) await onStatus?.(payment);
    if (payment?.status === until || isFinal(payment?.status)) return state.last as Payment;
    state.step = 'pausing';
    const retryAfter = readRetryAfter(state.failure);
    // An update does not shorten `Retry-After`.
    await sleep(retryAfter, signal, clock);
    if (pause > retryAfter) await pauseUntilUpdate(pause - retryAfter, state, { signal, clock });
  }
}

/** Returns the pause after a pause, in milliseconds. */
function computeNextPause(pause: number, elapsed: number): number {
  const longest = elapsed < FAST_POLLING_TIME ? MAX_FAST_PAUSE : MAX_PAUSE;
  return Math.max(pause, Math.min(pause * 2, longest));
}

/** Retrieves the payment once. Returns undefined after a transient failure. */
async function retrieveOnce(
  state: WaitState,
  { signal, unseenUntil }: Plan,
  { retrieve, clock }: WaitContext,
): Promise<Payment | undefined> {
  state.step = 'requesting';
  const sentAt = clock.now();
  try {
    state.last = await retrieve({ signal, maxRetries: 0 });
    delete state.failure;
    return state.last;
  } catch (error) {
    const isUnseen = isMissing(error) && sentAt < unseenUntil;
    if (!isUnseen && !isTransient(error)) throw error;
    state.failure = error;
    return undefined;
  }
}

/** Waits for a number of milliseconds, or until the next update of the payment. */
async function pauseUntilUpdate(
  milliseconds: number,
  state: WaitState,
  { signal, clock }: { signal: AbortSignal; clock: Clock },
): Promise<void> {
  let unwatch: (() => void) | undefined;
  await new Promise<void>((resolve) => {
    const cancel = clock.schedule(resolve, milliseconds);
    state.endPause = () => {
      cancel();
      resolve();
    };
    unwatch = onAbort(signal, state.endPause);
    if (state.hasUpdate || signal.aborted) state.endPause();
  });
  unwatch?.();
  state.hasUpdate = false;
}

/** Returns whether a status is final. An undocumented status is not (docs/contract.md#profile-settings). */
function isFinal(status: PaymentStatus | undefined): boolean {
  return status === 'completed' || status === 'failed';
}

/** Returns whether a request can succeed when it is repeated. */
function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  const status = error instanceof ServiceError ? Number(error.status) : 0;
  return status === 408 || status === 429 || status >= 500;
}

/** Returns the `Retry-After` of a failure in milliseconds, or 0. */
function readRetryAfter(failure: unknown): number {
  return failure instanceof ServiceError ? (failure.retryAfter ?? 0) * 1_000 : 0;
}

const stepHints: Readonly<Record<WaitState['step'], string>> = {
  requesting: ' The last request received no response.',
  notifying: ' `onStatus` has not finished.',
  pausing: '',
};

function toWaitTimeout(until: WaitGoal, { last, failure, step }: WaitState): WaitTimeoutError {
  const status =
    last === undefined ? 'It was never retrieved.' : `Its last status was ${JSON.stringify(last.status)}.`;
  const message = `The payment did not become '${until}' before the timeout. ${status}${stepHints[step]} It can still change: call waitFor again, or retrieve it later.`;
  return new WaitTimeoutError(message, { last, cause: failure });
}
