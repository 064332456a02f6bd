import type { SentBeneficiary } from '../errors.ts';
import type { Payment, SentFields } from '../models.ts';

/**
 * The result of comparing a sent value with the value of a payment. `not_comparable`: one of them is missing,
 * or the payment shows a masked value, a part of the sent one, or the same letters with other case, accents
 * or punctuation.
 */
export type Comparison = 'same' | 'different' | 'not_comparable';

/** NFKC, trimmed, with each run of white space as one space. */
function normalizeText(text: string): string {
  return text.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ');
}

/** NFKC of the letters and digits, or of all characters but white space if some are masked; an IBAN in upper case. */
function normalizeAccount(account: string): string {
  const kept = masked.test(account) ? account : account.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');
  const compact = kept.normalize('NFKC').replaceAll(/\s+/gu, '');
  return iban.test(compact) ? compact.toUpperCase() : compact;
}

const iban = /^[a-z]{2}\d{2}[a-z\d]{11,30}$/i;

/** Compares a sent text, such as a beneficiary name or a purpose, with the text of the payment. */
export function compareText(sent: string | null | undefined, shown: unknown): Comparison {
  return compare(sent, shown, normalizeText, isPartOfText);
}

/** Compares a sent account number with the one of the payment, by letters and digits. */
export function compareAccount(sent: string | null | undefined, shown: unknown): Comparison {
  return compare(sent, shown, normalizeAccount, isPartOfAccount);
}

/** Compares two values. `isPart` returns whether the shown text can be a part or another notation of the sent one. */
function compare(
  sent: string | null | undefined,
  shown: unknown,
  normalize: (text: string) => string,
  isPart: (ours: string, theirs: string) => boolean,
): Comparison {
  if (typeof sent === 'string' && sent === shown) return 'same';
  const ours = normalize(sent ?? '');
  const theirs = typeof shown === 'string' ? normalize(shown) : '';
  if (ours === theirs) return 'same';
  if (ours === '' || theirs === '' || masked.test(theirs)) return 'not_comparable';
  return isPart(ours, theirs) ? 'not_comparable' : 'different';
}

function isPartOfAccount(ours: string, theirs: string): boolean {
  const [whole, part] = [toWords(ours).join(''), toWords(theirs).join('')];
  return whole.startsWith(part) || whole.endsWith(part);
}

/** Minimum number of letters and digits at which a service cuts a text within a word. */
const MIN_CUT_LENGTH = 12;

/** Compares whole words, so that "S1" is no part of "S10": names and purposes in sequence are common. */
function isPartOfText(ours: string, theirs: string): boolean {
  const [whole, part] = [toWords(ours), toWords(theirs)];
  const letters = part.join('');
  const isCut = letters.length >= MIN_CUT_LENGTH && whole.join('').startsWith(letters);
  const areWords = (words: readonly string[]): boolean => words.join('') === letters;
  return (
    isCut ||
    letters === '' ||
    whole.some((_, at) => areWords(whole.slice(0, at + 1)) || areWords(whole.slice(at)))
  );
}

/**
 * Returns the words of a text without case and accents, and without other characters than letters and digits.
 * A service with a small character set keeps only these.
 */
function toWords(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Characters that hide a part of a text, as in `***1234` or `XXXX1234`. */
const masked = /[*#\u2022\u25CF\u2588\u2592\u00D7]|x{3}|_{3}|\.{3}|\u2026|redacted/iu;

/** A field of a create that its response shows. */
export type EchoField = 'purpose' | keyof SentBeneficiary;
/** The beneficiary fields of a payment. */
export const beneficiaryFields = ['name', 'account', 'bank', 'country'] as const;

/** The observed accuracy with which a service returns the fields of a create. One record per client. */
export interface EchoRecord {
  /**
   * Returns `altered` if any response to a create changed the field, `exact` if none did, and undefined
   * before the first one.
   */
  readonly get: (field: EchoField) => 'exact' | 'altered' | undefined;
  /** Compares the payment in the response to a create with the body of the create. */
  readonly add: (fields: SentFields, payment: Payment) => void;
}

/** Creates the echo record of a client. */
export function createEchoRecord(): EchoRecord {
  const seen = new Map<EchoField, 'exact' | 'altered'>();
  const sentNames = beneficiaryFields.map((field) => [field, `beneficiary_${field}`] as const);
  return {
    get: (field) => seen.get(field),
    add: (fields, payment) => {
      for (const [field, name] of [['purpose', 'purpose'] as const, ...sentNames]) {
        const sent = fields[name];
        if (sent === undefined) continue;
        if (compareField(field, sent, payment) !== 'same') seen.set(field, 'altered');
        else if (!seen.has(field)) seen.set(field, 'exact');
      }
    },
  };
}

/** Compares a sent field with the one of a payment. */
export function compareField(
  field: EchoField,
  sent: string | null | undefined,
  payment: Payment,
): Comparison {
  if (field === 'purpose') return compareText(sent, payment.purpose);
  const shown: unknown = (payment.beneficiary as Partial<Payment['beneficiary']> | null)?.[field];
  return field === 'account' ? compareAccount(sent, shown) : compareText(sent, shown);
}
