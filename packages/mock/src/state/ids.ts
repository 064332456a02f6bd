import { splitText } from '@service/internal';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const HEX = '0123456789abcdef';
const INITIAL: HashState = [1779033703, 3144134277, 1013904242, 2773480762];

/**
 * Derives text from a seed and a purpose. The result is the same on every runtime. It is not secret: anyone
 * with the seed can derive it.
 */
export function deriveText(seed: string, purpose: string, length: number): string {
  return drawCharacters(hash(`${seed}\n${purpose}`), ALPHABET, length);
}

/** Derives `length` lowercase hexadecimal digits. */
export function deriveHex(seed: string, purpose: string, length: number): string {
  return drawCharacters(hash(`${seed}\n${purpose}`), HEX, length);
}

/** Derives the digits of `deriveHex` from a seed in parts. */
export interface HexDigest {
  readonly add: (part: string) => void;
  readonly read: () => string;
}

/** Creates a digest that equals `deriveHex` of all parts. */
export function createHexDigest(purpose: string, length: number): HexDigest {
  let state = INITIAL;
  return {
    add(part) {
      state = hash(part, state);
    },
    read: () => drawCharacters(hash(`\n${purpose}`, state), HEX, length),
  };
}

/** Formats a counter as base62 digits of fixed length, so that ids sort in the order of their creation. */
export function toSortable(count: number, digits: number): string {
  const codes: number[] = [];
  for (let rest = count; codes.length < digits; rest = Math.floor(rest / ALPHABET.length)) {
    codes.push(ALPHABET.charCodeAt(rest % ALPHABET.length));
  }
  return String.fromCharCode(...codes.toReversed());
}

const alphabets: Readonly<Record<string, string>> = {
  base62: ALPHABET,
  lower: '0123456789abcdefghijklmnopqrstuvwxyz',
  upper: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  hex: HEX,
  digits: '0123456789',
};
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The placeholders of ids: `mode`, `number`, `uuid`, `ulid`, and an alphabet with a length. */
export const idParts: readonly string[] = ['mode', 'number', 'uuid', 'ulid', ...Object.keys(alphabets)];

/** An id to write: its form, its number and the seed of its random parts. */
export interface NewId {
  readonly form: string;
  readonly mode: string;
  readonly number: number;
  readonly seed: string;
}

/** Writes an id in the form of a profile. */
export function writeId({ form, mode, number, seed }: NewId): string {
  const parts = splitText(form).map((part, index) => {
    if (typeof part === 'string') return part;
    const [length] = part.words;
    if (part.name === 'mode') return mode;
    if (part.name === 'number') return String(number).padStart(Number(length ?? 0), '0');
    const purpose = `id ${index} ${number}`;
    if (part.name === 'uuid') return toUuid(deriveHex(seed, purpose, 32));
    const alphabet = part.name === 'ulid' ? CROCKFORD : (alphabets[part.name] ?? ALPHABET);
    // The first digit of a ULID is at most 7.
    const text = drawCharacters(hash(`${seed}\n${purpose}`), alphabet, Number(length ?? 26));
    return part.name === 'ulid' ? `0${text.slice(1)}` : text;
  });
  return parts.join('');
}

/** Formats 32 hexadecimal digits as a random UUID (RFC 9562). */
function toUuid(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Creates a seed from the system's randomness. */
export function drawSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Creates a generator of numbers from 0 to below 1 that depends only on the seed and the purpose. */
export function createDraw(seed: string, purpose: string): () => number {
  const next = createGenerator(hash(`${seed}\n${purpose}`));
  return () => next() / 2 ** 32;
}

function drawCharacters(state: HashState, alphabet: string, length: number): string {
  const next = createGenerator(state);
  const codes: number[] = [];
  for (let i = 0; i < length; i += 1) codes[i] = alphabet.charCodeAt(next() % alphabet.length);
  return String.fromCharCode(...codes);
}

type HashState = readonly [number, number, number, number];

/** Hashes text to 128 bits with the constants and finalizer of MurmurHash3. Text in parts continues the state of the last part. */
function hash(text: string, state = INITIAL): HashState {
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
function createGenerator([a, b, c, d]: HashState): () => number {
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
