import { callable, type FieldsOf, oneOf, parseTimestamp, wholeNumber } from '@service/internal';
import { WebhookError } from './errors.ts';
import { MODES } from './event.ts';
import type { Mode } from './event.ts';
import { invalidOptions, nonEmptyText, parseFewOptions } from './options.ts';
import { toKeyBytes } from './signature.ts';
import type { Secret } from './signature.ts';
import type { EventChecks, MatchingSecret } from './verified-event.ts';

/** A signing secret with an id and an optional end. */
export interface NamedSecret {
  /**
   * The id of the secret in results and warnings. Not confidential.
   *
   * @example '2026-01'
   */
  readonly id: string;
  /** The signing secret. `undefined`, an unset environment variable, throws `unusable_secret`. */
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

/** The code of a {@link WebhookWarning}. */
export type WebhookWarningCode =
  'secret_ends_in_newline' | 'secret_has_stray_characters' | 'max_event_age_below_retries';

/** A warning about an option that is valid and probably a mistake. */
export interface WebhookWarning {
  /** The kind of mistake. */
  readonly code: WebhookWarningCode;
  /** The probable mistake, without the secret. */
  readonly message: string;
  /** The id of the secret, for a warning about a secret. */
  readonly secretId?: string;
}

/** A function that receives warnings. */
export type WarningListener = (warning: WebhookWarning) => unknown;

/** The limits of the age of an event by its signed `created_at`. */
export interface EventAgeOptions {
  /**
   * Maximum age of an event, in milliseconds. The sender retries for 27 hours and `created_at` stays the
   * same.
   *
   * @default unlimited
   * @example 3 * 86_400_000
   */
  readonly maxEventAge?: number | undefined;
  /**
   * Maximum difference between the clocks of sender and receiver, in milliseconds.
   *
   * @default 60_000
   */
  readonly clockTolerance?: number | undefined;
}

/** The options of `createVerifier`. */
export interface VerifierOptions extends EventAgeOptions {
  /**
   * The signing secret, or several during a rotation. Required.
   *
   * @example process.env.SERVICE_WEBHOOK_SECRET
   */
  readonly secrets: Secrets;
  /**
   * The mode of accepted events.
   *
   * @default both modes
   * @example 'live'
   */
  readonly mode?: Mode | undefined;
  /**
   * Returns the current time, in milliseconds since 1970.
   *
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
  /**
   * Called at construction for each option that is probably wrong.
   *
   * @default emits a process warning, or calls `console.warn` in runtimes without process warnings
   */
  readonly onWarning?: WarningListener | undefined;
}

/** A secret as a key. */
export interface SecretKey extends MatchingSecret {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Creates the fields of all {@link VerifierOptions} except the secrets. */
export function createEventFields(): FieldsOf<Omit<VerifierOptions, 'secrets'>> {
  return {
    mode: oneOf(...MODES),
    maxEventAge: wholeNumber(Number.MAX_SAFE_INTEGER, 1),
    clockTolerance: wholeNumber(Number.MAX_SAFE_INTEGER),
    now: callable(),
    onWarning: callable(),
  };
}

/** The options of a verifier, with defaults applied. */
export interface VerifierSettings extends EventChecks {
  readonly secretKeys: readonly SecretKey[];
}

/** The time for which the sender retries a delivery, rounded up to 28 h, in milliseconds. */
export const RETRY_PERIOD = 100_800_000;

/**
 * Parses verifier options, and warns about those that are probably wrong.
 *
 * @throws {WebhookError} `invalid_options`, `unusable_secret`
 */
export function parseVerifierOptions(options: VerifierOptions): VerifierSettings {
  const parsed = parseFewOptions('createVerifier', options, {
    secrets: {
      expected: '',
      parse: toSecretKeys,
      isRequired: true,
    },
    ...createEventFields(),
  } as const);
  const checks = applyDefaults(parsed);
  const { secrets: secretKeys, onWarning = emitWarning } = parsed;
  for (const { id: secretId, bytes } of secretKeys) {
    // As in a secret that was read from a file or pasted. A key of random bytes is not text.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const isLine = /[\r\n]$/.test(text);
    if (isLine || (strayCharacters.test(text) && !text.includes('\uFFFD'))) {
      const place = isLine ? 'ends in a line break' : 'has white space, quotes or invisible characters';
      const message = `The secret ${secretId} ${place}, which is part of the key. Remove stray characters.`;
      onWarning({
        code: isLine ? 'secret_ends_in_newline' : 'secret_has_stray_characters',
        message,
        secretId,
      });
    }
  }
  if (checks.maxEventAge && checks.maxEventAge < RETRY_PERIOD) {
    const message = 'maxEventAge is below 28 h: late retries, which keep their created_at, are dropped.';
    onWarning({ code: 'max_event_age_below_retries', message });
  }
  return { ...checks, secretKeys };
}

/**
 * Applies the defaults of the options that concern events.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function applyDefaults(options: Omit<VerifierOptions, 'secrets'>): EventChecks {
  const { mode, maxEventAge, clockTolerance = 60_000, now = Date.now } = options;
  if (maxEventAge === undefined && options.clockTolerance !== undefined)
    throw invalidOptions('clockTolerance requires maxEventAge.');
  return { mode, maxEventAge, clockTolerance, now };
}

/** White space and quotes around a secret, and characters inside it that come from editors and files. */
const strayCharacters = /^[ "'`]|[ "'`]$|[\t\r\n\p{Cf}\u2018-\u201F]|[^\P{Z} ]/u;

interface Runtime {
  readonly process?: { readonly emitWarning?: (message: string, options: object) => void };
}

/** Emits a process warning, or writes to the console in runtimes without process warnings. */
function emitWarning({ code, message }: WebhookWarning): void {
  const runtime = (globalThis as Runtime).process;
  if (runtime?.emitWarning) runtime.emitWarning(message, { type: 'WebhookWarning', code });
  // oxlint-disable-next-line no-console -- the only output of other runtimes
  else console.warn(`${code}: ${message}`);
}

/** Maximum number of secrets. Each request is hashed once per secret. */
const MAX_SECRETS = 5;

/**
 * Parses the `secrets` option. Secrets without an id are `secret-1`, `secret-2`, ….
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 */
export function toSecretKeys(secrets: unknown): readonly SecretKey[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? Array.from(secrets) : [secrets];
  if (list.length === 0) throw new WebhookError('unusable_secret');
  if (list.length > MAX_SECRETS)
    throw invalidOptions(`secrets must contain at most ${MAX_SECRETS} secrets, not ${list.length}.`);
  const keys = list.map(toSecretKey);
  if (new Set(keys.map(({ id }) => id)).size < keys.length)
    throw invalidOptions('Two secrets have the same id.');
  return keys;
}

function toSecretKey(secret: unknown, index: number): SecretKey {
  const isNamed = typeof secret === 'object' && secret !== null && 'value' in secret;
  if (!isNamed) return { id: `secret-${index + 1}`, bytes: toKeyBytes(secret), notAfter: Infinity };
  const parsed = parseFewOptions('A secret', secret, {
    id: { ...nonEmptyText, isRequired: true },
    value: { expected: '', parse: toKeyBytes, isRequired: true },
    notAfter: { expected: 'a Date, milliseconds, or like 2026-02-28T00:00:00Z', parse: toInstant },
  } as const);
  return { id: parsed.id, bytes: parsed.value, notAfter: parsed.notAfter ?? Infinity };
}

function toInstant(value: unknown): number | undefined {
  const time = value instanceof Date ? value.getTime() : value;
  const instant = typeof time === 'string' ? parseTimestamp(time) : time;
  return Number.isFinite(instant) ? (instant as number) : undefined;
}
