import { createHash } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Start of the time in the ids, in seconds since 1970. */
const ID_EPOCH = 1_400_000_000;
const ID_LENGTH = 27;

/** Bytes that follow from a seed. Each use has its own stream, so that one does not shift another. */
export class RandomStream {
  readonly #name: string;
  #count = 0;

  constructor(seed: number, purpose: string) {
    this.#name = `${seed}/${purpose}`;
  }

  /** Returns the next bytes, at most 32. */
  bytes(length: number): Buffer {
    this.#count += 1;
    return createHash('sha256').update(`${this.#name}/${this.#count}`).digest().subarray(0, length);
  }

  between(minimum: number, maximum: number): number {
    return minimum + (maximum - minimum) * (this.bytes(4).readUInt32BE() / 2 ** 32);
  }

  token(length: number): string {
    return Array.from(this.bytes(length), (byte) => DIGITS[byte % DIGITS.length]).join('');
  }
}

/** Makes ids whose text order is their order in time: four bytes of time, then 16 random bytes. */
export class IdFactory {
  readonly #random: RandomStream;

  constructor(seed: number) {
    this.#random = new RandomStream(seed, 'ids');
  }

  next(prefix: string): string {
    const bytes = Buffer.alloc(20);
    bytes.writeUInt32BE(Math.floor(Date.now() / 1_000) - ID_EPOCH);
    this.#random.bytes(16).copy(bytes, 4);
    let rest = BigInt(`0x${bytes.toString('hex')}`);
    let text = '';
    while (text.length < ID_LENGTH) {
      text = `${DIGITS[Number(rest % 62n)]}${text}`;
      rest /= 62n;
    }
    return `${prefix}_${text}`;
  }
}
