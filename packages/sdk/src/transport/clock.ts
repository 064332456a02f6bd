import { misuse } from '../errors/refuse.ts';
import { toHex } from '../values/hex.ts';

/** Tells time, sets timers and draws lots; the one place where the client meets any of them. */
export type Clock = {
  /** Returns milliseconds that never run backwards. */
  now(): number;
  /** Returns the time of day. */
  date(): Date;
  /** Runs a function after some milliseconds, unless the returned function is called first. */
  schedule(run: () => void, milliseconds: number): () => void;
  /** Returns a number from 0 up to, and without, 1. */
  random(): number;
  /** Returns a random UUID (version 4): a form of idempotency key that services with strict rules accept. */
  unique(): string;
};

/** Tells the time of the machine; timers are looked up at each call. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  schedule: (run, milliseconds) => {
    // One that is set for longer goes off at once.
    const timer = setTimeout(run, Math.min(milliseconds, 2_147_483_647));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  // `randomUUID` is missing in pages over plain http.
  unique: () => {
    const { crypto } = globalThis as { crypto?: Crypto };
    if (!crypto) {
      throw misuse("Idempotency keys need Web Crypto. Pass an idempotencyKey, or idempotencyKeys: 'omit'.");
    }
    const hex = toHex(crypto.getRandomValues(new Uint8Array(16)));
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
  },
};
