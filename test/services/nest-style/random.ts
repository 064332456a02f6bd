/** Numbers that depend only on the seed and the name of their use. */
export class RandomStream {
  #state: number;

  constructor(seed: number, name: string) {
    let state = (0x811c9dc5 ^ seed) >>> 0;
    for (const character of name)
      state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    this.#state = state;
  }

  /** Returns a number from 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  hex(length: number): string {
    return Array.from({ length }, () => Math.floor(this.next() * 16).toString(16)).join('');
  }

  /** Returns a UUID of version 4. */
  uuid(): string {
    const variant = '89ab'.charAt(Math.floor(this.next() * 4));
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-${variant}${this.hex(3)}-${this.hex(12)}`;
  }
}
