/** Returns a number from 0 to 1, excluding 1. */
export type Random = () => number;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Creates a Mulberry32 generator. */
export function seedRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Creates a ULID in lowercase: 10 characters of time, 16 random ones. */
export function createUlid(random: Random): string {
  let time = Date.now();
  let prefix = '';
  for (let index = 0; index < 10; index += 1) {
    prefix = ALPHABET.charAt(time % 32) + prefix;
    time = Math.floor(time / 32);
  }
  return prefix + Array.from({ length: 16 }, () => ALPHABET.charAt(Math.floor(random() * 32))).join('');
}

export function formatTimestamp(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}
