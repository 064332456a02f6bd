import { WebhookError } from './errors.ts';

/** The name of the signature header, in lower case. */
export const SIGNATURE_HEADER = 'x-service-signature';

/** An object with the `get` method of `Headers`. */
export interface HeadersLike {
  get(name: string): string | null | undefined;
}

/** The value of the signature header. Only a single string can be valid. */
export type SignatureValue = string | readonly string[] | null | undefined;

/**
 * A source of the signature: the header value, a `Headers`, or an object of headers with names in any case.
 */
export type SignatureSource = SignatureValue | HeadersLike | Readonly<Record<string, SignatureValue>>;

const SIGNATURE_LENGTH = 64;
const NOT_HEX = /[^0-9a-f]/;

/** Checks for exactly 64 lowercase hexadecimal characters. */
export function isSignature(value: unknown): value is string {
  // The length is checked first: a header of a megabyte costs as little as a short one.
  return typeof value === 'string' && value.length === SIGNATURE_LENGTH && !NOT_HEX.test(value);
}

/**
 * Reads the signature.
 *
 * @throws {WebhookError} `missing_signature`, `ambiguous_signature`, `malformed_signature`
 */
export function readSignature(source: SignatureSource): string {
  const value = findValue(source);
  if (isSignature(value)) return value;
  if (value === undefined || value === null) throw new WebhookError('missing_signature');
  throw new WebhookError(hasSeveral(value) ? 'ambiguous_signature' : 'malformed_signature');
}

/** Returns one value, a list of several, or undefined. */
function findValue(source: unknown): unknown {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return unwrapSingle(source);
  if ('get' in source && typeof source.get === 'function') return unwrapSingle(source.get(SIGNATURE_HEADER));
  let values: readonly unknown[] = [];
  for (const name of Object.keys(source)) {
    if (name.length === SIGNATURE_HEADER.length && name.toLowerCase() === SIGNATURE_HEADER) {
      values = values.concat((source as Record<string, unknown>)[name] ?? []);
    }
  }
  return unwrapSingle(values);
}

function unwrapSingle(value: unknown): unknown {
  return Array.isArray(value) && value.length < 2 ? value[0] : value;
}

/**
 * Checks for several values, also if HTTP joined them with commas. Reads at most the length of one signature.
 */
function hasSeveral(value: unknown): boolean {
  return (
    Array.isArray(value) || (typeof value === 'string' && value.slice(0, SIGNATURE_LENGTH + 1).includes(','))
  );
}
