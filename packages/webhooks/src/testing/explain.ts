import { invalidOptions } from '../options.ts';
import { encodeText, isSignature, SIGNATURE_HEADER, toBytes } from '../signature.ts';
import type { SignatureSource } from '../signature.ts';
import { readContentEncoding, type VerificationResult } from '../verified-event.ts';
import { toSecretKeys } from '../verifier-options.ts';
import type { SecretKey, Secrets, VerifierOptions } from '../verifier-options.ts';
import { createKey, createVerifier, digest } from '../verifier.web.ts';
import { hintMessages, bodyVariants, keyVariants } from './hints.ts';
import type { Hint, HintCode } from './hints.ts';

/** The options of a verifier, and other secrets to try. */
export interface ExplainOptions extends VerifierOptions {
  /**
   * The secrets of other endpoints and modes, to check whether one of them signed the request.
   *
   * @default none
   */
  readonly otherSecrets?: Secrets | undefined;
}

/** The result of a verification, with probable causes of a failure. */
export interface Explanation {
  /** The result of the verification. */
  readonly result: VerificationResult;
  /** Probable causes, most likely first. Empty for a valid request, and if the code explains itself. */
  readonly hints: readonly Hint[];
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The codes of failures with a valid signature. */
const codesAfterSignature: ReadonlySet<string> = new Set([
  'invalid_utf8',
  'invalid_json',
  'invalid_event',
  'unreadable_event',
  'mode_mismatch',
  'stale_event',
  'event_from_future',
  'secret_expired',
]);

/**
 * Explains why a request fails verification, by testing common mistakes. For development only: its results
 * would help a forger.
 *
 * @throws {WebhookError} `invalid_options` if `NODE_ENV` is `production`
 */
export async function explain(
  body: unknown,
  source: SignatureSource,
  explainOptions: ExplainOptions,
): Promise<Explanation> {
  rejectProduction();
  // Without options the copy is empty, and createVerifier throws unusable_secret.
  const { otherSecrets, ...options } = { ...explainOptions };
  const verifier = createVerifier(options);
  const result = await verifier.safeVerify(body as string, source);
  if (result.ok) return { result, hints: [] };
  if (codesAfterSignature.has(result.code)) {
    // The message contains more than the code, for example the invalid field.
    const message = await verifier
      .verify(body as string, source)
      .then(String, (error: Error) => error.message);
    return {
      result,
      hints: [{ code: 'refused_event', message: `${hintMessages.refused_event} ${message}` }],
    };
  }
  const raw = toRaw(body);
  const value = readHeaderValue(source);
  const found: HintCode[] = raw === undefined ? ['parsed_body'] : [];
  if (isSignature(body)) found.push('swapped_arguments');
  const bytes = raw ?? encodeText(JSON.stringify(body) ?? '');
  const { signature, codes } = parseLeniently(value);
  found.push(...codes);
  if (
    signature !== undefined &&
    ['signature_mismatch', 'body_not_raw', 'malformed_signature'].includes(result.code)
  ) {
    found.push(...(await findCauses(bytes, signature, { secrets: options.secrets, otherSecrets })));
    if (readContentEncoding(source)) found.push('content_encoding');
    if (bytes.byteLength === 0) found.push('empty_body');
    if (found.length === 0) found.push('unknown_cause');
  }
  return { result, hints: [...new Set(found)].map((code) => ({ code, message: hintMessages[code] })) };
}

function rejectProduction(): void {
  if (isProduction()) throw invalidOptions('explain must not run in production. Use safeVerify.');
}

function isProduction(): boolean {
  try {
    // Bundlers replace exactly this expression.
    return process.env.NODE_ENV === 'production';
  } catch {
    return false;
  }
}

function toRaw(body: unknown): Bytes | undefined {
  try {
    return new Uint8Array(toBytes(body as string));
  } catch {
    return undefined;
  }
}

function readHeaderValue(source: SignatureSource): string | undefined {
  if (typeof source === 'string') return source;
  if (typeof source !== 'object' || source === null) return undefined;
  const headers = source instanceof Headers ? [...source] : Object.entries(source);
  const [, value] = headers.find(([name]) => name.toLowerCase() === SIGNATURE_HEADER) ?? [];
  return typeof value === 'string' ? value : undefined;
}

interface ParsedSignature {
  readonly signature?: string | undefined;
  readonly codes: readonly HintCode[];
}

/** Finds a signature in a header value, with hints on prefixes, spaces and other deviations. */
function parseLeniently(value: string | undefined): ParsedSignature {
  if (value === undefined) return { codes: [] };
  const trimmed = value.slice(0, 1024).trim();
  const [inner = ''] = /[0-9a-f]{40,}/i.exec(trimmed) ?? [];
  const codes: HintCode[] = [];
  if (/^\s|\s$/.test(value)) codes.push('space_around_signature');
  if (/^(?:sha256=|v\d[=,]|0x)/i.test(trimmed)) codes.push('prefixed_signature');
  if (inner !== inner.toLowerCase()) codes.push('upper_case_signature');
  if (/^[A-Za-z0-9+/]{43}=$/.test(trimmed)) codes.push('base64_signature');
  if ([40, 96, 128].includes(inner.length)) codes.push('other_hash');
  return inner.length === 64 ? { signature: inner.toLowerCase(), codes } : { codes };
}

async function findCauses(
  body: Bytes,
  signature: string,
  { secrets, otherSecrets }: Pick<ExplainOptions, 'secrets' | 'otherSecrets'>,
): Promise<readonly HintCode[]> {
  const matches = async (key: Bytes, bytes: Bytes): Promise<boolean> =>
    key.byteLength > 0 && (await digest(createKey(key), bytes)) === signature;
  const causes: HintCode[] = [];
  for (const { bytes: key } of toSecretKeys(secrets) ?? []) {
    // The signature is correct, and only its format is wrong.
    if (await matches(key, body)) return causes;
    // Only the first match: serializing JSON again also removes a byte order mark.
    const bodyCause = await findFirst(bodyVariants(body), (each) => matches(key, each));
    if (bodyCause !== undefined) causes.push(bodyCause);
    const keyCause = await findFirst(keyVariants(key), (each) => matches(each, body));
    if (keyCause !== undefined) causes.push(keyCause);
    if (await matches(body, key)) causes.push('swapped_arguments');
  }
  for (const { bytes: key } of parseOtherSecrets(otherSecrets))
    if (await matches(key, body)) causes.push('other_secret');
  return causes;
}

function parseOtherSecrets(otherSecrets: Secrets): readonly SecretKey[] {
  const keys = otherSecrets === undefined ? [] : toSecretKeys(otherSecrets);
  if (keys === undefined) throw invalidOptions('otherSecrets must be at most 5 secrets with different ids.');
  return keys;
}

async function findFirst(
  attempts: readonly (readonly [code: HintCode, each: readonly Bytes[]])[],
  matches: (each: Bytes) => Promise<boolean>,
): Promise<HintCode | undefined> {
  for (const [code, list] of attempts) for (const each of list) if (await matches(each)) return code;
  return undefined;
}
