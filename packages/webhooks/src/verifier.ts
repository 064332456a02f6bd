import { WebhookError } from './errors.ts';
import type { VerificationCode } from './errors.ts';
import { assertReadable, isOfOtherMode, parseEvent } from './event-parser.ts';
import { MODES } from './event.ts';
import type { Mode, WebhookEvent } from './event.ts';
import { assertFresh, parseFreshness } from './freshness.ts';
import type { Freshness, FreshnessSettings } from './freshness.ts';
import { assertFunction, assertKnownOptions, invalidOptions } from './options.ts';
import { endsInNewline, toSecretKeys } from './secret.ts';
import type { SecretKey, Secrets } from './secret.ts';
import { maxAgeWarning, newlineWarning, warnRuntime } from './warning.ts';
import type { WarningListener } from './warning.ts';

/** Configures a verifier. */
export interface VerifierOptions {
  /** Holds the signing secret, or several while one replaces another. Required. Example: `process.env.WEBHOOK_SECRET`. */
  readonly secrets: Secrets;
  /** Refuses events of the other mode. Default: events of both modes pass. Example: `'live'`. */
  readonly mode?: Mode | undefined;
  /**
   * Bounds the age of an event by its signed `created_at`.
   * @default off: a retry may come many hours after the event
   * @example { maxAge: 3 * 86_400_000 }
   */
  readonly freshness?: Freshness | undefined;
  /** Tells the time, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Called for each option that is probably wrong. Default: a process warning, or the console where there are none. */
  readonly onWarning?: WarningListener | undefined;
}

/** Holds a verified event and the id of the secret that its signature fits. */
export interface VerifiedEvent {
  readonly event: WebhookEvent;
  readonly secretId: string;
}

/** Tells a refusal by its code. */
export interface VerificationFailure {
  readonly ok: false;
  readonly code: VerificationCode;
}

/** Holds what `safeVerify` gives; narrows on `ok`. */
export type VerificationResult = ({ readonly ok: true } & VerifiedEvent) | VerificationFailure;

/** The time for which the sender retries a delivery, rounded up to 28 h, in milliseconds. */
const RETRY_PERIOD = 100_800_000;

/** Lists the options of a verifier. */
export const VERIFIER_OPTIONS: readonly (keyof VerifierOptions)[] = [
  'secrets',
  'mode',
  'freshness',
  'now',
  'onWarning',
];

/** The options of a verifier that decide about an event, with defaults applied. */
export interface EventChecks {
  readonly mode: Mode | undefined;
  readonly freshness: FreshnessSettings | undefined;
  readonly now: () => number;
}

/** The options of a verifier, with defaults applied. */
export interface VerifierSettings extends EventChecks {
  readonly secretKeys: readonly SecretKey[];
}

/** Parses verifier options, and warns of those that are probably wrong. Throws `invalid_options`, `unusable_secret`. */
export function parseVerifierOptions(options: VerifierOptions): VerifierSettings {
  assertKnownOptions(options, VERIFIER_OPTIONS, 'createVerifier');
  const checks = parseEventChecks(options);
  const { secrets, onWarning = warnRuntime } = options;
  const secretKeys = toSecretKeys(secrets);
  for (const key of secretKeys) if (endsInNewline(key)) onWarning(newlineWarning(key.id));
  if (checks.freshness && checks.freshness.maxAge < RETRY_PERIOD) onWarning(maxAgeWarning());
  return { ...checks, secretKeys };
}

/** Parses every verifier option except the secrets. Throws `invalid_options`. */
export function parseEventChecks(options: Omit<VerifierOptions, 'secrets'>): EventChecks {
  const { mode, now = Date.now, onWarning = warnRuntime } = options;
  if (mode !== undefined && !MODES.includes(mode))
    throw invalidOptions(`mode must be ${MODES.join(' or ')}.`);
  assertFunction(now, 'now');
  assertFunction(onWarning, 'onWarning');
  return { mode, freshness: parseFreshness(options.freshness), now };
}

/** Holds what is told of a secret that a signature fits. */
export type MatchingSecret = Pick<SecretKey, 'id' | 'notAfter'>;

/** Tells whether a signature fits a secret that is still in use. */
export function isInUse(match: MatchingSecret | undefined, { now }: VerifierSettings): boolean {
  return match !== undefined && (match.notAfter === Infinity || now() <= match.notAfter);
}

/** Opens a body once its secret is known. Throws `signature_mismatch`, `secret_expired`, or what refuses the event. */
export function openEvent(
  body: Uint8Array,
  match: MatchingSecret | undefined,
  settings: VerifierSettings,
): VerifiedEvent {
  if (match === undefined) throw new WebhookError('signature_mismatch');
  if (!isInUse(match, settings)) throw new WebhookError('secret_expired');
  const event = parseEvent(body);
  const { mode, freshness, now } = settings;
  if (mode && isOfOtherMode(event, mode)) throw new WebhookError('mode_mismatch');
  assertReadable(event);
  if (freshness) assertFresh(event, freshness, now());
  return { event, secretId: match.id };
}

/** Converts a refusal to a result; anything else is thrown on. */
export function toFailure(error: unknown): VerificationFailure {
  // Past construction a verifier throws no other codes.
  if (error instanceof WebhookError) return { ok: false, code: error.code as VerificationCode };
  throw error;
}
