import { ConfigurationError } from './errors/local-errors.ts';
import { isRecord } from './json.ts';

/** Lists extra headers by name, for example `{ 'User-Agent': 'shop/1.0' }`. */
export type HeaderFields = Readonly<Record<string, string>>;

const reserved: ReadonlyMap<string, string> = new Map([
  ['authorization', 'the API key goes into apiKey'],
  ['x-api-key', "the API key goes into apiKey; see the option auth: 'x-api-key'"],
  ['idempotency-key', 'pass the option idempotencyKey with the call'],
  ['accept', 'answers are always JSON'],
  ['content-type', 'bodies are always JSON'],
  ['content-length', 'it follows from the body'],
]);

/**
 * Checks extra headers.
 *
 * @throws ConfigurationError (`not_sent`) that names the header and never shows its value.
 */
export function parseHeaders(value: unknown): HeaderFields {
  if (value === undefined) return {};
  if (!isRecord(value) || Symbol.iterator in value) {
    throw new ConfigurationError("headers must be a plain object such as { 'User-Agent': 'shop/1.0' }.");
  }
  const fields = { ...value };
  for (const [name, text] of Object.entries(fields)) checkHeader(name, text);
  return fields as HeaderFields;
}

function checkHeader(name: string, text: unknown): void {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    throw new ConfigurationError('headers holds a name that is not a header name.');
  }
  const why = reserved.get(name.toLowerCase());
  if (why !== undefined) throw new ConfigurationError(`headers must not set ${name}: ${why}.`);
  if (typeof text !== 'string' || !/^[\t\x20-\x7e]*$/.test(text)) {
    throw new ConfigurationError(`headers must give ${name} as a string of printable ASCII.`);
  }
}
