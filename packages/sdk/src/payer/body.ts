import { isRecord, parseJson, toHex } from '@service/internal';
import { listLookalikes } from '../comparison.ts';
import type { SentFields } from '../models.ts';
import { ConfigurationError, parseUsage } from '../errors.ts';
import { checkTexts, paymentFields, prepareBody } from '../body.ts';
import { token } from '../options.ts';
import type { Intent } from '../stores/intent.ts';
import type { PayerContext } from './payer.ts';

/** A body as text fields, with its digests. */
export interface DigestedBody {
  readonly fields: SentFields;
  readonly digest: string;
  readonly lookalikes: readonly string[];
}

/**
 * Validates a reference and a body.
 *
 * @throws {ValidationError} (`not_sent`) when the body is invalid.
 * @throws {ConfigurationError} when the reference is invalid, or a text was damaged on its way.
 */
export async function readBody(
  reference: string,
  body: unknown,
  { store }: PayerContext,
): Promise<DigestedBody> {
  parseUsage('The reference', { reference }, { reference: { ...token, isRequired: true } });
  const { fields } = prepareBody(body, paymentFields);
  checkTexts({ reference, ...fields });
  const lookalikes = await digestLookalikes(fields, store, true);
  return { fields, digest: await digest(fields, store), lookalikes };
}

/** Returns the digests of the lookalikes of a create. See `listLookalikes`. */
export async function digestLookalikes(
  fields: SentFields,
  { fingerprintKey }: PayerContext['store'],
  isStored: boolean,
): Promise<readonly string[]> {
  return Promise.all(listLookalikes(fields, isStored).map((text) => digestText(text, fingerprintKey)));
}

/**
 * Returns the stored body of an intent.
 *
 * @throws {ConfigurationError} when there is none, or it is not the planned one.
 */
export async function decodeBody(
  { body, digest: planned }: Intent,
  { store }: PayerContext,
): Promise<SentFields> {
  if (body === undefined) throw new ConfigurationError('The store has no body of this reference.');
  const given = parseJson(body);
  if (isRecord(given)) {
    const { fields } = prepareBody(given, paymentFields);
    if ((await digest(fields, store)) === planned) return fields;
  }
  throw new ConfigurationError(
    'The body of the reference differs from the planned one. Restore the planned body, or plan a new reference.',
  );
}

/** Returns the digest of a body. The amounts 100 and '100.00' are equal. */
async function digest(fields: SentFields, { fingerprintKey }: PayerContext['store']): Promise<string> {
  return digestText(JSON.stringify({ ...fields, amount: Number(fields.amount) }), fingerprintKey);
}

/** Returns the digest of a text. With a key it is an HMAC: an account number can be guessed from a plain digest. */
async function digestText(text: string, key: string | undefined): Promise<string> {
  const { subtle } = crypto;
  if (key === undefined) return toHex(new Uint8Array(await subtle.digest('SHA-256', toBytes(text))));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await subtle.importKey('raw', toBytes(key), algorithm, false, ['sign']);
  return toHex(new Uint8Array(await subtle.sign('HMAC', imported, toBytes(`body:${text}`))));
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
