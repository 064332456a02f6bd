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
  if (payment.from_currency?.toUpperCase() !== sent.from_currency) return undefined;
  if (payment.to_currency?.toUpperCase() !== sent.to_currency) return undefined;
  if (!sent.amounts.includes(normalizeDecimal(String(payment.send_amount)))) return undefined;
  const purpose = comparePurpose(sent.purpose, payment.purpose, echo);
  if (purpose === 'different') return undefined;
  const entries = Object.entries(beneficiary) as [keyof SentBeneficiary, Comparison][];
  const others = entries.filter(([, comparison]) => comparison === 'different');
  if (others.some(([field]) => echo.get(field) === 'exact')) return undefined;
  const isWhole = entries.length > 0 && entries.every(([, comparison]) => comparison === 'same');
  const isPurpose = sent.purpose !== null && purpose === 'same';
  const strong = isWhole ? 'purpose+beneficiary' : 'purpose';
  return { payment, evidence: isPurpose ? strong : 'amount', isSameBeneficiary: others.length === 0 };
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
