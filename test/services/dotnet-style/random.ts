import { toMilliseconds, type Ticks } from './time.ts';

export interface Random {
  /** Returns an integer from 0 to `limit` - 1. */
  next(limit: number): number;
}

/** Creates a mulberry32 generator. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next(limit) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
    },
  };
}

export function createHex(random: Random, length: number): string {
  return Array.from({ length }, () => random.next(16).toString(16)).join('');
}

/** Creates a version 7 GUID without hyphens, as `Guid.CreateVersion7().ToString("N")` does (RFC 9562 section 5.7). */
export function createGuid(random: Random, now: Ticks): string {
  const timestamp = toMilliseconds(now).toString(16).padStart(12, '0');
  const variant = (8 + random.next(4)).toString(16);
  return `${timestamp}7${createHex(random, 3)}${variant}${createHex(random, 15)}`;
}

/** Creates the W3C trace id of a request. */
export function createTraceId(random: Random): string {
  return `00-${createHex(random, 32)}-${createHex(random, 16)}-00`;
}
