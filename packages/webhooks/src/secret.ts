import { encodeText, isUint8Array } from './bytes.ts';
import { WebhookError } from './errors.ts';
import { assertKnownOptions, invalidOptions } from './options.ts';
import { parseTimestamp } from './timestamp.ts';

/** A signing secret: text, whose UTF-8 encoding is the key, or the bytes of the key. */
export type Secret = string | Uint8Array;

/** A signing secret with an id and an optional end. */
export interface NamedSecret {
  /**
   * The id of the secret in results and warnings. Not confidential.
   *
   * @example '2026-01'
   */
  readonly id: string;
  readonly value: Secret | undefined;
  /**
   * The end of its use: later signatures are `secret_expired`. A Date, milliseconds since 1970, or a
   * timestamp with an offset.
   *
   * @default never
   * @example '2026-02-28T00:00:00Z'
   */
  readonly notAfter?: Date | number | string | undefined;
}

/**
 * The values of `secrets`. `undefined`, an unset environment variable, compiles and throws `unusable_secret`.
 */
export type Secrets = Secret | NamedSecret | readonly (Secret | NamedSecret)[] | undefined;

export interface SecretKey {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of its use, in milliseconds since 1970, or `Infinity`. */
  readonly notAfter: number;
}

/** Maximum number of secrets. Each request is hashed once per secret. */
const MAX_SECRETS = 5;

/**
 * Returns a copy of the key bytes of a secret.
 *
 * @throws {WebhookError} `unusable_secret`
 */
export function toKeyBytes(secret: unknown): Uint8Array<ArrayBuffer> {
  const isText = typeof secret === 'string';
  if (isText || isUint8Array(secret)) {
    const bytes = isText ? encodeText(secret) : new Uint8Array(secret);
    const isPlaceholder = isText && ['', 'undefined', 'null'].includes(secret.trim());
    // HMAC pads a key with zero bytes, so a zeroed buffer equals the empty key.
    if (!isPlaceholder && bytes.some((byte) => byte > 0)) return bytes;
  }
  throw new WebhookError('unusable_secret');
}

/**
 * Parses the `secrets` option. Secrets without an id are `secret-1`, `secret-2`, ….
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 */
export function toSecretKeys(secrets: Secrets): readonly SecretKey[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? Array.from(secrets) : [secrets];
  if (list.length === 0) throw new WebhookError('unusable_secret');
  if (list.length > MAX_SECRETS) {
    throw invalidOptions(`secrets must contain at most ${MAX_SECRETS} secrets, not ${list.length}.`);
  }
  const keys = list.map(toSecretKey);
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw invalidOptions('Two secrets have the same id.');
  }
  return keys;
}

/** Checks for a line break at the end, as in a secret that was read from a file. */
export function endsInNewline({ bytes }: SecretKey): boolean {
  return bytes.at(-1) === 10 || bytes.at(-1) === 13;
}

function toSecretKey(secret: unknown, index: number): SecretKey {
  if (!isNamed(secret)) return { id: `secret-${index + 1}`, bytes: toKeyBytes(secret), notAfter: Infinity };
  assertKnownOptions(secret, ['id', 'value', 'notAfter'], 'A secret');
  if (typeof secret.id !== 'string' || secret.id === '') {
    throw invalidOptions('The id of a secret must be a non-empty string.');
  }
  return { id: secret.id, bytes: toKeyBytes(secret.value), notAfter: toInstant(secret.notAfter) };
}

function toInstant(notAfter: unknown): number {
  if (notAfter === undefined) return Infinity;
  const value = notAfter instanceof Date ? notAfter.getTime() : notAfter;
  const instant = typeof value === 'string' ? parseTimestamp(value) : value;
  if (typeof instant === 'number' && Number.isFinite(instant)) return instant;
  throw invalidOptions('notAfter must be a Date, milliseconds, or like 2026-02-28T00:00:00Z.');
}

function isNamed(secret: unknown): secret is { id?: unknown; value: unknown; notAfter?: unknown } {
  return typeof secret === 'object' && secret !== null && 'value' in secret;
}
