/** 128 bits of a hash. */
export type HashState = readonly [number, number, number, number];

/** The hash of empty text. */
const INITIAL: HashState = [1779033703, 3144134277, 1013904242, 2773480762];

/** Creates a generator of numbers from 0 to below 1 that depends only on the seed and the purpose. */
export function createDraw(seed: string, purpose: string): () => number {
  const next = createGenerator(hash(`${seed}\n${purpose}`));
  return () => next() / 2 ** 32;
}

/** Hashes text to 128 bits with the constants and finalizer of MurmurHash3. Text in parts continues the state of the last part. */
export function hash(text: string, state: HashState = INITIAL): HashState {
  let [a, b, c, d] = state;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    // Uses the new first word, so that each step is reversible and keeps all earlier input.
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  return [a, b, c, d];
}

/**
 * Creates an sfc32 generator of 32-bit numbers. The first 15 are discarded so that every bit of the seed
 * takes effect.
 */
export function createGenerator([a, b, c, d]: HashState): () => number {
  const next = (): number => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 15; i += 1) next();
  return next;
}
