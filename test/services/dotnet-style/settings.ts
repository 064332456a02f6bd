import { toTicks, type Ticks } from './time.ts';

/** Settings of the service, like a bound `appsettings.json`. */
export interface Settings {
  readonly settlement: {
    /** Period of the settlement worker, in milliseconds. */
    readonly period: number;
    readonly pendingDelay: Ticks;
    readonly minimumProcessing: Ticks;
    readonly maximumProcessing: Ticks;
    readonly returnDelay: Ticks;
  };
  readonly outbox: {
    /** Period of the outbox dispatcher, in milliseconds. */
    readonly period: number;
    readonly batchSize: number;
    readonly maxRetryAttempts: number;
    /** Delay before the first retry; it doubles with each further retry. */
    readonly baseDelay: Ticks;
    /** Maximum time per attempt, in milliseconds. */
    readonly timeout: number;
  };
  readonly rateLimiter: {
    readonly tokenLimit: number;
    readonly tokensPerPeriod: number;
    readonly replenishmentPeriod: Ticks;
  };
  /** Time for which the circuit to the payout provider stays open. */
  readonly circuitBreak: Ticks;
  /** Maximum size of a request body, in bytes. */
  readonly maxRequestBodySize: number;
}

/** Returns the settings with every duration divided by `speed`. */
export function createSettings(speed: number): Settings {
  const scaled = (milliseconds: number): number => milliseconds / speed;
  const ticks = (milliseconds: number): Ticks => toTicks(scaled(milliseconds));
  return {
    settlement: {
      period: scaled(500),
      pendingDelay: ticks(1_500),
      minimumProcessing: ticks(3_000),
      maximumProcessing: ticks(6_000),
      returnDelay: ticks(5_000),
    },
    outbox: {
      period: scaled(500),
      batchSize: 50,
      maxRetryAttempts: 5,
      baseDelay: ticks(2_000),
      timeout: scaled(10_000),
    },
    rateLimiter: { tokenLimit: 200, tokensPerPeriod: 50, replenishmentPeriod: ticks(10_000) },
    circuitBreak: ticks(30_000),
    maxRequestBodySize: 64 * 1024,
  };
}
