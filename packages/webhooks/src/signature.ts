import { WebhookError } from './errors.ts';

/** Names the header that carries the signature, in lower case (spec §6). */
export const SIGNATURE_HEADER = 'x-service-signature';

/** Describes the one method that is needed of a Fetch `Headers`. */
export interface HeadersLike {
  get(name: string): string | null | undefined;
}

/** Holds the value of the signature header as frameworks give it. Only a single string can be genuine. */
export type SignatureValue = string | readonly string[] | null | undefined;

/** Holds where a signature comes from: its header's value, a `Headers`, or a plain object of headers in any case. */
export type SignatureSource = SignatureValue | HeadersLike | Readonly<Record<string, SignatureValue>>;

const SIGNATURE_LENGTH = 64;
const NO_HEX = /[^0-9a-f]/;

/** Tells whether a value has the form of a signature: 64 characters of lowercase hexadecimal, nothing around them. */
export function isSignature(value: unknown): value is string {
  // The length comes first, so that a header of a megabyte costs as little as a short one.
  return typeof value === 'string' && value.length === SIGNATURE_LENGTH && !NO_HEX.test(value);
}

/** Reads the one signature. Throws `missing_signature`, `ambiguous_signature` or `malformed_signature`. */
export function readSignature(source: SignatureSource): string {
  const value = findValue(source);
  if (isSignature(value)) return value;
  if (value === undefined || value === null) throw new WebhookError('missing_signature');
  throw new WebhookError(isSeveral(value) ? 'ambiguous_signature' : 'malformed_signature');
}

/** Finds the value of the header: one, a list of several, or none. */
function findValue(source: unknown): unknown {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return toOne(source);
  if ('get' in source && typeof source.get === 'function') return toOne(source.get(SIGNATURE_HEADER));
  let values: readonly unknown[] = [];
  for (const name of Object.keys(source)) {
    if (name.length === SIGNATURE_HEADER.length && name.toLowerCase() === SIGNATURE_HEADER) {
      values = values.concat((source as Record<string, unknown>)[name] ?? []);
    }
  }
  return toOne(values);
}

function toOne(value: unknown): unknown {
  return Array.isArray(value) && value.length < 2 ? value[0] : value;
}

/** Tells whether there are several, also when HTTP joined them by commas; looks no further than one signature reaches. */
function isSeveral(value: unknown): boolean {
  return (
    Array.isArray(value) || (typeof value === 'string' && value.slice(0, SIGNATURE_LENGTH + 1).includes(','))
  );
}
