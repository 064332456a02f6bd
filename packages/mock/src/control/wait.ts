import { abortSignal, clearTimeout, createDeferred, setTimeout } from '@service/internal';
import { SandboxError } from '../state/sandbox-error.ts';
import * as s from '../domain/schema.ts';

/** The timeout and signal of a wait. */
export interface WaitTimeoutOptions {
  /**
   * Maximum waiting time, in real time. The default is shorter than the timeout of test runners, so that a
   * test fails with a useful message.
   *
   * @default 3_000
   */
  readonly timeout?: s.Duration;
  /** Ends the wait when it is aborted. The wait rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT = 3_000;
const LONGEST_TIMEOUT = 86_400_000;
// Clients and proxies close idle connections after some minutes.
const LONGEST_HTTP_TIMEOUT = 600_000;

/** The options of a wait in process. */
export const waitOptions: s.ObjectSchema<{
  readonly timeout: s.Schema<number | undefined>;
  readonly signal: s.Schema<AbortSignal | undefined>;
}> = s.strict({
  timeout: s.optional(
    s.durationWithin(
      0,
      LONGEST_TIMEOUT,
      "a duration of at most '1d', in milliseconds or as text such as '500ms' or '3s'",
    ),
  ),
  signal: s.optional(s.convert(abortSignal.expected, abortSignal.parse)),
});

/** The parsed timeout, in milliseconds, and signal of a wait. */
export type WaitLimits = Partial<s.Output<typeof waitOptions.fields>>;

/** The timeout of a wait over HTTP, in milliseconds. */
export const httpTimeout: s.Schema<number | undefined> = s.optional(
  s.number(`milliseconds from 0 to ${LONGEST_HTTP_TIMEOUT}`, {
    maximum: LONGEST_HTTP_TIMEOUT,
    default: DEFAULT_TIMEOUT,
  }),
);

/** A wait for a value. */
export interface Wait<T> {
  /** Subscribes to changes. Returns a function that unsubscribes. */
  readonly subscribe: (resolve: (value: T) => void) => () => void;
  /** Creates the message of the error after the timeout. */
  readonly explainTimeout: (timeout: number) => string;
}

/** Waits for a value. Rejects with a `SandboxError` of the code `timeout`, or with the reason of the signal. */
export async function waitFor<T>(
  { timeout = DEFAULT_TIMEOUT, signal }: WaitLimits,
  { subscribe, explainTimeout }: Wait<T>,
): Promise<T> {
  const { promise, resolve, reject } = createDeferred<T>();
  const timer = setTimeout(() => reject(new SandboxError('timeout', explainTimeout(timeout))), timeout);
  const abort = (): void => reject(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const unsubscribe = subscribe(resolve);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    unsubscribe();
  }
}
