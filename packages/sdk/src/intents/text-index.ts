/**
 * A list of different texts with the numbers 0, 1, 2 and so on. All texts are in one buffer: as strings, 100 000 of
 * them let the heap grow by several times their size, because its limit depends on the number of live bytes.
 */
export class TextIndex {
  #bytes = Buffer.allocUnsafe(2 ** 16);
  /** The end of each text in the buffer. */
  #ends = new Uint32Array(2 ** 10);
  #size = 0;
  /** A hash table with linear probing: 1 and the number of a text, or 0. */
  #slots = new Int32Array(2 ** 10);

  /** The number of texts. */
  get size(): number {
    return this.#size;
  }

  /** Returns the number of a text, or -1. */
  find(text: string): number {
    return (this.#slots[this.#probe(text).slot] as number) - 1;
  }

  /** Returns the number of a text, and adds it if it is new. */
  add(text: string): number {
    const { slot, end } = this.#probe(text);
    const found = this.#slots[slot] as number;
    if (found > 0) return found - 1;
    if (this.#size === this.#ends.length) {
      const extended = new Uint32Array(2 * this.#size);
      extended.set(this.#ends);
      this.#ends = extended;
    }
    this.#ends[this.#size] = end;
    this.#size += 1;
    this.#slots[slot] = this.#size;
    // At most half of the table is used.
    if (2 * this.size > this.#slots.length) this.#rehash();
    return this.size - 1;
  }

  /** Returns the text with a number. */
  get(index: number): string {
    return this.#bytes.toString('utf8', this.#startOf(index), this.#ends[index]);
  }

  /** Compares two texts by their bytes: negative if the first one comes first, positive if the second one does. */
  compare(a: number, b: number): number {
    const bytes = this.#bytes;
    return bytes.compare(bytes, this.#startOf(b), this.#ends[b], this.#startOf(a), this.#ends[a]);
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] as number);
  }

  /** Writes a text behind all others, and returns its end there and its slot: that of the equal text, or a free one. */
  #probe(text: string): { readonly slot: number; readonly end: number } {
    const start = this.#startOf(this.size);
    const longest = start + 3 * text.length;
    if (longest > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(2 * longest);
      this.#bytes.copy(grown, 0, 0, start);
      this.#bytes = grown;
    }
    const end = start + this.#bytes.write(text, start);
    const mask = this.#slots.length - 1;
    for (let slot = this.#hash(start, end) & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] as number) - 1;
      if (index === -1 || this.#isAt(index, start, end)) return { slot, end };
    }
  }

  #isAt(index: number, start: number, end: number): boolean {
    return this.#bytes.compare(this.#bytes, start, end, this.#startOf(index), this.#ends[index]) === 0;
  }

  /** Computes the FNV-1a hash of a part of the buffer. */
  #hash(start: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (this.#bytes[at] as number), 0x01000193);
    return hash ^ (hash >>> 15);
  }

  #rehash(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let index = 0; index < this.size; index += 1) {
      let slot = this.#hash(this.#startOf(index), this.#ends[index] as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }
}
