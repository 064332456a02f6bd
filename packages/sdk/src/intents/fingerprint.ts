import { toHex } from '@service/internal';
import type { SentFields } from '../models.ts';
import { ConfigurationError } from '../errors.ts';
import {
  type BeneficiaryIdentity,
  type Comparison,
  normalizeAccount,
  normalizeName,
} from '../reconcile/comparison.ts';
import type { Intent } from './intent.ts';

/**
 * The comparison of a recorded beneficiary with another one. Only name and account are recorded, as HMACs.
 */
export interface BeneficiaryComparison {
  readonly name: Comparison;
  readonly account: Comparison;
}

/**
 * Returns the digest of a request body. With a key it is an HMAC: an account number can be guessed from a
 * plain digest.
 */
export function digestBody(body: string, key: string | undefined): Promise<string> {
  return key === undefined ? hash(body) : sign(key, 'body', body);
}

/** Returns the text by which bodies are compared. The amounts 100 and '100.00' are equal. */
export function toComparableText(fields: SentFields): string {
  return JSON.stringify({ ...fields, amount: Number(fields.amount) });
}

/** Returns the HMACs of a normalized beneficiary, or undefined without a key. */
export async function signBeneficiary(
  { name, account }: BeneficiaryIdentity,
  key: string | undefined,
): Promise<Intent['beneficiary']> {
  if (key === undefined) return undefined;
  return {
    name: await sign(key, 'name', normalizeName(name)),
    ...(account !== undefined && { account: await sign(key, 'account', normalizeAccount(account)) }),
  };
}

/** Compares the recorded beneficiary of an intent with another one. */
export async function compareBeneficiary(
  { beneficiary }: Intent,
  other: BeneficiaryIdentity,
  key: string | undefined,
): Promise<BeneficiaryComparison> {
  const signed = await signBeneficiary(other, key);
  return {
    name: compare(beneficiary?.name, signed?.name),
    account: compare(beneficiary?.account, signed?.account),
  };
}

function compare(one: string | undefined, other: string | undefined): Comparison {
  if (one === undefined || other === undefined) return 'not_comparable';
  return one === other ? 'same' : 'different';
}

async function hash(text: string): Promise<string> {
  return toHex(new Uint8Array(await requireSubtle().digest('SHA-256', toBytes(text))));
}

/** Signs a field with its name, so that equal texts in two fields have different HMACs. */
async function sign(key: string, field: string, text: string): Promise<string> {
  const subtle = requireSubtle();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await subtle.importKey('raw', toBytes(key), algorithm, false, ['sign']);
  return toHex(new Uint8Array(await subtle.sign('HMAC', imported, toBytes(`${field}:${text}`))));
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function requireSubtle(): SubtleCrypto {
  // Pages served over plain http and React Native do not have it.
  const subtle = (globalThis as { crypto?: Crypto }).crypto?.subtle;
  if (!subtle) {
    throw new ConfigurationError(
      'Intents require `crypto.subtle`. Serve the page over https, or install a Web Crypto polyfill.',
    );
  }
  return subtle;
}
