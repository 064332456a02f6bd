import { encodeText, toBytes } from '../bytes.ts';
import { invalidOptions } from '../options.ts';
import { createKey, digest } from '../hmac.web.ts';
import { toSecretKeys } from '../secret.ts';
import type { Secrets } from '../secret.ts';
import { isSignature, SIGNATURE_HEADER } from '../signature.ts';
import type { SignatureSource } from '../signature.ts';
import type { VerificationResult, VerifierOptions } from '../verifier.ts';
import { createVerifier } from '../verifier.web.ts';
import { ADVICE, listBodies, listKeys } from './hints.ts';
import type { Hint, HintCode } from './hints.ts';

/** Configures an explanation. */
export interface ExplainOptions extends VerifierOptions {
  /** Holds secrets of other endpoints or modes, to tell whether one of them signed. Default: none. */
  readonly otherSecrets?: Secrets | undefined;
}

/** Tells what verifying gives and, when it is a refusal, what is probably wrong. */
export interface Explanation {
  readonly result: VerificationResult;
  /** Lists probable causes, the likeliest first; empty when the request is genuine or the code says it all. */
  readonly hints: readonly Hint[];
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Holds the codes of what is refused although its signature is genuine. */
const afterSignature: ReadonlySet<string> = new Set([
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
 * Explains why a request is refused, by trying what usually goes wrong. For development: an answer made of it would tell
 * a forger how far he came, so it throws `invalid_options` where `NODE_ENV` is `production`.
 */
export async function explain(
  body: unknown,
  source: SignatureSource,
  explainOptions: ExplainOptions,
): Promise<Explanation> {
  refuseProduction();
  // A copy of nothing is empty, and is told that it lacks a secret.
  const { otherSecrets, ...options } = { ...explainOptions };
  const verifier = createVerifier(options);
  const result = await verifier.safeVerify(body as string, source);
  if (result.ok) return { result, hints: [] };
  if (afterSignature.has(result.code)) {
    // The error says more than its code: which field, how old.
    const message = await verifier
      .verify(body as string, source)
      .then(String, ({ message: said }: Error) => said);
    return { result, hints: [{ code: 'refused_event', message: `${ADVICE.refused_event} ${message}` }] };
  }
  const raw = toRaw(body);
  const given = valueOf(source);
  const found: HintCode[] = raw === undefined ? ['parsed_body'] : [];
  if (isSignature(body)) found.push('swapped_arguments');
  const bytes = raw ?? encodeText(JSON.stringify(body) ?? '');
  const { signature, codes } = readLoosely(given);
  found.push(...codes);
  if (
    signature !== undefined &&
    ['signature_mismatch', 'body_not_raw', 'malformed_signature'].includes(result.code)
  ) {
    found.push(...(await findCauses(bytes, signature, { secrets: options.secrets, otherSecrets })));
    if (bytes.byteLength === 0) found.push('empty_body');
    if (found.length === 0) found.push('unknown_cause');
  }
  return { result, hints: [...new Set(found)].map((code) => ({ code, message: ADVICE[code] })) };
}

function refuseProduction(): void {
  if (isProduction()) throw invalidOptions('explain is for development alone.');
}

function isProduction(): boolean {
  try {
    // Written out, since bundlers put the word for it in the place of this expression.
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

function valueOf(source: SignatureSource): string | undefined {
  if (typeof source === 'string') return source;
  if (typeof source !== 'object' || source === null) return undefined;
  const headers = source instanceof Headers ? [...source] : Object.entries(source);
  const [, value] = headers.find(([name]) => name.toLowerCase() === SIGNATURE_HEADER) ?? [];
  return typeof value === 'string' ? value : undefined;
}

interface Reading {
  readonly signature?: string | undefined;
  readonly codes: readonly HintCode[];
}

/** Reads a signature out of what surrounds it, telling what that was. */
function readLoosely(value: string | undefined): Reading {
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
  const fits = async (key: Bytes, bytes: Bytes): Promise<boolean> =>
    key.byteLength > 0 && (await digest(createKey(key), bytes)) === signature;
  const causes: HintCode[] = [];
  for (const { bytes: key } of toSecretKeys(secrets)) {
    // Then only what surrounds the signature is wrong.
    if (await fits(key, body)) return causes;
    // The first that fits says it all: what loses a byte order mark is also what writes JSON anew.
    const whole = await findFirst(listBodies(body), (each) => fits(key, each));
    if (whole !== undefined) causes.push(whole);
    const other = await findFirst(listKeys(key), (each) => fits(each, body));
    if (other !== undefined) causes.push(other);
    if (await fits(body, key)) causes.push('swapped_arguments');
  }
  const others = otherSecrets === undefined ? [] : toSecretKeys(otherSecrets);
  for (const { bytes: key } of others) if (await fits(key, body)) causes.push('other_secret');
  return causes;
}

async function findFirst(
  attempts: readonly (readonly [code: HintCode, each: readonly Bytes[]])[],
  fits: (each: Bytes) => Promise<boolean>,
): Promise<HintCode | undefined> {
  for (const [code, list] of attempts) for (const each of list) if (await fits(each)) return code;
  return undefined;
}
