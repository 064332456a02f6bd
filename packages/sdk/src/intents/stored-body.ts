import { isRecord, parseJson } from '@service/internal';
import type { SentFields } from '../models.ts';
import { ConfigurationError } from '../errors.ts';
import { paymentFields, prepareBody } from '../body.ts';
import { redactCause } from '../redact.ts';
import { digestBody, signBeneficiary, toComparableText } from './fingerprint.ts';
import type { Intent } from './intent.ts';
import type { PayerSettings } from './payer-options.ts';

type BodySettings = Pick<PayerSettings, 'access' | 'store' | 'load' | 'encryption'>;

/** The body of an intent as text fields, and the fields of the intent that are derived from it. */
export interface PreparedBody {
  readonly fields: SentFields;
  readonly digest: string;
  readonly beneficiary: Intent['beneficiary'];
}

/**
 * Validates a body and computes its digest.
 *
 * @throws {ValidationError} (`not_sent`) when the body is invalid.
 */
export async function prepareIntentBody(body: unknown, { store }: BodySettings): Promise<PreparedBody> {
  const { fields } = prepareBody(body, paymentFields);
  const { beneficiary_name: name = '', beneficiary_account: account } = fields;
  return {
    fields,
    digest: await digestBody(toComparableText(fields), store.fingerprintKey),
    beneficiary: await signBeneficiary({ name, account }, store.fingerprintKey),
  };
}

/** Returns the stored form of a body; undefined with `load`. */
export async function encodeBody(
  fields: SentFields,
  reference: string,
  { load, encryption }: BodySettings,
): Promise<string | undefined> {
  if (load) return undefined;
  const text = JSON.stringify(fields);
  if (!encryption) return text;
  const encrypted = await callUser('encrypt', () => encryption.encrypt(text, reference));
  if (typeof encrypted === 'string') return encrypted;
  throw new ConfigurationError('`encrypt` must return a string.');
}

/**
 * Returns the body of an intent.
 *
 * @throws {ConfigurationError} when it cannot be loaded or decrypted, or is not the planned one.
 */
export async function decodeBody(intent: Intent, settings: BodySettings): Promise<SentFields> {
  const { load, encryption, store } = settings;
  const { reference, body, digest } = intent;
  const read = async (): Promise<unknown> => {
    if (load) return callUser('load', () => load(reference));
    if (body === undefined) throw new ConfigurationError('The store has no body of this reference.');
    const text = encryption ? await callUser('decrypt', () => encryption.decrypt(body, reference)) : body;
    return parseJson(text);
  };
  const given = await read();
  if (isRecord(given)) {
    const { fields } = prepareBody(given, paymentFields);
    if ((await digestBody(toComparableText(fields), store.fingerprintKey)) === digest) return fields;
  }
  throw new ConfigurationError(
    'The body of the reference differs from the planned one. Restore the planned body, or plan a new reference.',
  );
}

async function callUser<T>(name: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw new ConfigurationError(`The function \`${name}\` of the payer failed.`, {
      cause: redactCause(error),
    });
  }
}
