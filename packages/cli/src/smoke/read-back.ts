import type { RunClock } from '@service/internal';
import { type Client, isNotFoundError, type Payment } from '@service/sdk';
import { Discrepancy } from './checks.ts';

/** The options of reading a payment after its create. */
export interface ReadBackContext {
  /** A client that reports each 404. */
  readonly client: Client;
  readonly clock: RunClock;
  readonly signal: AbortSignal;
  /** Maximum time from the create to the first read that shows the payment, in milliseconds. */
  readonly readLag: number;
  /** Time of the create response, by the clock. */
  readonly createdAt: number;
}

const RETRY_DELAY = 100;

/**
 * Retrieves a payment, again after each 404, and measures the read lag in milliseconds: 0 if the first read
 * shows the payment.
 *
 * @throws {Discrepancy} when a request that was sent after `readLag` gets a 404.
 */
export async function readBack(
  id: string,
  { client, clock, signal, readLag, createdAt }: ReadBackContext,
): Promise<{ readonly payment: Payment; readonly lag: number }> {
  for (let lag = 0; ; lag = clock.now() - createdAt) {
    const elapsed = clock.now() - createdAt;
    try {
      return { payment: await client.payments.retrieve(id, { signal }), lag };
    } catch (error) {
      if (elapsed >= readLag) throw toDiscrepancy(error, readLag);
      if (!isNotFound(error)) throw error;
    }
    await clock.sleep(RETRY_DELAY, signal);
  }
}

/** Converts a 404 to the error of a read lag that is too long. Returns any other error unchanged. */
export function toDiscrepancy(error: unknown, readLag: number): unknown {
  if (!isNotFound(error)) return error;
  return new Discrepancy(
    `the payment was created, but reads still respond with 404 after ${formatSeconds(readLag)}; raise --read-lag to allow a longer lag`,
  );
}

/** Formats milliseconds as seconds, such as `0.5 s`. */
export function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** Returns true for a 404 of the service itself. */
function isNotFound(error: unknown): boolean {
  return isNotFoundError(error) && error.outcome === 'rejected';
}
