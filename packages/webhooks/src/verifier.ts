import { isVerificationCode, WebhookError } from './errors.ts';
import type { VerificationCode } from './errors.ts';
import { modeOf, parseEvent } from './event-parser.ts';
import { MODES } from './event.ts';
import type { Mode, WebhookEvent } from './event.ts';
import { assertKnownOptions, invalidOptions } from './options.ts';
import { toSecretKeys } from './secret.ts';
import type { SecretKey, Secrets } from './secret.ts';

/** Configures a verifier. */
export interface VerifierOptions {
  /** Holds the signing secret, or several while one replaces another. Required. Example: `process.env.WEBHOOK_SECRET`. */
  readonly secrets: Secrets;
  /** Refuses events of the other mode. Default: events of both modes pass. Example: `'live'`. */
  readonly mode?: Mode | undefined;
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

/** Lists the options of a verifier. */
export const VERIFIER_OPTIONS: readonly (keyof VerifierOptions)[] = ['secrets', 'mode'];

/** Parses verifier options into keys and mode. Throws `invalid_options`, `unusable_secret`. */
export function parseVerifierOptions(options: VerifierOptions): {
  readonly secretKeys: readonly SecretKey[];
  readonly mode: Mode | undefined;
} {
  assertKnownOptions(options, VERIFIER_OPTIONS, 'createVerifier');
  const { secrets, mode } = options;
  if (mode !== undefined && !MODES.includes(mode))
    throw invalidOptions(`mode must be ${MODES.join(' or ')}.`);
  return { secretKeys: toSecretKeys(secrets), mode };
}

/** Opens a body once its secret is known. Throws `signature_mismatch`, a parser's code or `mode_mismatch`. */
export function openEvent(
  body: Uint8Array,
  secretId: string | undefined,
  mode: Mode | undefined,
): VerifiedEvent {
  if (secretId === undefined) throw new WebhookError('signature_mismatch');
  const event = parseEvent(body);
  const eventMode = modeOf(event);
  if (mode !== undefined && eventMode !== undefined && eventMode !== mode)
    throw new WebhookError('mode_mismatch');
  return { event, secretId };
}

/** Converts a refusal to a result; anything else is thrown on. */
export function toFailure(error: unknown): VerificationFailure {
  if (error instanceof WebhookError && isVerificationCode(error.code)) return { ok: false, code: error.code };
  throw error;
}
