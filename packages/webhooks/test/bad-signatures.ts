import { encode, fromHex } from './samples.ts';

type Mutation = readonly [title: string, mutate: (genuine: string) => unknown];

/** Invalid signatures, derived from a genuine one. */
export const badSignatures: readonly Mutation[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['a number', () => 42],
  ['NaN', () => NaN],
  ['a bigint', () => 7n],
  ['true', () => true],
  ['a symbol', () => Symbol('signature')],
  ['a function', (genuine) => () => genuine],
  ['a plain object', () => ({})],
  ['an object that converts to the signature', (genuine) => ({ toString: () => genuine, length: 64 })],
  ['a String object', (genuine) => Object(genuine) as unknown],
  ['an array of the signature', (genuine) => [genuine]],
  ['an array of two signatures', (genuine) => [genuine, genuine]],
  ['an array of 64 characters', (genuine) => Array.from(genuine)],
  ['the bytes of the signature', (genuine) => encode(genuine)],
  ['the digest itself', (genuine) => fromHex(genuine)],
  ...[0, 1, 8, 32, 62, 63].map((length): Mutation => [
    `its first ${length} characters`,
    (genuine) => genuine.slice(0, length),
  ]),
  ['an additional character', (genuine) => `${genuine}0`],
  ['a repeated signature', (genuine) => genuine + genuine],
  ['two joined by a comma', (genuine) => `${genuine}, ${genuine}`],
  ['a trailing newline', (genuine) => `${genuine}\n`],
  ['a trailing carriage return and newline', (genuine) => `${genuine}\r\n`],
  ['a newline instead of the last character', (genuine) => `${genuine.slice(0, 63)}\n`],
  ['a trailing NUL', (genuine) => `${genuine}\0`],
  ['a NUL instead of the last character', (genuine) => `${genuine.slice(0, 63)}\0`],
  ['a leading space', (genuine) => ` ${genuine}`],
  ['a trailing space', (genuine) => `${genuine} `],
  ['a space instead of the first character', (genuine) => ` ${genuine.slice(1)}`],
  ['upper case', (genuine) => genuine.toUpperCase()],
  ['mixed case', (genuine) => genuine.slice(0, 32) + genuine.slice(32).toUpperCase()],
  ['the prefix sha256=', (genuine) => `sha256=${genuine}`],
  ['the prefix v1=', (genuine) => `v1=${genuine}`],
  ['the prefix v1,', (genuine) => `v1,${genuine}`],
  ['the prefix 0x', (genuine) => `0x${genuine}`],
  ['the prefix 0x within 64 characters', (genuine) => `0x${genuine.slice(2)}`],
  ['quotes', (genuine) => `"${genuine}"`],
  ['base64', (genuine) => btoa(String.fromCharCode(...fromHex(genuine)))],
  ['64 characters that are not hexadecimal', () => 'z'.repeat(64)],
  ['64 characters that are not ASCII', () => 'é'.repeat(64)],
  ['64 fullwidth digits', () => '\uff11'.repeat(64)],
  [
    '64 code units whose low bytes are the signature',
    (genuine) =>
      Array.from(genuine)
        .map((c) => String.fromCharCode(c.charCodeAt(0) + 0x100))
        .join(''),
  ],
  ['64 lone surrogates', () => '\ud800'.repeat(64)],
  ['64 zeros', () => '0'.repeat(64)],
  ['a megabyte of hexadecimal', () => 'a'.repeat(1 << 20)],
  ['reversed characters', (genuine) => Array.from(genuine).toReversed().join('')],
];

/** Values that are not signing secrets. */
export const unusableSecrets: readonly (readonly [title: string, secret: unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['an empty string', ''],
  ['a blank string', ' \t\r\n\u00a0'],
  ['the text undefined', 'undefined'],
  ['the text null', 'null'],
  ['the text undefined and a newline', 'undefined\n'],
  ['a text of NUL characters, which signs like the empty key', '\0\0'],
  ['an empty Uint8Array', new Uint8Array()],
  ['a zeroed Uint8Array, which signs like the empty key', new Uint8Array(32)],
  ['a number', 12_345],
  ['an object', { secret: 'x' }],
  ['an ArrayBuffer', new ArrayBuffer(8)],
  ['a DataView', new DataView(new ArrayBuffer(8))],
  ['a Uint16Array', new Uint16Array([1, 2])],
];

/** Bodies that were parsed or are not bytes. */
export const parsedBodies: readonly (readonly [title: string, body: unknown])[] = [
  ['a parsed object', { event: 'payment.completed' }],
  ['an array', [1, 2]],
  ['undefined', undefined],
  ['null', null],
  ['a number', 1],
  ['a boolean', false],
  ['a Buffer written as JSON', { type: 'Buffer', data: [123, 125] }],
];
