import { createGenerator, hash, type HashState } from './random.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const HEX = '0123456789abcdef';
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The alphabets of the random parts of ids by name. */
export const alphabets: Readonly<Record<string, string>> = {
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
export function drawCharacters(state: HashState, alphabet: string, length: number): string {
  const next = createGenerator(state);
  const codes: number[] = [];
  for (let i = 0; i < length; i += 1) codes[i] = alphabet.charCodeAt(next() % alphabet.length);
  return String.fromCharCode(...codes);
}

/** Formats 32 hexadecimal digits as a random UUID (RFC 9562). */
function toUuid(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
