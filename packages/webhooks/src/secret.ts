import { encodeText, isUint8Array } from './bytes.ts';
import { WebhookError } from './errors.ts';
import { assertKnownOptions } from './options.ts';

/** Holds a signing secret: text (its UTF-8 is the key, spec §6) or the key's bytes. */
export type Secret = string | Uint8Array;

/** Names a secret, so that a result can tell which one matched. */
export interface NamedSecret {
  /** Names the secret in results; it is not secret itself. Example: `'2026-01'`. */
  readonly id: string;
  readonly value: Secret;
}

/** Holds what `secrets` accepts. `undefined` (an unset environment variable) compiles and throws `unusable_secret`. */
export type Secrets = Secret | NamedSecret | readonly (Secret | NamedSecret)[] | undefined;

/** Holds a secret as the bytes of an HMAC key. */
export interface SecretKey {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const PLACEHOLDERS: ReadonlySet<string> = new Set(['', 'undefined', 'null']);

/** Converts a secret to a copy of its key bytes. Throws `unusable_secret`. */
export function toKeyBytes(secret: unknown): Uint8Array<ArrayBuffer> {
  const bytes = typeof secret === 'string' ? encodeText(secret) : copyOf(secret);
  const isPlaceholder = typeof secret === 'string' && PLACEHOLDERS.has(secret.trim());
  // HMAC pads a key with zero bytes: a zeroed buffer signs exactly like the empty key.
  if (isPlaceholder || bytes.every((byte) => byte === 0)) throw new WebhookError('unusable_secret');
  return bytes;
}

function copyOf(secret: unknown): Uint8Array<ArrayBuffer> {
  if (!isUint8Array(secret)) throw new WebhookError('unusable_secret');
  return new Uint8Array(secret);
}

/** Converts the `secrets` option to keys; unnamed ones are `secret-1`, `secret-2`… Throws `unusable_secret`, `invalid_options`. */
export function toSecretKeys(secrets: Secrets): readonly SecretKey[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length === 0) throw new WebhookError('unusable_secret', { message: 'secrets is an empty list.' });
  const keys = list.map(toSecretKey);
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw new WebhookError('invalid_options', { message: 'Two secrets share an id; each needs its own.' });
  }
  return keys;
}

function toSecretKey(secret: unknown, index: number): SecretKey {
  if (!isNamed(secret)) return { id: `secret-${index + 1}`, bytes: toKeyBytes(secret) };
  assertKnownOptions(secret, ['id', 'value'], 'A secret');
  if (typeof secret.id !== 'string' || secret.id === '') {
    throw new WebhookError('invalid_options', {
      message: 'The id of a secret must be a text that is not empty.',
    });
  }
  return { id: secret.id, bytes: toKeyBytes(secret.value) };
}

function isNamed(secret: unknown): secret is { id: unknown; value: unknown } {
  return typeof secret === 'object' && secret !== null && 'id' in secret && 'value' in secret;
}
