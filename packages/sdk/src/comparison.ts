// The only comparison of a payment with the create that it belongs to. `create`, the payer and `reconcile` read it.
import { sentFields } from './body.ts';
import type { Payment, SentField, SentFields } from './models.ts';

/**
 * How a payment shows a field of a create. `same`: as sent. `changed`: in another form that a service may give it.
 * `hidden`: not at all, or masked. `different`: no form of the sent value.
 */
export type Shown = 'same' | 'changed' | 'hidden' | 'different';

/** How a payment shows each field of a create. */
export type Comparison = Readonly<Record<SentField, Shown>>;

/** Compares a payment with the fields of a create. */
export function comparePayment(sent: SentFields, payment: Partial<Payment>): Comparison {
  const { name, bank, account, country }: Partial<Record<string, unknown>> = payment.beneficiary ?? {};
  // The JSON of an error has no beneficiary.
  const isKnown = sent.beneficiary_name !== undefined;
  return {
    from_currency: compareCode(sent.from_currency, payment.from_currency),
    to_currency: compareCode(sent.to_currency, payment.to_currency),
    amount: compareAmount(sent, payment.send_amount),
    beneficiary_name: isKnown ? compareText(sent.beneficiary_name, name) : 'hidden',
    beneficiary_account: isKnown ? compareAccount(sent.beneficiary_account, account) : 'hidden',
    beneficiary_bank: compareDirectoryEntry(sent.beneficiary_bank, bank, BANK_CODE),
    beneficiary_country: compareDirectoryEntry(sent.beneficiary_country, country, COUNTRY_CODE),
    purpose:
      sent.purpose === undefined ? comparePurposeAdded(payment) : compareText(sent.purpose, payment.purpose),
  };
}

/**
 * Returns the fields by which a payment is not that of a create; none if it can be. Another amount can be rounded, net of
 * or with the fee; any amount can be the service's own if name and purpose are shown as sent.
 */
export function listDifferences(sent: SentFields, comparison: Comparison): readonly SentField[] {
  const isShown = (field: SentField): boolean => ['same', 'changed'].includes(comparison[field]);
  const isOther = (field: SentField): boolean => {
    const shown = comparison[field];
    if (field === 'amount' && shown === 'changed')
      return !(['beneficiary_name', 'beneficiary_account', 'purpose'] as const).some(isShown);
    if (field === 'amount' && isShown('beneficiary_name') && isShown('purpose')) return false;
    // A bank has many names. Its account has one number.
    const isBank = field === 'beneficiary_bank' || field === 'beneficiary_country';
    if (isBank && sent.beneficiary_account !== undefined && isShown('beneficiary_account')) return false;
    return shown === 'different';
  };
  return sentFields.filter(isOther);
}

/** Returns the fields that identify the supplier. Without an account, bank and country do too. */
export function listSupplierFields({ beneficiary_account }: SentFields): readonly SentField[] {
  const fields = ['beneficiary_name', 'beneficiary_account'] as const;
  return beneficiary_account === undefined ? [...fields, 'beneficiary_bank', 'beneficiary_country'] : fields;
}

/** Returns whether a payment shows none of the fields that tell it from the payments of other creates. */
export function showsNothing(sent: SentFields, comparison: Comparison): boolean {
  const telling = ['amount', 'beneficiary_name', 'beneficiary_account', 'purpose'] as const;
  return telling.every((field) => sent[field] === undefined || comparison[field] === 'hidden');
}

/** Returns whether a service can show the amounts of two creates alike. */
export function hasEqualAmount(one: SentFields, other: SentFields): boolean {
  const others = listPossibleAmounts(other);
  const isSamePair = one.from_currency === other.from_currency && one.to_currency === other.to_currency;
  return isSamePair && listPossibleAmounts(one).some((amount) => others.includes(amount));
}

/**
 * Returns whether the payment of one create can look like the payment of another one. Uses no knowledge of the service:
 * short texts come back as sent also from a service that cuts long ones.
 */
export function canBeSame(one: SentFields, other: SentFields): boolean {
  return hasEqualAmount(one, other) && (canShow(one, other) || canShow(other, one));
}

/** Folds a text, with letters that are written with two, as in `Mueller`, as those without accents. */
const simplify = (text: string): string => fold(text).replaceAll(/(?<=[AOU])E|(?<=A)A/g, '');

/**
 * Returns the texts by which a store that has digests only finds the creates whose payments can look like the one of
 * this create. `isStored`: those of the other creates, of which at least one is equal. With the start of names and purposes,
 * and the end of accounts: a service can change or cut the rest.
 */
export function listLookalikes(fields: SentFields, isStored: boolean): readonly string[] {
  const {
    from_currency,
    to_currency,
    beneficiary_name = '',
    beneficiary_account = '',
    purpose = '',
  } = fields;
  const starts = [simplify(beneficiary_name).slice(0, 4), simplify(purpose).slice(0, MIN_CUT_LENGTH)];
  const account = foldAccount(beneficiary_account).slice(-4);
  // A create without an account can be paid like one with any account.
  const accounts = isStored ? [account, ''] : [account];
  return listPossibleAmounts(fields).flatMap((possible) =>
    accounts.map((end) => JSON.stringify([from_currency, to_currency, possible, end, ...starts])),
  );
}

/** Minimum number of characters at which a service cuts a text within a word. */
const MIN_CUT_LENGTH = 12;

/** Returns whether the texts of `made`, as sent or cut, can be those of `fields`. */
function canShow(fields: SentFields, made: SentFields): boolean {
  const { beneficiary_name: name, beneficiary_bank: bank, purpose } = made;
  const { beneficiary_account: account, beneficiary_country: country } = made;
  // Names and purposes in sequence are common: `S1` is not `S10` cut short.
  const isInSequence = (['beneficiary_name', 'purpose'] as const).some((field) => {
    const [whole = '', part = ''] = [fields[field], made[field]];
    const isShort = part.length > 0 && part.length < MIN_CUT_LENGTH;
    return isShort && whole.startsWith(part) && /^[\p{L}\p{N}]/u.test(whole.slice(part.length));
  });
  const beneficiary = { name, bank, account, country };
  const shown = comparePayment(fields, { beneficiary, purpose } as unknown as Payment);
  const telling = [...listSupplierFields(fields), 'purpose'] as const;
  return !isInSequence && telling.every((field) => shown[field] !== 'different');
}

function compareCode(sent: string | undefined, shown: unknown): Shown {
  const code = toText(shown).trim();
  if (code === '') return 'hidden';
  return code.toUpperCase() === sent ? 'same' : 'different';
}

/** Compares amounts. With or without a fee, an amount is at least half and at most double the sent one. */
function compareAmount(sent: SentFields, shown: unknown): Shown {
  const text = toText(shown);
  if (text === '') return 'hidden';
  const used = normalizeDecimal(text);
  if (listPossibleAmounts(sent).includes(used)) return 'same';
  const ratio = Number(text) / Number(sent.amount);
  return ratio >= 0.5 && ratio <= 2 ? 'changed' : 'different';
}

/** ISO 4217 currencies without minor units. */
const zeroDecimalCurrency = /^(BIF|CLP|DJF|GNF|ISK|JPY|KMF|KRW|PYG|RWF|UGX|UYI|VND|VUV|XAF|XOF|XPF)$/;

/**
 * Returns, in normal form, the amounts that a service may show for a sent amount: the amount itself, and the amount rounded
 * or truncated to a currency without minor units (docs/contract.md#profile-settings).
 */
export function listPossibleAmounts(sent: SentFields): readonly string[] {
  const amount = normalizeDecimal(sent.amount ?? '');
  const [whole = '', fraction] = amount.split('.');
  if (fraction === undefined || !zeroDecimalCurrency.test(sent.from_currency ?? '')) return [amount];
  return fraction < '5' ? [amount, whole] : [amount, whole, String(BigInt(whole) + 1n)];
}

/** Returns a plain decimal without leading and trailing zeros: `100` for `100.00`. */
export function normalizeDecimal(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  const decimals = fraction.replace(/0+$/, '');
  return (whole.replace(/^0+(?=\d)/, '') || '0') + (decimals && `.${decimals}`);
}

/** Compares a text that was sent, such as a beneficiary name or a purpose. */
export function compareText(sent: string | undefined, shown: unknown): Shown {
  return compare(sent, shown, normalize, fold, masks);
}

/** Compares the purpose of a create that had none. A service may add a word, or the id of the payment. */
function comparePurposeAdded({ id = '', purpose }: Partial<Payment>): Shown {
  const text = toText(purpose);
  if (text.trim() === '') return 'same';
  return /\d/.test(text) && !text.includes(id || text) ? 'different' : 'hidden';
}

/** Compares account numbers by letters and digits. A service may show the end of a number, or look one up. */
function compareAccount(sent: string | undefined, shown: unknown): Shown {
  if (sent === undefined) return compareUnsent(shown);
  const comparison = compare(sent, shown, normalizeAccount, foldAccount, accountMasks);
  const [whole, end] = [foldAccount(sent), foldAccount(toText(shown))];
  // The national number of an IBAN, or the last digits, also with words before them.
  const [, digits = end] = /^\D*(\d{3,6})$/.exec(end) ?? [];
  const isEnd = whole.endsWith(digits) && digits.length >= 3 && digits.length <= whole.length - 4;
  return comparison === 'different' && isEnd ? 'hidden' : comparison;
}

function foldAccount(text: string): string {
  return fold(text).replaceAll(' ', '');
}

/** The letters and digits of an account number; an IBAN in upper case. */
function normalizeAccount(account: string): string {
  const marks = account.normalize('NFKD').replaceAll(/[^\p{L}\p{M}\p{N}*#]/gu, '');
  return /^[a-z]{2}\d{2}[a-z\d]{11,30}$/i.test(marks) ? marks.toUpperCase() : marks;
}

const BANK_CODE = /^[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?$/;
const COUNTRY_CODE = /^..$/;

/** Compares banks or countries. A service may look one up, complete its name, or show its code, which no name proves. */
function compareDirectoryEntry(sent: string | undefined, shown: unknown, code: RegExp): Shown {
  if (sent === undefined) return compareUnsent(shown);
  const comparison = compareText(sent, shown);
  const text = toText(shown).trim();
  const isCode = code.test(sent.trim()) !== code.test(text);
  return comparison === 'different' && (isCode || fold(text).startsWith(fold(sent))) ? 'hidden' : comparison;
}

function compareUnsent(shown: unknown): Shown {
  return toText(shown).trim() === '' ? 'same' : 'hidden';
}

type Convert = (text: string) => string;

/**
 * Compares a text with a shown one.
 *
 * @param toEqual Returns the form of two equal texts.
 * @param toFolded Returns the form that all forms of a text have in common.
 * @param hiding Characters that hide a part of a text.
 */
function compare(
  sent: string | undefined,
  value: unknown,
  toEqual: Convert,
  toFolded: Convert,
  hiding: RegExp,
): Shown {
  if (sent !== undefined && sent === value) return 'same';
  const [ours, shown] = [sent ?? '', toText(value)];
  if (toEqual(ours) === toEqual(shown)) return 'same';
  const part = toFolded(shown);
  if (part === '' || /^(NA|NONE|NULL|HIDDEN|REDACTED|UNKNOWN)$/.test(part)) return 'hidden';
  const wholes = [toFolded(ours), toFolded(writeOut(ours))];
  // A text can be cut at any length.
  if (wholes.some((whole) => whole.startsWith(part))) return 'changed';
  if (!hiding.test(ours)) {
    const pieces = shown.split(hiding).map(toFolded);
    const [first = '', last] = [pieces[0], pieces.at(-1)];
    if (pieces.length > 1 && wholes.some((whole) => whole.startsWith(first) && whole.endsWith(last ?? '')))
      return 'hidden';
  }
  // Another script cannot be compared.
  const [isLatin = true, wasLatin = true] = [part, ours].map((text) => /\p{Script=Latin}/u.test(text));
  return isLatin && !wasLatin && /\p{L}/u.test(ours) ? 'hidden' : 'different';
}

const masks = /[*\u2022\u25CF\u2588\u2592]+|[#\u00D7_]{2,}|x{3,}|\.{2,}|\u2026/iu;
const accountMasks = /[*#\u2022\u25CF\u2588\u2592\u00D7\u00B7\u2026?]+|x{2,}|[._-]{2,}/iu;

/** NFKC with single spaces. */
function normalize(text: string): string {
  return text.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ');
}

/** Letters that have no accent to remove. */
const plainLetters: Readonly<Record<string, string>> = { Ø: 'O', Ł: 'L', Đ: 'D', Æ: 'AE', Œ: 'OE', Þ: 'TH' };

/**
 * Upper case, Latin letters without accents, and no other characters than letters and digits: a service with a small
 * character set keeps only these. Spaces stay between digits.
 */
export function fold(text: string): string {
  const upper = text.normalize('NFKD').toUpperCase().normalize('NFKD');
  // A text that was cut within a character ends with a replacement character or half of a pair.
  return upper
    .replaceAll(/[\u0300-\u036F]|[\p{Cs}\uFFFD]+\s*$/gu, '')
    .replaceAll(/[ØŁĐÆŒÞ]/g, (letter) => plainLetters[letter] ?? letter)
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .replaceAll(/(?<!\p{N}) | (?!\p{N})/gu, '');
}

/** Writes German and Scandinavian letters with two, as in `Mueller`. */
function writeOut(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[äöüø]/giu, (letter) => `${letter}e`)
    .replaceAll(/å/giu, 'aa');
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
