import { captureCaller, pointAtCaller } from './errors/caller.ts';
import { AbortError, ConfigurationError, WaitTimeoutError } from './errors/local-errors.ts';
import { isConnectionError, isTimeoutError } from './errors/guards.ts';
import { isServiceError } from './errors/service-error.ts';
import type { DocumentedStatus, Payment, PaymentStatus } from './models.ts';
import { describeUnknown } from './nearest.ts';
import { parseTimeout, pickKnown } from './parse.ts';
import { type CallOptions, parseSignal } from './transport/call-options.ts';
import { sleep, startDeadline } from './transport/deadline.ts';
import type { Clock } from './transport/clock.ts';
import type { Transport } from './transport/send.ts';

/** Names what a payment can be waited for: that it is final, or one of the documented statuses (spec §3). */
export type WaitGoal = 'final' | DocumentedStatus;

const goals = {
  final: true,
  pending: true,
  processing: true,
  completed: true,
  failed: true,
} as const satisfies Record<WaitGoal, true>;

/** Lists what waiting for a payment can be told. */
export type WaitOptions = {
  /** Names the status to wait for; a final status ends the waiting in any case. Default: `'final'`. Example: `'processing'`. */
  readonly until?: WaitGoal | undefined;
  /** Limits the whole waiting in milliseconds, `onStatus` included. Default: 60000. Example: `10_000`. */
  readonly timeout?: number | undefined;
  /** Ends the waiting at once. Default: none. Example: `controller.signal`. */
  readonly signal?: AbortSignal | undefined;
  /** Is told the payment when it is first seen and at each change of status; a promise is awaited. Default: none. */
  readonly onStatus?: ((payment: Payment) => unknown) | undefined;
  /** Gives the first pause in milliseconds; each further one is twice as long, up to 5000. Default: 250. Example: `1_000`. */
  readonly pollInterval?: number | undefined;
};

type Tools = Transport & {
  readonly retrieve: (options: CallOptions) => Promise<Payment>;
  /** Calls back when there is news of the payment, until the returned function is called. */
  readonly listen: (wake: () => void) => () => void;
};

type Wait = Omit<ReturnType<typeof parseWaitOptions>, 'timeout'> & {
  readonly deadline: number;
  last?: Payment;
  trouble?: unknown;
  /** Ends the pause, now or as soon as there is one. */
  wake?: (() => void) | undefined;
  isNews?: boolean;
};

const longestPause = 5_000;

/** Retrieves a payment again and again until it has the status waited for. See `payments.waitFor`. */
export async function waitForPayment(options: WaitOptions | undefined, tools: Tools): Promise<Payment> {
  const caller = captureCaller(waitForPayment);
  try {
    const { timeout, ...plan } = parseWaitOptions(options);
    const wait: Wait = { ...plan, deadline: tools.clock.now() + timeout };
    const unlisten = tools.listen(() => {
      wait.isNews = true;
      wait.wake?.();
    });
    return await poll(wait, tools).finally(unlisten);
  } catch (error) {
    throw pointAtCaller(error, caller);
  }
}

async function poll(wait: Wait, tools: Tools): Promise<Payment> {
  const { clock } = tools;
  for (let pause = wait.pollInterval; ; pause = Math.max(pause, Math.min(pause * 2, longestPause))) {
    if (await look(wait, tools)) return wait.last as Payment;
    const left = wait.deadline - clock.now();
    const rest = Math.max(pause, retryAfter(wait.trouble));
    const isWoken = left > 0 && (await rests(Math.min(rest, left), wait, clock));
    const aborted = wait.signal?.aborted === true;
    // Timers may run a little early, so the clock alone does not tell that this was the last pause.
    if (!isWoken && !aborted && (rest >= left || clock.now() >= wait.deadline)) throw toWaitTimeout(wait);
  }
}

/** Waits some milliseconds; returns whether news of the payment ended that early. */
async function rests(milliseconds: number, wait: Wait, clock: Clock): Promise<boolean> {
  const news = new Promise<void>((resolve) => {
    wait.wake = resolve;
  });
  if (wait.isNews === true) wait.wake?.();
  await sleep(milliseconds, wait.signal, { ...clock, until: news });
  const isWoken = wait.isNews === true;
  wait.isNews = false;
  return isWoken;
}

/** Retrieves the payment once; returns whether the waiting is over. */
async function look(wait: Wait, tools: Tools): Promise<boolean> {
  const { retrieve, clock, settings } = tools;
  const left = Math.max(1, wait.deadline - clock.now());
  const before = wait.last?.status;
  try {
    wait.last = await retrieve({
      signal: wait.signal,
      timeout: Math.min(settings.timeout, left),
      maxRetries: 0,
    });
  } catch (error) {
    if (!isTransient(error)) throw error;
    // What the deadline cut short says less than what failed before.
    const cut = isTimeoutError(error) && clock.now() >= wait.deadline;
    if (!cut || wait.trouble === undefined) wait.trouble = error;
    return false;
  }
  delete wait.trouble;
  const { status } = wait.last;
  if (status !== before) await tell(wait.last, wait, tools);
  return status === wait.until || isFinal(status);
}

/** Tells `onStatus` of the payment, and waits for it no longer than for the payment itself. */
async function tell(payment: Payment, { onStatus, signal, deadline }: Wait, { clock }: Tools): Promise<void> {
  const limit = startDeadline({ timeout: deadline - clock.now(), signal }, clock);
  const told = async (): Promise<unknown> => onStatus?.(payment);
  try {
    await limit.race(told());
  } catch (error) {
    const stop = limit.stopped();
    if (stop === undefined) throw error;
    if (stop.kind === 'abort') throw toAbortError(stop.reason);
    const seen = `The payment was last seen ${JSON.stringify(payment.status)}`;
    throw new WaitTimeoutError(`${seen}, and onStatus was not done with that in time.`, { last: payment });
  } finally {
    limit.end();
  }
}

function toAbortError(cause: unknown): AbortError {
  return new AbortError('The waiting was aborted by its signal.', { outcome: 'not_sent', cause });
}

/** Tells whether a payment is where it stays; a status that is not documented is not (spec §3). */
function isFinal(status: PaymentStatus): boolean {
  return status === 'completed' || status === 'failed';
}

/** Tells whether a failure to retrieve may pass. */
function isTransient(error: unknown): boolean {
  if (isConnectionError(error) || isTimeoutError(error)) return true;
  return (
    isServiceError(error) && (error.status === 408 || error.status === 429 || (error.status ?? 0) >= 500)
  );
}

function retryAfter(trouble: unknown): number {
  return isServiceError(trouble) ? (trouble.retryAfter ?? 0) * 1_000 : 0;
}

function toWaitTimeout({ last, until, trouble }: Wait): WaitTimeoutError {
  const goal = until === 'final' ? 'reach a final status' : `reach the status ${JSON.stringify(until)}`;
  const seen = last === undefined ? 'it was never seen' : `it was last seen ${JSON.stringify(last.status)}`;
  const message = `The payment did not ${goal} in time; ${seen}. It may still do so: wait again, or retrieve it later.`;
  return new WaitTimeoutError(message, { last, cause: trouble });
}

const optionNames = {
  until: true,
  timeout: true,
  signal: true,
  onStatus: true,
  pollInterval: true,
} as const satisfies Record<keyof WaitOptions, true>;

function parseWaitOptions(value: unknown): {
  readonly until: WaitGoal;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  readonly onStatus: WaitOptions['onStatus'];
  readonly pollInterval: number;
} {
  const options = pickKnown(value, Object.keys(optionNames));
  const { until = 'final', onStatus, signal, timeout = 60_000, pollInterval = 250 } = options;
  if (onStatus !== undefined && typeof onStatus !== 'function') {
    throw new ConfigurationError('onStatus must be a function.');
  }
  return {
    until: parseGoal(until),
    timeout: parseTimeout('timeout', timeout),
    signal: parseSignal(signal),
    onStatus: onStatus as WaitOptions['onStatus'],
    pollInterval: parseTimeout('pollInterval', pollInterval),
  };
}

function parseGoal(value: unknown): WaitGoal {
  if (typeof value !== 'string') throw new ConfigurationError("until must be 'final' or a payment status.");
  if (Object.hasOwn(goals, value)) return value as WaitGoal;
  throw new ConfigurationError(`until: ${describeUnknown(value, Object.keys(goals))}`);
}
