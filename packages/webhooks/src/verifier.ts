import { WebhookError } from './errors.ts';
import type { VerificationCode } from './errors.ts';
import { assertReadable, isOfOtherMode, parseEvent } from './event-parser.ts';
import { MODES } from './event.ts';
import type { Mode, WebhookEvent } from './event.ts';
import { assertEventAge, parseEventAge } from './event-age.ts';
import type { EventAgeLimits, EventAgeOptions } from './event-age.ts';
import { assertFunction, assertKnownOptions, invalidOptions } from './options.ts';
import { endsInNewline, toSecretKeys } from './secret.ts';
import type { SecretKey, Secrets } from './secret.ts';
import { eventAgeWarning, newlineWarning, warnRuntime } from './warning.ts';
import type { WarningListener } from './warning.ts';

/** The options of `createVerifier`. */
export interface VerifierOptions extends EventAgeOptions {
  /**
   * The signing secret, or several during a rotation. Required.
   *
   * @example process.env.WEBHOOK_SECRET
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

/** A verified event and the id of the secret that matched its signature. */
export interface VerifiedEvent {
  readonly event: WebhookEvent;
  readonly secretId: string;
}

/** The code of a failed verification. */
export interface VerificationFailure {
  readonly ok: false;
  readonly code: VerificationCode;
}

/** The result of `safeVerify`. Narrows on `ok`. */
export type VerificationResult = ({ readonly ok: true } & VerifiedEvent) | VerificationFailure;

/** The time for which the sender retries a delivery, rounded up to 28 h, in milliseconds. */
export const RETRY_PERIOD = 100_800_000;

export const VERIFIER_OPTIONS: readonly (keyof VerifierOptions)[] = [
  'secrets',
  'mode',
  'maxEventAge',
  'clockTolerance',
  'now',
  'onWarning',
];

/** The options of a verifier that concern events, with defaults applied. */
export interface EventChecks {
  readonly mode: Mode | undefined;
  readonly eventAge: EventAgeLimits | undefined;
  readonly now: () => number;
}

/** The options of a verifier, with defaults applied. */
export interface VerifierSettings extends EventChecks {
  readonly secretKeys: readonly SecretKey[];
}

/**
 * Parses verifier options, and warns about those that are probably wrong.
 *
 * @throws {WebhookError} `invalid_options`, `unusable_secret`
 */
export function parseVerifierOptions(options: VerifierOptions): VerifierSettings {
  assertKnownOptions(options, VERIFIER_OPTIONS, 'createVerifier');
  const checks = parseEventChecks(options);
  const { secrets, onWarning = warnRuntime } = options;
  const secretKeys = toSecretKeys(secrets);
  for (const key of secretKeys) if (endsInNewline(key)) onWarning(newlineWarning(key.id));
  if (checks.eventAge && checks.eventAge.maxEventAge < RETRY_PERIOD) onWarning(eventAgeWarning());
  return { ...checks, secretKeys };
}

/**
 * Parses all verifier options except the secrets.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function parseEventChecks(options: Omit<VerifierOptions, 'secrets'>): EventChecks {
  const { mode, now = Date.now, onWarning = warnRuntime } = options;
  if (mode !== undefined && !MODES.includes(mode))
    throw invalidOptions(`mode must be ${MODES.join(' or ')}.`);
  assertFunction(now, 'now');
  assertFunction(onWarning, 'onWarning');
  return { mode, eventAge: parseEventAge(options), now };
}

export type MatchingSecret = Pick<SecretKey, 'id' | 'notAfter'>;

/** Checks that a secret matched and has not expired. */
export function isUnexpired(match: MatchingSecret | undefined, { now }: VerifierSettings): boolean {
  return match !== undefined && (match.notAfter === Infinity || now() <= match.notAfter);
}

/**
 * Checks the matching secret, and parses and checks the event.
 *
 * @throws {WebhookError} a verification code
 */
export function parseVerifiedEvent(
  body: Uint8Array,
  match: MatchingSecret | undefined,
  settings: VerifierSettings,
): VerifiedEvent {
  if (match === undefined) throw new WebhookError('signature_mismatch');
  if (!isUnexpired(match, settings)) throw new WebhookError('secret_expired');
  const event = parseEvent(body);
  const { mode, eventAge, now } = settings;
  if (mode && isOfOtherMode(event, mode)) throw new WebhookError('mode_mismatch');
  assertReadable(event);
  if (eventAge) assertEventAge(event, eventAge, now());
  return { event, secretId: match.id };
}

/** Converts a `WebhookError` to a result. Rethrows any other error. */
export function toFailure(error: unknown): VerificationFailure {
  // After construction a verifier throws only verification codes.
  if (error instanceof WebhookError) return { ok: false, code: error.code as VerificationCode };
  throw error;
}
