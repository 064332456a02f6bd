import { captureCaller, pointAtCaller } from './errors/caller.ts';
import { ConfigurationError, WaitTimeoutError } from './errors/local-errors.ts';
import { isConnectionError, isRateLimitError, isTimeoutError } from './errors/guards.ts';
import { isServiceError } from './errors/service-error.ts';
import type { Payment, PaymentStatus } from './models.ts';
import { parseTimeout, pickKnown } from './options.ts';
import { type CallOptions, parseSignal } from './transport/call.ts';
import { sleep } from './transport/deadline.ts';
import type { Transport } from './transport/send.ts';

/** Lists what waiting for a payment can be told. */
export type WaitOptions = {
  /** Names the status to wait for; a final status ends the waiting in any case. Default: `'final'`. Example: `'processing'`. */
  readonly until?: 'final' | PaymentStatus | undefined;
  /** Limits the whole waiting in milliseconds. Default: 60000. Example: `10_000`. */
  readonly timeout?: number | undefined;
  /** Ends the waiting at once. Default: none. Example: `controller.signal`. */
  readonly signal?: AbortSignal | undefined;
  /** Is told the payment when it is first seen and at each change of status; a promise is awaited. Default: none. */
  readonly onStatus?: ((payment: Payment) => unknown) | undefined;
  /** Gives the first pause in milliseconds; each further one is twice as long, up to 5000. Default: 250. Example: `1_000`. */
  readonly pollInterval?: number | undefined;
};

type Tools = Transport & { readonly retrieve: (options: CallOptions) => Promise<Payment> };

type Wait = Omit<ReturnType<typeof parseWaitOptions>, 'timeout'> & {
  readonly deadline: number;
  last?: Payment;
  trouble?: unknown;
};

const longestPause = 5_000;

/** Retrieves a payment again and again until it is there. See `payments.waitFor`. */
export async function waitForPayment(options: WaitOptions | undefined, tools: Tools): Promise<Payment> {
  const caller = captureCaller(waitForPayment);
  try {
    const { timeout, ...plan } = parseWaitOptions(options);
    return await poll({ ...plan, deadline: tools.clock.now() + timeout }, tools);
  } catch (error) {
    throw pointAtCaller(error, caller);
  }
}

async function poll(wait: Wait, tools: Tools): Promise<Payment> {
  const { clock } = tools;
  for (let pause = wait.pollInterval; ; pause = Math.max(pause, Math.min(pause * 2, longestPause))) {
    if (await look(wait, tools)) return wait.last as Payment;
    const left = wait.deadline - clock.now();
    if (left > 0) await sleep(Math.min(Math.max(pause, retryAfter(wait.trouble)), left), wait.signal, clock);
    if (clock.now() >= wait.deadline) throw toWaitTimeout(wait);
  }
}

/** Retrieves the payment once; returns whether the waiting is over. */
async function look(wait: Wait, { retrieve, clock, settings }: Tools): Promise<boolean> {
  const left = Math.max(1, wait.deadline - clock.now());
  const before = wait.last?.status;
  delete wait.trouble;
  try {
    wait.last = await retrieve({ signal: wait.signal, timeout: Math.min(settings.timeout, left) });
  } catch (error) {
    if (!isTransient(error)) throw error;
    wait.trouble = error;
    return false;
  }
  const { status } = wait.last;
  if (status !== before) await wait.onStatus?.(wait.last);
  return status === wait.until || isFinal(status);
}

/** Tells whether a payment is where it stays; a status that is not documented is not (spec §3). */
function isFinal(status: PaymentStatus): boolean {
  return status === 'completed' || status === 'failed';
}

/** Tells whether a failure to retrieve may pass. */
function isTransient(error: unknown): boolean {
  if (isConnectionError(error) || isTimeoutError(error)) return true;
  return isServiceError(error) && (error.status === 429 || (error.status ?? 0) >= 500);
}

function retryAfter(trouble: unknown): number {
  return isRateLimitError(trouble) ? (trouble.retryAfter ?? 0) * 1_000 : 0;
}

function toWaitTimeout({ last, until, trouble }: Wait): WaitTimeoutError {
  const goal = until === 'final' ? 'reach a final status' : `reach the status ${JSON.stringify(until)}`;
  const seen = last === undefined ? 'it was never seen' : `it was last seen ${JSON.stringify(last.status)}`;
  const message = `The payment did not ${goal} in time; ${seen}. It may still do so: wait again, or retrieve it later.`;
  return new WaitTimeoutError(message, { last, cause: trouble });
}

const known = {
  until: true,
  timeout: true,
  signal: true,
  onStatus: true,
  pollInterval: true,
} as const satisfies Record<keyof WaitOptions, true>;

function parseWaitOptions(value: unknown): {
  readonly until: string;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  readonly onStatus: WaitOptions['onStatus'];
  readonly pollInterval: number;
} {
  const { until = 'final', onStatus, signal, ...spans } = pickKnown(value, Object.keys(known));
  if (typeof until !== 'string' || until === '') {
    throw new ConfigurationError("until must be 'final' or a payment status.");
  }
  if (onStatus !== undefined && typeof onStatus !== 'function') {
    throw new ConfigurationError('onStatus must be a function.');
  }
  return {
    until,
    timeout: parseTimeout('timeout', spans.timeout ?? 60_000),
    signal: parseSignal(signal),
    onStatus: onStatus as WaitOptions['onStatus'],
    pollInterval: parseTimeout('pollInterval', spans.pollInterval ?? 250),
  };
}
