import { createHash } from 'node:crypto';

/** Ids and random choices that follow from the seed, a label and a number. */
export class Deterministic {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  hex(label: string, index: number, length: number): string {
    return this.#digest(label, index).toString('hex').slice(0, length);
  }

  /** Returns a UUID of version 4. */
  uuid(label: string, index: number): string {
    return formatUuid(this.#digest(label, index), 0x40);
  }

  /** Returns an integer between the bounds. */
  between([from, to]: readonly [number, number], label: string, index: number): number {
    return from + (this.#digest(label, index).readUInt32BE(0) % (to - from + 1));
  }

  #digest(label: string, index: number): Buffer {
    return createHash('sha256').update(`${this.#seed}:${label}:${index}`).digest();
  }
}

/** Returns the UUID of version 3 of a name, like `UUID.nameUUIDFromBytes`. */
export function nameUuid(name: string): string {
  return formatUuid(createHash('md5').update(name).digest(), 0x30);
}

function formatUuid(source: Buffer, version: number): string {
  const bytes = Buffer.from(source.subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | version, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
