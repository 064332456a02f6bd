import { ConfigurationError } from '../errors/error-classes.ts';
import { isRecord } from '@service/internal';

/** Extra headers by name, for example `{ 'User-Agent': 'shop/1.0' }`. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The names of the headers that the client or the connection sets. */
export const reserved: RegExp =
  /^(authorization|x-api-key|idempotency-key|accept|content-(type|length)|host|expect|te|trailer|upgrade|connection|keep-alive|transfer-encoding|proxy-connection)$/;

/**
 * Parses extra headers. Returns them with names in lower case.
 *
 * @throws {ConfigurationError} when a header is invalid or reserved. The message does not contain its value.
 */
export function parseHeaders(value: unknown): HeaderFields {
  if (!isRecord(value) || Symbol.iterator in value) {
    throw new ConfigurationError("headers must be a plain object such as { 'User-Agent': 'shop/1.0' }.");
  }
  const fields: Record<string, string> = {};
  for (const [given, text] of Object.entries(value)) {
    const name = given.toLowerCase();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      throw new ConfigurationError('headers has an invalid header name.');
    }
    if (reserved.test(name)) {
      throw new ConfigurationError(
        `headers must not set ${given}: the client or the connection sets it. Use the options apiKey, auth and idempotencyKey.`,
      );
    }
    if (typeof text !== 'string' || !/^[\t\x20-\x7e]*$/.test(text)) {
      throw new ConfigurationError(
        `The value of ${given} in headers must be a string of printable ASCII characters.`,
      );
    }
    fields[name] = text;
  }
  return fields;
}
