import { createHash, createHmac } from 'node:crypto';
import { BAD_SIGNATURES } from './bad-signatures.ts';
import { RFC_4231 } from './rfc-4231.ts';
import { OTHER_SECRET, SECRET, writeEvent } from './samples.ts';

/** Holds one vector: whether `signatures`, the values of all X-Service-Signature headers, are genuine for the body. */
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
const VALID: readonly Row[] = [
  ['an event', {}],
  ['an event with text beyond ASCII', { body: unicode, signatures: [signBy(SECRET, unicode)] }],
  ['an empty body', { body: '', signatures: [signBy(SECRET, '')] }],
  [
    'a body that is no UTF-8',
    { body: new Uint8Array([0xff]), signatures: [signBy(SECRET, new Uint8Array([0xff]))] },
  ],
  ['a body with a byte order mark', { body: `\ufeff${body}`, signatures: [signBy(SECRET, `\ufeff${body}`)] }],
  ['a secret beyond ASCII', { secret: 'gehëim🔑', signatures: [signBy('gehëim🔑', body)] }],
  [
    'a secret that ends in a line break',
    { secret: `${SECRET}\n`, signatures: [signBy(`${SECRET}\n`, body)] },
  ],
  ...RFC_4231.filter(({ digest }) => digest.length === 64).map(({ title, key, data, digest }): Row => [
    `RFC 4231 ${title}`,
    { secret: key, body: data, signatures: [digest] },
  ]),
];

const flip = (at: number): string =>
  genuine.slice(0, at) + ((Number.parseInt(genuine[at]!, 16) + 1) % 16).toString(16) + genuine.slice(at + 1);

const INVALID: readonly Row[] = [
  ['no signature', { signatures: [] }],
  ['two signatures', { signatures: [genuine, genuine] }],
  ['a genuine signature and another', { signatures: [genuine, signBy(OTHER_SECRET, body)] }],
  // What is no string of Unicode scalar values, and what is very long, cannot stand in a file for any language.
  ...BAD_SIGNATURES.map(([title, mutate]) => [title, mutate(genuine)] as const)
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
  ['the body re-serialised', { body: JSON.stringify(JSON.parse(body), null, 2) }],
  ['a line break behind the body', { body: `${body}\n` }],
  ['a byte order mark before the body', { body: `\ufeff${body}` }],
  ['the byte order mark lost', { signatures: [signBy(SECRET, `\ufeff${body}`)] }],
  ['an empty body under the signature of another', { body: '' }],
  [
    'bytes that decode to the same text',
    { body: new Uint8Array([0xfe]), signatures: [signBy(SECRET, new Uint8Array([0xff]))] },
  ],
  [
    'a replacement character for a bad byte',
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

/** Lists the vectors, made with node:crypto alone. */
export const VECTORS: readonly Vector[] = [
  ...VALID.map((row) => toVector(row, true)),
  ...INVALID.map((row) => toVector(row, false)),
].map((vector, index) => ({ id: `v${String(index + 1).padStart(3, '0')}`, ...vector }));

/** Writes the vector file. */
export function writeVectors(): string {
  const file = {
    description:
      'Signatures of webhooks: HMAC-SHA256 over the exact bytes of the body, as 64 lowercase hexadecimal characters. ' +
      'secret and body are base64 of bytes; signatures holds the value of each X-Service-Signature header; valid tells ' +
      'whether a verifier must accept.',
    algorithm: 'HMAC-SHA256',
    header: 'X-Service-Signature',
    count: VECTORS.length,
    vectors: VECTORS,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}
