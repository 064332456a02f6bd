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
