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
  const values = valuesOf(source);
  if (values.length === 0) throw new WebhookError('missing_signature');
  if (values.length > 1) throw new WebhookError('ambiguous_signature');
  const [value] = values;
  if (isSignature(value)) return value;
  throw new WebhookError(isJoined(value) ? 'ambiguous_signature' : 'malformed_signature');
}

function valuesOf(source: unknown): readonly unknown[] {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return toList(source);
  if (isHeadersLike(source)) return toList(source.get(SIGNATURE_HEADER));
  const values: unknown[] = [];
  for (const name of Object.keys(source)) {
    if (name.length === SIGNATURE_HEADER.length && name.toLowerCase() === SIGNATURE_HEADER) {
      values.push(...toList((source as Record<string, unknown>)[name]));
    }
  }
  return values;
}

function toList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

function isHeadersLike(source: object): source is HeadersLike {
  return 'get' in source && typeof source.get === 'function';
}

/** Tells whether HTTP joined several values by commas; looks no further than one signature reaches. */
function isJoined(value: unknown): boolean {
  return typeof value === 'string' && value.slice(0, SIGNATURE_LENGTH + 1).includes(',');
}
