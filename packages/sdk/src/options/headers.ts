import { ConfigurationError } from '../errors/local-errors.ts';
import { isRecord } from '../values/json.ts';

/** Lists extra headers by name, for example `{ 'User-Agent': 'shop/1.0' }`. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Matches the names of headers that the client sets, or the connection beneath it. */
export const reserved: RegExp =
  /^(authorization|x-api-key|idempotency-key|accept|content-(type|length)|host|expect|te|trailer|upgrade|connection|keep-alive|transfer-encoding|proxy-connection)$/;

/**
 * Checks extra headers; returns them by their names in lower case.
 *
 * @throws ConfigurationError (`not_sent`) that names the header and never shows its value.
 */
export function parseHeaders(value: unknown): HeaderFields {
  if (!isRecord(value) || Symbol.iterator in value) {
    throw new ConfigurationError("headers must be a plain object such as { 'User-Agent': 'shop/1.0' }.");
  }
  const fields: Record<string, string> = {};
  for (const [given, text] of Object.entries(value)) {
    const name = given.toLowerCase();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      throw new ConfigurationError('headers holds a name that is not a header name.');
    }
    if (reserved.test(name)) {
      throw new ConfigurationError(
        `headers must not set ${given}: the client or the connection does. See the options apiKey, auth and idempotencyKey.`,
      );
    }
    if (typeof text !== 'string' || !/^[\t\x20-\x7e]*$/.test(text)) {
      throw new ConfigurationError(`headers must give ${given} as a string of printable ASCII.`);
    }
    fields[name] = text;
  }
  return fields;
}
