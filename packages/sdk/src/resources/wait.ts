import { abortSignal, callable, checkAll, count, type Rule, span } from '../options/check.ts';
import { pointAtCaller } from '../errors/caller.ts';
import { isConnectionError, isTimeoutError } from '../errors/guards.ts';
import { AbortError, WaitTimeoutError } from '../errors/local-errors.ts';
import { misuse } from '../errors/refuse.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { DocumentedStatus, Payment, PaymentStatus } from '../values/models.ts';
import { describeUnknown } from '../options/nearest.ts';
import type { Transport } from '../transport/attempt.ts';
import { onAbort } from '../transport/abort.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Clock } from '../transport/clock.ts';
import { type CheckDeadline, limit, sleep } from '../transport/limit.ts';
import { isMissing } from '../transport/retry.ts';

/** Names what a payment can be waited for: that it is final, or one of the documented statuses (spec §3). */
export type WaitGoal = 'final' | DocumentedStatus;

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
  /**
   * First pause between two requests, in milliseconds. Each further pause is twice as long, up to 1 s during the first 30 s, and
   * up to 5 s after that. `@default` 250
   */
  readonly pollInterval?: number | undefined;
  /**
   * Maximum time in milliseconds for which a 404 is retried: since the create, if this client created the payment, else since
   * the start of the waiting. `0` turns this off. `@default` the client's
   */
  readonly readLag?: number | undefined;
};

const goals = [
  'final',
  'pending',
  'processing',
  'completed',
  'failed',
] as const satisfies readonly WaitGoal[];

const rules = {
  until: [
    `'final' or a documented status`,
    (value) => {
      const goal = goals.find((one) => one === value);
      if (goal === undefined) throw misuse(`until: ${describeUnknown(String(value), goals)}`);
      return goal;
    },
  ],
  timeout: span,
  signal: abortSignal,
  onStatus: callable<(payment: Payment) => unknown>(),
  pollInterval: span,
  readLag: count(2_147_483_647),
} as const satisfies Record<keyof WaitOptions, Rule>;

type Tools = Transport & {
  readonly retrieve: (options: CallOptions) => Promise<Payment>;
  /** Calls back when there is news of the payment, until the returned function is called. */
  readonly listen: (wake: () => void) => () => void;
  /** The time at which this client created the payment; undefined if it did not. */
  readonly knownSince: number | undefined;
};

/** Holds how far the waiting has come. */
type Wait = {
  doing: 'asking' | 'telling' | 'resting';
  last?: Payment;
  trouble?: unknown;
  isNews: boolean;
  /** Ends the pause, if there is one. */
  wake?: () => void;
};

/** Milliseconds after which a payment that is not final yet is looked up less often. */
const EAGER_TIME = 30_000;
const LONGEST_EAGER_PAUSE = 1_000;
const LONGEST_PAUSE = 5_000;

/** Retrieves a payment again and again until it has the status waited for. See `payments.waitFor`. */
export async function waitForPayment(options: WaitOptions | undefined, tools: Tools): Promise<Payment> {
  try {
    const plan = checkAll(options ?? {}, { what: 'The options of waitFor', rules, refuse: misuse });
    const { timeout = 60_000, until = 'final', signal } = plan;
    const wait: Wait = { doing: 'asking', isNews: false };
    const unlisten = tools.listen(() => {
      wait.isNews = true;
      wait.wake?.();
    });
    const start = tools.clock.now();
    const unseenUntil = (tools.knownSince ?? start) + (plan.readLag ?? tools.settings.readLag);
    return await limit(
      { timeout, signal, clock: tools.clock },
      (over, checkDeadline) =>
        poll(wait, { ...plan, until, start, unseenUntil, signal: over, checkDeadline }, tools),
      (stop) => (stop === 'abort' ? toAbortError(signal?.reason) : toWaitTimeout(until, wait)),
    ).finally(unlisten);
  } catch (error) {
    throw pointAtCaller(error, waitForPayment);
  }
}

type Plan = Pick<WaitOptions, 'onStatus' | 'pollInterval'> & {
  readonly until: WaitGoal;
  /** Time at which the waiting began. */
  readonly start: number;
  /** Time until which a 404 means that reads do not show the payment yet. */
  readonly unseenUntil: number;
  /** Fires when the waiting is over, in whatever way. */
  readonly signal: AbortSignal;
  readonly checkDeadline: CheckDeadline;
};

async function poll(wait: Wait, plan: Plan, tools: Tools): Promise<Payment> {
  const { pollInterval = 250, onStatus, until, signal, start } = plan;
  const { clock } = tools;
  for (let pause = pollInterval; ; pause = lengthen(pause, clock.now() - start)) {
    const before = wait.last?.status;
    plan.checkDeadline();
    const payment = await look(wait, plan, tools);
    wait.doing = 'telling';
    if (payment && payment.status !== before) await onStatus?.(payment);
    if (payment?.status === until || isFinal(payment?.status)) return wait.last as Payment;
    wait.doing = 'resting';
    const patience = retryAfter(wait.trouble);
    // What the service asks for is waited out, whatever news there are.
    await sleep(patience, signal, clock);
    if (pause > patience) await rest(pause - patience, wait, { signal, clock });
  }
}

/** Returns the pause that follows a pause, in milliseconds. */
function lengthen(pause: number, elapsed: number): number {
  const longest = elapsed < EAGER_TIME ? LONGEST_EAGER_PAUSE : LONGEST_PAUSE;
  return Math.max(pause, Math.min(pause * 2, longest));
}

/** Retrieves the payment once; undefined after a failure that may pass. */
async function look(
  wait: Wait,
  { signal, unseenUntil }: Plan,
  { retrieve, clock }: Tools,
): Promise<Payment | undefined> {
  wait.doing = 'asking';
  const sentAt = clock.now();
  try {
    wait.last = await retrieve({ signal, maxRetries: 0 });
    delete wait.trouble;
    return wait.last;
  } catch (error) {
    const isUnseen = isMissing(error) && sentAt < unseenUntil;
    if (!isUnseen && !isTransient(error)) throw error;
    wait.trouble = error;
    return undefined;
  }
}

/** Waits some milliseconds, or until there is news of the payment. */
async function rest(
  milliseconds: number,
  wait: Wait,
  { signal, clock }: { signal: AbortSignal; clock: Clock },
): Promise<void> {
  let unwatch: (() => void) | undefined;
  await new Promise<void>((resolve) => {
    const cancel = clock.schedule(resolve, milliseconds);
    wait.wake = () => {
      cancel();
      resolve();
    };
    unwatch = onAbort(signal, wait.wake);
    if (wait.isNews || signal.aborted) wait.wake();
  });
  unwatch?.();
  wait.isNews = false;
}

function toAbortError(cause: unknown): AbortError {
  return new AbortError('The waiting was aborted by its signal.', { outcome: 'not_sent', cause });
}

/** Tells whether a payment is where it stays; a status that is not documented is not (spec §3). */
function isFinal(status: PaymentStatus | undefined): boolean {
  return status === 'completed' || status === 'failed';
}

/** Tells whether a failure to retrieve may pass. */
function isTransient(error: unknown): boolean {
  if (isConnectionError(error) || isTimeoutError(error)) return true;
  const status = isServiceError(error) ? Number(error.status) : 0;
  return status === 408 || status === 429 || status >= 500;
}

function retryAfter(trouble: unknown): number {
  return isServiceError(trouble) ? (trouble.retryAfter ?? 0) * 1_000 : 0;
}

function toWaitTimeout(until: WaitGoal, { last, trouble, doing }: Wait): WaitTimeoutError {
  const seen = last === undefined ? 'it was never seen' : `it was last seen ${JSON.stringify(last.status)}`;
  const busy = {
    asking: ', and the last request got no answer',
    telling: ', and onStatus was not done',
    resting: '',
  };
  const message = `The payment did not become '${until}' in time; ${seen}${busy[doing]}. It may still do so: wait again, or retrieve it later.`;
  return new WaitTimeoutError(message, { last, cause: trouble });
}
