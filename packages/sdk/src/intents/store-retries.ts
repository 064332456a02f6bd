import { ConfigurationError, TimeoutError } from '../errors.ts';
import { describeStoreFailure, redactCause } from '../redact.ts';
import { type Clock, sleep, withDeadline } from '../transport/deadline.ts';

/** Runs an operation of a store, which can run several times. */
export type CallStore = <T>(step: () => T | Promise<T>) => Promise<T>;

/** The times of the operations of a store, in milliseconds. */
export interface StoreRetryOptions {
  readonly clock: Clock;
  /** Maximum time of one attempt. */
  readonly timeout: number;
  /** The time after the first attempt for which a failing operation is repeated. */
  readonly period: number;
}

/** The least number of attempts. On a busy machine one attempt can use the whole period. */
const MIN_ATTEMPTS = 5;
/** The wait after the first failed attempt, in milliseconds. Doubled after each further one. */
const FIRST_WAIT = 50;
const MAX_WAIT = 1_000;

/**
 * Creates a function that repeats the operations of a store, for a database that restarts. An error that the store
 * itself explains, a `ConfigurationError`, is thrown at once.
 */
export function createStoreRetries({ clock, timeout, period }: StoreRetryOptions): CallStore {
  const limits = { timeout, signal: undefined, clock };
  return async <T>(step: () => T | Promise<T>): Promise<T> => {
    const end = clock.now() + period;
    let delay = FIRST_WAIT;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await withDeadline(limits, async () => step(), createTimeout);
      } catch (error) {
        if (error instanceof ConfigurationError) throw error;
        if (attempt >= MIN_ATTEMPTS && clock.now() >= end) throw createOutage(error, period);
        await sleep(delay, new AbortController().signal, clock);
        delay = Math.min(2 * delay, MAX_WAIT);
      }
    }
  };
}

function createTimeout(): TimeoutError {
  return new TimeoutError('The intent store did not respond within the `timeout` of the client.');
}

function createOutage(error: unknown, period: number): ConfigurationError {
  const seconds = Math.ceil(period / 1_000);
  return new ConfigurationError(
    `The intent store failed for ${seconds} s: ${describeStoreFailure(error)}. Repair it, then plan or run again: recorded intents continue, and no payment is made twice.`,
    { cause: redactCause(error) },
  );
}
