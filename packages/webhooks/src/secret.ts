import { encodeText, isUint8Array } from './bytes.ts';
import { WebhookError } from './errors.ts';
import { assertKnownOptions, invalidOptions } from './options.ts';
import { parseTimestamp } from './timestamp.ts';

/** Holds a signing secret: text (its UTF-8 is the key, spec §6) or the key's bytes. */
export type Secret = string | Uint8Array;

/** Names a secret, so that a result can tell which one matched. */
export interface NamedSecret {
  /** Names the secret in results; it is not secret itself. Example: `'2026-01'`. */
  readonly id: string;
  readonly value: Secret;
  /**
   * Ends its use: a later signature is `secret_expired`. A Date, milliseconds since 1970, or a timestamp with an offset.
   * @default never
   * @example '2026-02-28T00:00:00Z'
   */
  readonly notAfter?: Date | number | string | undefined;
}

/** Holds what `secrets` accepts. `undefined` (an unset environment variable) compiles and throws `unusable_secret`. */
export type Secrets = Secret | NamedSecret | readonly (Secret | NamedSecret)[] | undefined;

/** Holds a secret as the bytes of an HMAC key. */
export interface SecretKey {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Ends its use, in milliseconds since 1970; `Infinity` for never. */
  readonly notAfter: number;
}

/** Bounds how many secrets are tried, since every one costs a hash for each request. */
const MAX_SECRETS = 5;

/** Converts a secret to a copy of its key bytes. Throws `unusable_secret`. */
export function toKeyBytes(secret: unknown): Uint8Array<ArrayBuffer> {
  const isText = typeof secret === 'string';
  if (isText || isUint8Array(secret)) {
    const bytes = isText ? encodeText(secret) : new Uint8Array(secret);
    const isPlaceholder = isText && ['', 'undefined', 'null'].includes(secret.trim());
    // HMAC pads a key with zero bytes: a zeroed buffer signs exactly like the empty key.
    if (!isPlaceholder && bytes.some((byte) => byte > 0)) return bytes;
  }
  throw new WebhookError('unusable_secret');
}

/** Converts the `secrets` option to keys; unnamed ones are `secret-1`, `secret-2`… Throws `unusable_secret`, `invalid_options`. */
export function toSecretKeys(secrets: Secrets): readonly SecretKey[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? Array.from(secrets) : [secrets];
  if (list.length === 0) throw new WebhookError('unusable_secret');
  if (list.length > MAX_SECRETS) {
    throw invalidOptions(`secrets holds ${list.length}, at most ${MAX_SECRETS} are tried.`);
  }
  const keys = list.map(toSecretKey);
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw invalidOptions('Two secrets share an id.');
  }
  return keys;
}

/** Tells whether a secret ends in a line break, as one that was read from a file does. */
export function endsInNewline({ bytes }: SecretKey): boolean {
  return bytes.at(-1) === 10 || bytes.at(-1) === 13;
}

function toSecretKey(secret: unknown, index: number): SecretKey {
  if (!isNamed(secret)) return { id: `secret-${index + 1}`, bytes: toKeyBytes(secret), notAfter: Infinity };
  assertKnownOptions(secret, ['id', 'value', 'notAfter'], 'A secret');
  if (typeof secret.id !== 'string' || secret.id === '') {
    throw invalidOptions('The id of a secret must be a text.');
  }
  return { id: secret.id, bytes: toKeyBytes(secret.value), notAfter: toInstant(secret.notAfter) };
}

function toInstant(notAfter: unknown): number {
  if (notAfter === undefined) return Infinity;
  const given = notAfter instanceof Date ? notAfter.getTime() : notAfter;
  const instant = typeof given === 'string' ? parseTimestamp(given) : given;
  if (typeof instant === 'number' && Number.isFinite(instant)) return instant;
  throw invalidOptions('notAfter must be a Date, milliseconds, or like 2026-02-28T00:00:00Z.');
}

function isNamed(secret: unknown): secret is { id?: unknown; value: unknown; notAfter?: unknown } {
  return typeof secret === 'object' && secret !== null && 'value' in secret;
}
