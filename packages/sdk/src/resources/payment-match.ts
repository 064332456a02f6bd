import type { SentBeneficiary } from '../errors/payment-outcome-unknown.ts';
import { normalizeDecimal } from '../values/amount.ts';
import { type Comparison, compareAccount, compareText } from '../values/beneficiary.ts';
import type { Payment } from '../values/models.ts';

/**
 * The strongest agreement between a payment and a create. `id`: the service named this payment in its response to the create.
 * `purpose+beneficiary`, `purpose` and `amount`: these fields agree, and the currencies and the amount do in any case.
 */
export type Evidence = 'id' | 'purpose+beneficiary' | 'purpose' | 'amount';

/** The fields of a create that a payment is compared with. */
export interface SentPayment {
  readonly purpose: string | null;
  readonly from_currency: string;
  readonly to_currency: string;
  /** Every amount that the service may show for the sent one, in normal form. */
  readonly amounts: readonly string[];
  readonly beneficiary: SentBeneficiary | undefined;
}

/** A payment that may be the one that a create made. */
export interface Match {
  readonly payment: Payment;
  readonly evidence: Exclude<Evidence, 'id'>;
  /** Whether the beneficiary may be the one that was sent: no field of it is another. */
  readonly isSameBeneficiary: boolean;
  /** Whether the payment shows a purpose that the create did not send. */
  readonly isOtherPurpose: boolean;
}

type EchoField = 'purpose' | keyof SentBeneficiary;
const beneficiaryFields = ['name', 'account', 'bank', 'country'] as const;

/** Remembers whether the service shows the fields of a create as they were sent. One for each client. */
export interface EchoRecord {
  /** `exact` when each response to a create showed the field as sent, `altered` when one did not, undefined before any did. */
  readonly get: (field: EchoField) => 'exact' | 'altered' | undefined;
  /** Compares the payment in the response to a create with the body of that create. */
  readonly add: (fields: Readonly<Record<string, string>>, payment: Payment) => void;
}

/** Creates the echo record of a client. */
export function createEchoRecord(): EchoRecord {
  const seen = new Map<EchoField, 'exact' | 'altered'>();
  return {
    get: (field) => seen.get(field),
    add: (fields, payment) => {
      for (const field of ['purpose', ...beneficiaryFields] as const) {
        const sent = fields[field === 'purpose' ? field : `beneficiary_${field}`];
        if (sent === undefined) continue;
        if (compareField(field, sent, payment) !== 'same') seen.set(field, 'altered');
        else if (!seen.has(field)) seen.set(field, 'exact');
      }
    },
  };
}

/** The comparisons of the beneficiary fields that identify a supplier. */
export type BeneficiaryComparisons = Partial<Record<keyof SentBeneficiary, Comparison>>;

/** Compares a beneficiary with that of a payment. Bank and country only matter when no account identifies the supplier. */
export function compareBeneficiary(
  sent: SentBeneficiary,
  payment: Payment,
  echo: EchoRecord,
): BeneficiaryComparisons {
  const hasAccount = Boolean(sent.account);
  const fields = hasAccount ? (['name', 'account'] as const) : beneficiaryFields;
  const comparisons = fields.map((field): [string, Comparison] => {
    const comparison = compareField(field, sent[field], payment);
    // A service that alters or hides a field can show two suppliers alike; next to an equal account the name may be altered.
    const isDecisive = field === 'account' || !hasAccount;
    const isDoubtful = isDecisive && echo.get(field) === 'altered';
    return [field, comparison === 'same' && isDoubtful ? 'not_comparable' : comparison];
  });
  return Object.fromEntries(comparisons);
}

/** Returns how far a payment agrees with a create, or undefined for a payment that another create made. */
export function matchPayment(
  payment: Payment,
  sent: SentPayment,
  { beneficiary, echo }: { readonly beneficiary: BeneficiaryComparisons; readonly echo: EchoRecord },
): Match | undefined {
  const figures = compareFigures(payment, sent);
  if (figures.includes('different') || isOtherPurpose(sent.purpose, payment.purpose, echo)) return undefined;
  const purpose = comparePurpose(sent.purpose, payment.purpose, echo);
  const entries = Object.entries(beneficiary) as [keyof SentBeneficiary, Comparison][];
  const others = entries.filter(([, comparison]) => comparison === 'different');
  if (others.some(([field]) => echo.get(field) === 'exact')) return undefined;
  const isWhole = entries.length > 0 && entries.every(([, comparison]) => comparison === 'same');
  const isPurpose =
    sent.purpose !== null && purpose === 'same' && figures.every((comparison) => comparison === 'same');
  const strong = isWhole ? 'purpose+beneficiary' : 'purpose';
  return {
    payment,
    evidence: isPurpose ? strong : 'amount',
    isSameBeneficiary: others.length === 0,
    isOtherPurpose: purpose === 'different',
  };
}

/** Compares currencies and amount. A field that the payment does not show is not comparable. */
function compareFigures(payment: Partial<Payment>, sent: SentPayment): readonly Comparison[] {
  const { send_amount } = payment;
  const isAmount = (): boolean => sent.amounts.includes(normalizeDecimal(String(send_amount)));
  return [
    compareCode(sent.from_currency, payment.from_currency),
    compareCode(sent.to_currency, payment.to_currency),
    send_amount === undefined || send_amount === null ? 'not_comparable' : isAmount() ? 'same' : 'different',
  ];
}

function compareCode(sent: string, shown: string | null | undefined): Comparison {
  if (!shown) return 'not_comparable';
  return shown.toUpperCase() === sent ? 'same' : 'different';
}

/**
 * Whether a shown purpose proves another create: the service was seen to echo purposes exactly, or the digits differ. Letters alone
 * prove nothing, since a service can transliterate them.
 */
export function isOtherPurpose(sent: string | null, shown: unknown, echo: EchoRecord): boolean {
  const isExact = echo.get('purpose') === 'exact';
  if (sent === null) return isExact && typeof shown === 'string' && shown.trim() !== '';
  if (comparePurpose(sent, shown, echo) !== 'different') return false;
  return isExact || toDigits(sent) !== toDigits(String(shown));
}

function toDigits(text: string): string {
  return text.replaceAll(/\D/g, '');
}

/** Compares purposes. A service that was seen to alter them can show one purpose as another, and two alike. */
export function comparePurpose(sent: string | null, shown: unknown, echo: EchoRecord): Comparison {
  return echo.get('purpose') === 'altered' ? 'not_comparable' : compareText(sent, shown);
}

function compareField(field: EchoField, sent: string | undefined, payment: Payment): Comparison {
  if (field === 'purpose') return compareText(sent, payment.purpose);
  const shown: unknown = (payment.beneficiary as Partial<Payment['beneficiary']> | null)?.[field];
  return field === 'account' ? compareAccount(sent, shown) : compareText(sent, shown);
}
