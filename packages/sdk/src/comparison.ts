// The only comparison of a payment with the create that it belongs to. `create`, the payer and `reconcile` read it.
import type { Payment, SentField, SentFields } from './models.ts';
import { listPossibleAmounts, normalizeDecimal } from './money.ts';

const sentFields = [
  'from_currency',
  'to_currency',
  'amount',
  'beneficiary_name',
  'beneficiary_account',
  'beneficiary_bank',
  'beneficiary_country',
  'purpose',
] as const satisfies readonly SentField[];

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
    beneficiary_bank: compareBank(sent.beneficiary_bank, bank),
    beneficiary_country: compareCountry(sent.beneficiary_country, country),
    purpose: compareText(sent.purpose, payment.purpose),
  };
}

/**
 * Returns the fields by which a payment is not that of a create; none if it can be. Another amount is rounded, or net
 * of or with the fee, if beneficiary and purpose are shown as sent.
 */
export function listDifferences(sent: SentFields, comparison: Comparison): readonly SentField[] {
  const isShown = (field: SentField): boolean => ['same', 'changed'].includes(comparison[field]);
  const canDiffer = (field: SentField): boolean => {
    if (field === 'amount') return isShown('beneficiary_name') && isShown('purpose');
    // A bank has many names. Its account has one number.
    const isBank = field === 'beneficiary_bank' || field === 'beneficiary_country';
    return isBank && sent.beneficiary_account !== undefined && isShown('beneficiary_account');
  };
  return sentFields.filter((field) => comparison[field] === 'different' && !canDiffer(field));
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

function compareCode(sent: string | undefined, shown: unknown): Shown {
  const code = toText(shown).trim();
  if (code === '') return 'hidden';
  return code.toUpperCase() === sent ? 'same' : 'different';
}

function compareAmount({ amount = '', from_currency = '' }: SentFields, shown: unknown): Shown {
  const text = toText(shown);
  if (text === '') return 'hidden';
  return listPossibleAmounts(amount, from_currency).includes(normalizeDecimal(text)) ? 'same' : 'different';
}

/** Compares a text, such as a beneficiary name or a purpose. */
export function compareText(sent: string | undefined, shown: unknown): Shown {
  return compare(sent, shown, (text) => text);
}

/** Compares account numbers by letters, digits and masks. */
function compareAccount(sent: string | undefined, shown: unknown): Shown {
  const comparison = compare(sent, shown, normalizeAccount);
  // A service may show the last digits only.
  const end = normalizeAccount(toText(shown));
  const isEnd = end.length === LAST_DIGITS && normalizeAccount(sent ?? '').endsWith(end);
  return comparison === 'different' && isEnd ? 'hidden' : comparison;
}

const LAST_DIGITS = 4;

/** The letters, digits and masks of an account number; an IBAN in upper case. */
function normalizeAccount(account: string): string {
  const marks = account
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{M}\p{N}*#\u2022\u25CF\u2588\u2592\u00D7_]/gu, '');
  return /^[a-z]{2}\d{2}[a-z\d]{11,30}$/i.test(marks) ? marks.toUpperCase() : marks;
}

/** Compares banks. A service may complete the name of a bank, and look one up if none was sent. */
function compareBank(sent: string | undefined, shown: unknown): Shown {
  if (sent === undefined) return toText(shown) === '' ? 'same' : 'hidden';
  const comparison = compareText(sent, shown);
  return comparison === 'different' && fold(toText(shown)).startsWith(fold(sent)) ? 'changed' : comparison;
}

/** Compares countries. A code and a name cannot be compared. */
function compareCountry(sent: string | undefined, shown: unknown): Shown {
  if (sent === undefined) return toText(shown) === '' ? 'same' : 'hidden';
  const comparison = compareText(sent, shown);
  const lengths = [sent, toText(shown)].map((text) => text.trim().length);
  return comparison === 'different' && lengths.filter((one) => one === 2).length === 1
    ? 'hidden'
    : comparison;
}

function compare(sent: string | undefined, shown: unknown, pick: (text: string) => string): Shown {
  if (sent !== undefined && sent === shown) return 'same';
  const [ours, theirs] = [pick(sent ?? ''), pick(toText(shown))];
  if (normalize(ours) === normalize(theirs)) return 'same';
  if (normalize(theirs) === '') return 'hidden';
  const [whole, part] = [fold(ours), fold(theirs)];
  if (part === '') return 'hidden';
  // A text can be cut at any length.
  if (whole.startsWith(part)) return 'changed';
  return fitsMask(whole, part) ? 'hidden' : 'different';
}

/** Returns whether the characters before and after the masks of a text are those of the sent one. */
function fitsMask(whole: string, part: string): boolean {
  if (whole.match(masks)) return false;
  const [first = '', ...rest] = part.split(masks).map((piece) => (/[\p{L}\p{N}]/u.test(piece) ? piece : ''));
  const last = rest.at(-1);
  return last !== undefined && whole.startsWith(first.trimEnd()) && whole.endsWith(last.trimStart());
}

/** Characters that hide a part of a text, as in `***1234` or `XXXX1234`. */
const masks = /[*#\u2022\u25CF\u2588\u2592\u00D7_]{2,}|X{3,}|\.{3,}|REDACTED/u;

/** NFKC with single spaces. */
function normalize(text: string): string {
  return text.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ');
}

/** The form that all forms of a text have in common: upper case with single spaces, and Latin letters without accents. */
export function fold(text: string): string {
  const upper = text.normalize('NFKD').toUpperCase().normalize('NFKD');
  // A text that was cut within a character ends with a replacement character or half of a pair.
  const whole = upper.replaceAll(/[\u0300-\u036F]|[\p{Cs}\uFFFD]+\s*$/gu, '');
  return whole.trim().replaceAll(/\s+/gu, ' ');
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
