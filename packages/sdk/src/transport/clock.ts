import { createUsageError } from '../errors/validation-error.ts';
import { toHex } from '../values/hex.ts';

/** The source of time, timers and randomness. The client uses no other source. */
export interface Clock {
  /** Returns monotonic time in milliseconds. */
  now(): number;
  /** Returns wall-clock time. */
  date(): Date;
  /** Runs a function after some milliseconds. Returns a function that cancels this. */
  schedule(run: () => void, milliseconds: number): () => void;
  /** Returns a random number from 0 to 1, without 1. */
  random(): number;
  /** Returns a random UUID (version 4), a form of idempotency key that strict services accept. */
  unique(): string;
}

/** The clock of the machine. Looks up timers at each call, so that fake timers apply. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  schedule: (run, milliseconds) => {
    // A timer with a longer delay fires immediately.
    const timer = setTimeout(run, Math.min(milliseconds, 2_147_483_647));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  // `crypto.randomUUID` does not exist on pages over plain http.
  unique: () => {
    const { crypto } = globalThis as { crypto?: Crypto };
    if (!crypto) {
      throw createUsageError(
        "Idempotency keys need Web Crypto. Pass an idempotencyKey, or idempotencyKeys: 'omit'.",
      );
    }
    const hex = toHex(crypto.getRandomValues(new Uint8Array(16)));
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
  },
};
