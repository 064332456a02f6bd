import type { Mode } from '@service/contract';
import { memoize } from '@service/internal';

/** 128 bits of a hash. */
type HashState = readonly [number, number, number, number];

/** The hash of empty text. */
const INITIAL: HashState = [1779033703, 3144134277, 1013904242, 2773480762];

/** Creates a generator of numbers from 0 to below 1 that depends only on the seed and the purpose. */
export function createDraw(seed: string, purpose: string): () => number {
  const generator = createGenerator(hash(`${seed}\n${purpose}`));
  return () => (draw(generator) >>> 0) / 2 ** 32;
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

/** The state of an sfc32 generator. */
type Generator = [a: number, b: number, c: number, d: number];

/** Creates an sfc32 generator. The first 15 numbers are discarded so that every bit of the seed takes effect. */
function createGenerator(seed: HashState): Generator {
  const generator: Generator = [seed[0] | 0, seed[1] | 0, seed[2] | 0, seed[3] | 0];
  for (let i = 0; i < 15; i += 1) draw(generator);
  return generator;
}

/** Draws a signed 32-bit number, which V8 computes without an allocation. */
function draw(generator: Generator): number {
  const b = generator[1];
  const c = generator[2];
  const d = generator[3];
  const sum = (generator[0] + b + d) | 0;
  generator[3] = (d + 1) | 0;
  generator[0] = b ^ (b >>> 9);
  generator[1] = (c + (c << 3)) | 0;
  generator[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
  return sum;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The alphabet of hexadecimal digits. */
export const HEX = '0123456789abcdef';

/**
 * Derives characters of an alphabet from a seed or its hash, and a purpose. The result is the same on every runtime. It is not
 * secret: anyone with the seed can derive it.
 */
export function deriveText(
  seed: string | HashState,
  purpose: string,
  length: number,
  alphabet: string = BASE62,
): string {
  const generator = createGenerator(hash(`\n${purpose}`, typeof seed === 'string' ? hash(seed) : seed));
  let text = '';
  for (let i = 0; i < length; i += 1) text += alphabet[(draw(generator) >>> 0) % alphabet.length];
  return text;
}

/** Formats a counter as base62 digits of fixed length, so that ids sort in the order of their creation. */
export function toSortable(count: number, digits: number): string {
  let text = '';
  for (let rest = count; text.length < digits; rest = Math.floor(rest / BASE62.length))
    text = BASE62.charAt(rest % BASE62.length) + text;
  return text;
}

/** What the ids of an account and mode derive from: the mode, and text that only they have. */
interface IdSource {
  readonly mode: Mode;
  readonly source: string;
}

/** Derives the id of an item of an account and mode by its number, from 1. */
export function drawId(owner: IdSource, kind: 'pay' | 'txn' | 'dlv', count: number): string {
  const tail = deriveText(hashSource(owner), `${kind} ${count}`, 18);
  return `${kind}_${owner.mode}_${toSortable(count, 6)}${tail}`;
}

const hashSource = memoize(({ source }: IdSource): HashState => hash(source));
