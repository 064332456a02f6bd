import { createHash } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Random numbers of one purpose: the same seed and purpose give the same numbers. */
export class Random {
  readonly #seed: string;
  #count = 0;

  constructor(seed: number, purpose: string) {
    this.#seed = `${seed}/${purpose}`;
  }

  bytes(): Buffer {
    this.#count += 1;
    return createHash('sha256').update(`${this.#seed}/${this.#count}`).digest();
  }

  /** Returns a number from 0 up to but not including 1. */
  fraction(): number {
    return this.bytes().readUInt32BE() / 2 ** 32;
  }
}

function encodeBase32(value: bigint, length: number): string {
  let text = '';
  let rest = value;
  while (text.length < length) {
    text = (CROCKFORD[Number(rest % 32n)] ?? '') + text;
    rest /= 32n;
  }
  return text;
}

/** Creates ULIDs with random numbers that depend on the seed and the order of the ids only. */
export class UlidFactory {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  next(now: number): string {
    const entropy = BigInt(`0x${this.#random.bytes().toString('hex', 0, 10)}`);
    return encodeBase32(BigInt(now), 10) + encodeBase32(entropy, 16);
  }
}
