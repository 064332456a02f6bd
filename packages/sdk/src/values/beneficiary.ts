/** The beneficiary fields that identify a supplier. */
export interface BeneficiaryIdentity {
  readonly name: string;
  /** Undefined when the create sent no account. */
  readonly account: string | undefined;
}

/**
 * How a sent value relates to the value that a payment shows. `not_comparable`: none was sent, or the payment shows none, a masked
 * one, a part of it, or the same letters written in another way.
 */
export type Comparison = 'same' | 'different' | 'not_comparable';

/** Returns a beneficiary name in the form in which names are compared: NFKC, with each run of white space as one space. */
export function normalizeName(name: string): string {
  return name.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ');
}

/** Returns an account number in the form in which accounts are compared: NFKC, without white space, an IBAN in upper case. */
export function normalizeAccount(account: string): string {
  const compact = account.normalize('NFKC').replaceAll(/\s+/gu, '');
  return iban.test(compact) ? compact.toUpperCase() : compact;
}

const iban = /^[a-z]{2}\d{2}[a-z\d]{11,30}$/i;

/** Compares a sent text, such as a beneficiary name or a purpose, with the text that the payment shows. */
export function compareText(sent: string | null | undefined, shown: unknown): Comparison {
  return compare(sent, shown, normalizeName);
}

/** Compares a sent account number with the one that the payment shows. */
export function compareAccount(sent: string | null | undefined, shown: unknown): Comparison {
  return compare(sent, shown, normalizeAccount);
}

function compare(
  sent: string | null | undefined,
  shown: unknown,
  normalize: (text: string) => string,
): Comparison {
  const ours = normalize(sent ?? '');
  const theirs = typeof shown === 'string' ? normalize(shown) : '';
  if (ours === theirs) return 'same';
  if (ours === '' || theirs === '' || isMasked(theirs)) return 'not_comparable';
  const [ourLetters, theirLetters] = [toLetters(ours), toLetters(theirs)];
  const isPart = ourLetters.startsWith(theirLetters) || ourLetters.endsWith(theirLetters);
  return isPart ? 'not_comparable' : 'different';
}

/** Returns the letters and digits of a text without case and accents: the part that a service keeps which allows few characters. */
function toLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** Whether a text has characters with which services hide part of a value, such as `***1234` or `XXXX1234`. */
export function isMasked(text: string): boolean {
  return masks.test(text);
}

const masks = /[*#\u2022\u25CF\u2588\u2592\u00D7]|x{3}|_{3}|\.{3}|\u2026|redacted/iu;
