import { createHash, createHmac } from 'node:crypto';
import { badSignatures } from './bad-signatures.ts';
import { rfc4231 } from './rfc-4231.ts';
import { OTHER_SECRET, SECRET, writeEvent } from './samples.ts';

/** A vector: whether `signatures`, the values of all X-Service-Signature headers, are valid for the body. */
export interface Vector {
  readonly id: string;
  readonly title: string;
  readonly secret: string;
  readonly body: string;
  readonly signatures: readonly string[];
  readonly valid: boolean;
}

type Bytes = string | Uint8Array;

const body = writeEvent();
const genuine = signBy(SECRET, body);
const toBase64 = (bytes: Bytes): string => Buffer.from(bytes).toString('base64');

function signBy(secret: Bytes, signed: Bytes, algorithm = 'sha256'): string {
  return createHmac(algorithm, secret).update(signed).digest('hex');
}

interface Parts {
  readonly secret?: Bytes;
  readonly body?: Bytes;
  readonly signatures?: readonly string[];
  readonly valid?: boolean;
}

type Row = readonly [title: string, parts: Parts];

const unicode = writeEvent({ data: { purpose: 'José 株式会社 👩‍👩‍👧 e\u0301 \u200f' } });
const validVectors: readonly Row[] = [
  ['an event', {}],
  ['an event with text beyond ASCII', { body: unicode, signatures: [signBy(SECRET, unicode)] }],
  ['an empty body', { body: '', signatures: [signBy(SECRET, '')] }],
  [
    'a body that is not UTF-8',
    { body: new Uint8Array([0xff]), signatures: [signBy(SECRET, new Uint8Array([0xff]))] },
  ],
  ['a body with a byte order mark', { body: `\ufeff${body}`, signatures: [signBy(SECRET, `\ufeff${body}`)] }],
  ['a secret beyond ASCII', { secret: 'gehëim🔑', signatures: [signBy('gehëim🔑', body)] }],
  [
    'a secret that ends in a line break',
    { secret: `${SECRET}\n`, signatures: [signBy(`${SECRET}\n`, body)] },
  ],
  ...rfc4231
    .filter(({ digest }) => digest.length === 64)
    .map(({ title, key, data, digest }): Row => [
      `RFC 4231 ${title}`,
      { secret: key, body: data, signatures: [digest] },
    ]),
];

const flip = (at: number): string =>
  genuine.slice(0, at) + ((Number.parseInt(genuine[at]!, 16) + 1) % 16).toString(16) + genuine.slice(at + 1);

const invalidVectors: readonly Row[] = [
  ['no signature', { signatures: [] }],
  ['two signatures', { signatures: [genuine, genuine] }],
  ['a genuine signature and another', { signatures: [genuine, signBy(OTHER_SECRET, body)] }],
  // Without lone surrogates, which not every language can represent, and without very long values.
  ...badSignatures
    .map(([title, mutate]) => [title, mutate(genuine)] as const)
    .filter((row): row is readonly [string, string] => typeof row[1] === 'string')
    .filter(([, value]) => value.length < 1000 && !/[\ud800-\udfff]/.test(value))
    .map(([title, value]): Row => [title, { signatures: [value] }]),
  ...[0, 31, 63].map((at): Row => [`another character at ${at}`, { signatures: [flip(at)] }]),
  ['the signature of another secret', { signatures: [signBy(OTHER_SECRET, body)] }],
  ['the signature of the trimmed secret', { secret: `${SECRET}\n` }],
  [
    'the signature of the secret decoded from hex',
    { signatures: [signBy(Buffer.from(SECRET, 'hex'), body)] },
  ],
  ['body and secret swapped', { signatures: [signBy(body, SECRET)] }],
  ['SHA-1', { signatures: [signBy(SECRET, body, 'sha1')] }],
  ['SHA-512', { signatures: [signBy(SECRET, body, 'sha512')] }],
  ['SHA-512 cut to 64 characters', { signatures: [signBy(SECRET, body, 'sha512').slice(0, 64)] }],
  ['SHA-256 without a key', { signatures: [createHash('sha256').update(body).digest('hex')] }],
  [
    'SHA-256 of secret and body',
    {
      signatures: [
        createHash('sha256')
          .update(SECRET + body)
          .digest('hex'),
      ],
    },
  ],
  ['the body reserialized', { body: JSON.stringify(JSON.parse(body), null, 2) }],
  ['a line break after the body', { body: `${body}\n` }],
  ['a byte order mark before the body', { body: `\ufeff${body}` }],
  ['the byte order mark removed', { signatures: [signBy(SECRET, `\ufeff${body}`)] }],
  ['an empty body with the signature of another', { body: '' }],
  [
    'bytes that decode to the same text',
    { body: new Uint8Array([0xfe]), signatures: [signBy(SECRET, new Uint8Array([0xff]))] },
  ],
  [
    'a replacement character instead of an invalid byte',
    { body: '\ufffd', signatures: [signBy(SECRET, new Uint8Array([0xff]))] },
  ],
  ['one bit of the body changed', { body: body.replace('1000.5', '1000.4') }],
];

function toVector([title, parts]: Row, valid: boolean): Omit<Vector, 'id'> {
  const signatures = parts.signatures ?? [genuine];
  return {
    title,
    valid,
    secret: toBase64(parts.secret ?? SECRET),
    body: toBase64(parts.body ?? body),
    signatures,
  };
}

/** The vectors, created with node:crypto only. */
export const vectors: readonly Vector[] = [
  ...validVectors.map((row) => toVector(row, true)),
  ...invalidVectors.map((row) => toVector(row, false)),
].map((vector, index) => ({ id: `v${String(index + 1).padStart(3, '0')}`, ...vector }));

/** Returns the content of the vector file. */
export function writeVectors(): string {
  const file = {
    description:
      'Signatures of webhooks: HMAC-SHA256 over the exact bytes of the body, as 64 lowercase hexadecimal characters. ' +
      'secret and body are base64 of bytes; signatures contains the value of each X-Service-Signature header; valid is ' +
      'whether a verifier must accept them.',
    algorithm: 'HMAC-SHA256',
    header: 'X-Service-Signature',
    count: vectors.length,
    vectors: vectors,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}
