import { splitText } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import { createDraw, hash } from '../domain/random.ts';
import { alphabets, drawCharacters, writeRandomPart } from '../domain/random-id.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const HEX = '0123456789abcdef';

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

/** Formats a counter as base62 digits of fixed length, so that ids sort in the order of their creation. */
export function toSortable(count: number, digits: number): string {
  const codes: number[] = [];
  for (let rest = count; codes.length < digits; rest = Math.floor(rest / ALPHABET.length)) {
    codes.push(ALPHABET.charCodeAt(rest % ALPHABET.length));
  }
  return String.fromCharCode(...codes.toReversed());
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

/** An id to write: its form, its number and the seed of its random parts. */
export interface NewId {
  readonly form: string;
  readonly mode: string;
  readonly number: number;
  readonly at: Instant;
  readonly seed: string;
}

/** Writes an id in the form of a profile. */
export function writeId({ form, mode, number, at, seed }: NewId): string {
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

/** An event of a payment. */
interface EventKey {
  readonly payment_id: string;
  readonly status: string;
}

/** Derives the random part of the id of an event. All attempts of its webhook have the same one. */
export function deriveEventKey({ payment_id, status }: EventKey): string {
  return deriveText(`event ${payment_id}`, status, 24);
}

/** Creates a seed from the system's randomness. */
export function drawSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Draws one number from 0 to below 1 that depends only on the seed and the purpose. */
export function drawNumber(seed: string, purpose: string): number {
  return createDraw(seed, purpose)();
}
