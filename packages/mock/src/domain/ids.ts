import { splitText } from '@service/internal';
import type { Instant } from './json.ts';

/** 128 bits of a hash. */
export type HashState = readonly [number, number, number, number];

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
const HEX = '0123456789abcdef';
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The alphabets of the random parts of ids by name. */
const alphabets: Readonly<Record<string, string>> = {
  base62: BASE62,
  lower: '0123456789abcdefghijklmnopqrstuvwxyz',
  upper: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  hex: HEX,
  digits: '0123456789',
};

/** Writes a random part of an id: a UUID, a ULID, or some characters of an alphabet. Depends only on the seed. */
export function writeRandomPart(seed: string, name: string, length: number): string {
  const state = hash(seed);
  if (name === 'uuid') return toUuid(drawCharacters(state, HEX, 32));
  // The first digit of a ULID is at most 7.
  if (name === 'ulid') return `0${drawCharacters(state, CROCKFORD, 26).slice(1)}`;
  return drawCharacters(state, alphabets[name] ?? BASE62, length);
}

/** Draws characters of an alphabet. */
function drawCharacters(state: HashState, alphabet: string, length: number): string {
  const generator = createGenerator(state);
  let text = '';
  for (let i = 0; i < length; i += 1) text += alphabet[(draw(generator) >>> 0) % alphabet.length];
  return text;
}

/** Formats 32 hexadecimal digits as a random UUID (RFC 9562). */
function toUuid(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/**
 * Derives text from a seed or its hash, and a purpose. The result is the same on every runtime. It is not secret: anyone
 * with the seed can derive it.
 */
export function deriveText(seed: string | HashState, purpose: string, length: number): string {
  return drawCharacters(hashPurpose(seed, purpose), BASE62, length);
}

/** Derives `length` lowercase hexadecimal digits from a seed or its hash. */
export function deriveHex(seed: string | HashState, purpose: string, length: number): string {
  return drawCharacters(hashPurpose(seed, purpose), HEX, length);
}

function hashPurpose(seed: string | HashState, purpose: string): HashState {
  return hash(`\n${purpose}`, typeof seed === 'string' ? hash(seed) : seed);
}

/** Formats a counter as base62 digits of fixed length, so that ids sort in the order of their creation. */
export function toSortable(count: number, digits: number): string {
  let text = '';
  for (let rest = count; text.length < digits; rest = Math.floor(rest / BASE62.length))
    text = BASE62.charAt(rest % BASE62.length) + text;
  return text;
}

/** The placeholders of ids: `mode`, `number`, `date`, `uuid`, `ulid`, and an alphabet with a length. */
export const idParts: readonly string[] = [
  'mode',
  'number',
  'date',
  'uuid',
  'ulid',
  ...Object.keys(alphabets),
];

/** Writes an id in the form of a profile. Its random parts depend on the seed and the number. */
export function writeId(form: string, mode: string, number: number, at: Instant, seed: string): string {
  const parts = splitText(form).map((part, index) => {
    if (typeof part === 'string') return part;
    const [length] = part.words;
    if (part.name === 'mode') return mode;
    if (part.name === 'number') return String(number).padStart(Number(length ?? 0), '0');
    if (part.name === 'date') return new Date(at).toISOString().slice(0, 10).replaceAll('-', '');
    return writeRandomPart(`${seed}\nid ${index} ${number}`, part.name, Number(length));
  });
  return parts.join('');
}

/** Derives the random part of the id of the event of a status. All attempts of its webhook have the same one. */
export function deriveEventKey(payment_id: string, status: string): string {
  return deriveText(`event ${payment_id}`, status, 24);
}
