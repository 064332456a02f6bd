import { isRecord } from '@service/internal';
import { WebhookError } from '../errors.ts';
import type { VerificationCode } from '../errors.ts';
import { invalidOptions, parseVerifierOptions, toSecretKeys } from '../options.ts';
import type { Secrets, VerifierOptions } from '../options.ts';
import { createDigest, runtime } from '../runtime.web.ts';
import { encodeText, isSignature, readContentEncoding, readHeader, SIGNATURE_HEADER } from '../signature.ts';
import type { SignatureSource } from '../signature.ts';
import { createVerifyRequest } from '../verifier.ts';
import type { VerificationResult } from '../verifier.ts';
import { hintMessages, bodyVariants, keyVariants } from './hints.ts';
import type { Hint, HintCode, Variant } from './hints.ts';

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
  if (isProduction()) throw invalidOptions('explain must not run in production. Use safeVerify.');
  // Without options the copy is empty, and parseVerifierOptions throws unusable_secret.
  const { otherSecrets: _others, ...options } = { ...explainOptions };
  const verifyRequest = createVerifyRequest(runtime, parseVerifierOptions(options));
  try {
    const verified = await verifyRequest(runtime.toBody(body as string), source);
    return { result: { ok: true, ...verified }, hints: [] };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const result = { ok: false, code: error.code as VerificationCode } as const;
    const isSigned = !/signature|not_raw/.test(error.code);
    // The message contains more than the code, for example the invalid field.
    const message = `${hintMessages.refused_event} WebhookError: ${error.message}`;
    if (isSigned) return { result, hints: [{ code: 'refused_event', message }] };
    const found = await findHints(body, source, { ...explainOptions, code: error.code });
    return { result, hints: [...new Set(found)].map((code) => ({ code, message: hintMessages[code] })) };
  }
}

async function findHints(
  body: unknown,
  source: SignatureSource,
  options: ExplainOptions & { readonly code: string },
): Promise<readonly HintCode[]> {
  const raw = toRaw(body);
  const header = isRecord(source) ? readHeader(source, SIGNATURE_HEADER) : source;
  const { signature, codes } = parseLeniently(header);
  const found: HintCode[] = raw ? [...codes] : ['parsed_body', ...codes];
  if (isSignature(body)) found.push('swapped_arguments');
  if (signature === undefined || options.code === 'ambiguous_signature') return found;
  const bytes = raw ?? encodeText(JSON.stringify(body) ?? '');
  found.push(...(await findCauses(bytes, signature, options)));
  if (readContentEncoding(source)) found.push('content_encoding');
  if (bytes.byteLength === 0) found.push('empty_body');
  return found.length === 0 ? ['unknown_cause'] : found;
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
    return runtime.toBody(body as string);
  } catch {
    return undefined;
  }
}

/** Finds a signature in a header value, with hints on prefixes, spaces and other deviations. */
function parseLeniently(value: unknown): { signature?: string; codes: readonly HintCode[] } {
  if (typeof value !== 'string') return { codes: [] };
  const short = value.slice(0, 1024);
  const [inner = ''] = /[0-9a-f]{40,}/i.exec(short) ?? [];
  const deviations: readonly (readonly [code: HintCode, isPresent: boolean])[] = [
    ['space_around_signature', /^\s|\s$/.test(value)],
    ['prefixed_signature', /^\s*(?:sha256=|v\d[=,]|0x)/i.test(short)],
    ['upper_case_signature', inner !== inner.toLowerCase()],
    ['base64_signature', /^\s*[A-Za-z0-9+/]{43}=\s*$/.test(short)],
    ['other_hash', [40, 96, 128].includes(inner.length)],
  ];
  const codes = deviations.flatMap(([code, isPresent]) => (isPresent ? [code] : []));
  return inner.length === 64 ? { signature: inner.toLowerCase(), codes } : { codes };
}

async function findCauses(
  body: Bytes,
  signature: string,
  { secrets, otherSecrets }: ExplainOptions,
): Promise<readonly HintCode[]> {
  const matches = async (key: Bytes, bytes: Bytes): Promise<boolean> =>
    key.byteLength > 0 && (await createDigest(key)(bytes)) === signature;
  const causes: HintCode[] = [];
  for (const { bytes: key } of toSecretKeys(secrets)) {
    // The signature is correct, and only its format is wrong.
    if (await matches(key, body)) return causes;
    causes.push(
      ...(await findFirst(bodyVariants(body), (each) => matches(key, each))),
      ...(await findFirst(keyVariants(key), (each) => matches(each, body))),
    );
    if (await matches(body, key)) causes.push('swapped_arguments');
  }
  for (const { bytes: key } of otherSecrets === undefined ? [] : toSecretKeys(otherSecrets))
    if (await matches(key, body)) causes.push('other_secret');
  return causes;
}

/** Returns only the first match: serializing JSON again also removes a byte order mark. */
async function findFirst(
  variants: readonly Variant[],
  matches: (bytes: Uint8Array<ArrayBuffer>) => Promise<boolean>,
): Promise<readonly HintCode[]> {
  for (const [code, bytes] of variants) if (await matches(bytes)) return [code];
  return [];
}
