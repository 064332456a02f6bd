import { CENT, type RunClock, toMicro } from '@service/internal';
import { type Client, NotFoundError, type Payment, type Quote } from '@service/sdk';

/** The result of a step that did not fail. */
export interface StepResult {
  readonly status: 'ok' | 'warning' | 'skipped';
  readonly detail: string;
}

/** The error of a response that contradicts the contract. */
export class Discrepancy extends Error {
  override readonly name = 'Discrepancy' as const;
}

/** Creates the result of a successful step. */
export function pass(detail: string): StepResult {
  return { status: 'ok', detail };
}

/** Creates the result of a step that the contract does not allow to decide. */
export function skip(detail: string): StepResult {
  return { status: 'skipped', detail };
}

/** Creates the result of a step that shows that `payment reconcile` is unreliable. */
export function warn(detail: string): StepResult {
  return {
    status: 'warning',
    detail: `${detail}. PAYMENT RECONCILE WILL NOT WORK: transactions cannot be matched to payments`,
  };
}

/**
 * Checks a guarantee of the contract.
 *
 * @throws {Discrepancy} when the condition is false.
 */
export function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Discrepancy(message);
}

const decimal = /^\d+(?:\.\d+)?$/;

/** Returns true for an amount of 0 or more, as number or decimal text (docs/contract.md#profile-settings). */
export function isFigure(value: unknown): boolean {
  return decimal.test(String(value));
}

/** Returns true for an amount above 0. */
export function isPositive(value: unknown): boolean {
  return isFigure(value) && /[1-9]/.test(String(value));
}

/**
 * Returns true if two amounts are equal to two decimals. A float tail is ignored
 * (docs/contract.md#profile-settings).
 */
export function isSameAmount(one: unknown, other: unknown): boolean {
  return toHundredths(one) === toHundredths(other);
}

/** Formats an amount for a comparison. Nothing is calculated with the result. */
function toHundredths(value: unknown): string {
  return isFigure(value) ? Number(value).toFixed(2) : String(value);
}

/**
 * Returns true if the fee and the rate of a quote leave less than 0.01: the amount is too small for a
 * payment.
 */
export function isSwallowed({ send_amount, fee, rate, receive_amount }: Quote): boolean {
  const [send, cost, price] = [send_amount, fee, rate].map(toMicro);
  if (send === undefined || cost === undefined || price === undefined) return false;
  return !isPositive(receive_amount) && (send - cost) * price < CENT * 1_000_000n;
}

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
  return error instanceof NotFoundError && error.outcome === 'rejected';
}
