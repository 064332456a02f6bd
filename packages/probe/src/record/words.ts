import { createHmac } from 'node:crypto';
import { defaultCurrencies } from '@service/internal';

/** Masks words so that equal words, and equal starts of words, stay equal. */
export type MaskWords = (text: string) => string;

/** Words that describe a movement of money, and no person. They stay, so that constant texts can be learned. */
const plain: ReadonlySet<string> = new Set([
  ...'a an and for from in of on the to with'.split(' '),
  ...'payment payments payout transfer refund refunded reversal return returned fee fees charge'.split(' '),
  ...'deposit credit debit wallet balance adjustment conversion exchange supplier account'.split(' '),
  ...'bearer basic test live pay txn pending processing completed failed true false null'.split(' '),
  ...defaultCurrencies.map((code) => code.toLowerCase()),
]);

/** The number of an API key, an id with its mode, such as `pay_test_…`, or a word. */
const TOKEN =
  /service_(?:test|live)_…\d+|(?:pay|txn?|trn|evt|dlv|req)_(?:test|live)_[A-Za-z0-9]+|[\p{L}\p{N}\p{M}]+/gu;

/** The length from which the rest of a word is replaced without its form. */
const MAX_LENGTH = 256;

/** Returns whether a word is masked. */
export function isMaskable(word: string): boolean {
  return !plain.has(word.toLowerCase()) && !word.includes('_');
}

/** Returns the words and ids of a text with their positions. */
export function listWords(text: string): { readonly word: string; readonly index: number }[] {
  return Array.from(text.matchAll(TOKEN), ({ 0: word, index }) => ({ word, index }));
}

/**
 * Creates a function that masks the words of a text: a letter becomes another letter, a digit another digit, and everything
 * else stays. The case of a letter does not matter for its mask, so that a text in capitals matches too.
 */
export function createWordMask(secret: string): MaskWords {
  const cache = new Map<string, string>();
  const mask = (word: string): string => {
    const known = cache.get(word);
    if (known !== undefined) return known;
    if (cache.size >= MAX_CACHED) cache.clear();
    const masked = maskWord(word, secret);
    cache.set(word, masked);
    return masked;
  };
  return (text) => text.replaceAll(TOKEN, (word) => (isMaskable(word) ? mask(word) : word));
}

const MAX_CACHED = 10_000;

/** Replaces each letter by a letter and each digit by a digit, which depend on the characters before it. */
function maskWord(word: string, secret: string): string {
  const isHex = /^(?=.*\d|.{16})[\da-f]+$/i.test(word);
  const characters = Array.from(word);
  const masked = characters.slice(0, MAX_LENGTH).map((character, index) => {
    const before = characters.slice(0, index).join('').toLowerCase();
    const hash = createHmac('sha256', secret).update(before).digest().readUInt32BE(0);
    const lower = character.toLowerCase();
    const letters = isHex ? 'abcdef' : LETTERS.includes(lower) ? LETTERS : ACCENTED;
    const alphabet = /\d/.test(character) ? '0123456789' : letters;
    // Never a rotation by 0, which would keep the character. Letters of other scripts become accented Latin ones.
    const place = alphabet.includes(lower) ? alphabet.indexOf(lower) : (lower.codePointAt(0) ?? 0);
    const rotated = alphabet[(place + 1 + (hash % (alphabet.length - 1))) % alphabet.length] ?? 'x';
    return lower === character ? rotated : rotated.toUpperCase();
  });
  return masked.join('') + 'x'.repeat(characters.length - masked.length);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** More letters than the block of Latin letters with accents has, so that these stay different. */
const ACCENTED = 'āăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĵķĺļľłńņňōŏőŕŗřśŝşšţťŧũūŭůűųŵŷźżž';

/** Converts a text to lowercase without a change of its length. */
export function toLower(text: string): string {
  return Array.from(text, (character) => {
    const lower = character.toLowerCase();
    return lower.length === character.length ? lower : character;
  }).join('');
}
