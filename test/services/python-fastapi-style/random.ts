/** Random choices of the service. */
export interface Random {
  /** Returns a number from `minimum` up to `maximum`. */
  readonly between: (minimum: number, maximum: number) => number;
  /** Returns hexadecimal digits. */
  readonly hex: (length: number) => string;
}

/** Creates the mulberry32 generator: the same seed gives the same choices. */
export function createRandom(seed: number): Random {
  let state = Math.trunc(seed);
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  return {
    between: (minimum, maximum) => minimum + next() * (maximum - minimum),
    hex: (length) => Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join(''),
  };
}

/** Creates the digits of a version 4 UUID without hyphens, as `uuid4().hex` does. */
export function createUuidHex(random: Random): string {
  const variant = Math.floor(random.between(8, 12)).toString(16);
  return `${random.hex(12)}4${random.hex(3)}${variant}${random.hex(15)}`;
}
