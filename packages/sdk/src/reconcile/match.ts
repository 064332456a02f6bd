import type { Payment } from '../models.ts';
import type { SentBeneficiary } from '../errors.ts';
import {
  beneficiaryFields,
  compareField,
  compareText,
  type Comparison,
  type EchoRecord,
} from './comparison.ts';
import { normalizeDecimal } from '../money.ts';
import type { WantedPayment } from './input.ts';

/**
 * The strongest agreement between a payment and a create. `id`: the service returned this payment id in its
 * response to the create. `purpose+beneficiary` and `purpose`: these fields, the currencies and the amount
 * are equal. `amount`: the currencies and the amount do not differ.
 */
export type Evidence = 'id' | 'purpose+beneficiary' | 'purpose' | 'amount';

/** A payment that the create may have made. */
export interface Match {
  readonly payment: Payment;
  readonly evidence: Exclude<Evidence, 'id'>;
  /** Whether no beneficiary field differs from the sent one. */
  readonly isSameBeneficiary: boolean;
  /** Whether the payment shows another purpose than the sent one. */
  readonly isOtherPurpose: boolean;
}

/** Returns the agreement of a payment with a create, or undefined for a payment that another create made. */
export function matchPayment(payment: Payment, wanted: WantedPayment, echo: EchoRecord): Match | undefined {
  const figures = compareFigures(payment, wanted);
  if (figures.includes('different') || isOtherPurpose(wanted.purpose, payment.purpose, echo))
    return undefined;
  const purpose = comparePurpose(wanted.purpose, payment.purpose, echo);
  const fields = compareBeneficiary(payment, wanted, echo);
  const others = fields.filter(([, comparison]) => comparison === 'different');
  if (others.some(([field]) => echo.get(field) === 'exact')) return undefined;
  const isWhole = fields.length > 0 && fields.every(([, comparison]) => comparison === 'same');
  const isPurpose = wanted.purpose !== null && [purpose, ...figures].every((one) => one === 'same');
  const strong = isWhole ? 'purpose+beneficiary' : 'purpose';
  return {
    payment,
    evidence: isPurpose ? strong : 'amount',
    isSameBeneficiary: others.length === 0,
    isOtherPurpose: purpose === 'different',
  };
}

/**
 * Compares the sent beneficiary with the one of a payment, by field. Without an account, bank and country identify the
 * supplier too.
 */
function compareBeneficiary(
  payment: Payment,
  { beneficiary }: WantedPayment,
  echo: EchoRecord,
): readonly (readonly [keyof SentBeneficiary, Comparison])[] {
  if (!beneficiary) return [];
  const hasAccount = Boolean(beneficiary.account);
  return (hasAccount ? (['name', 'account'] as const) : beneficiaryFields).map((field) => {
    const comparison = compareField(field, beneficiary[field], payment);
    // A service that alters a field can show two suppliers alike. With an account, only the account decides.
    const isDoubtful = (field === 'account' || !hasAccount) && echo.get(field) === 'altered';
    return [field, comparison === 'same' && isDoubtful ? 'not_comparable' : comparison] as const;
  });
}

/** Compares the currencies and the amount. A field that the payment does not show is not comparable. */
function compareFigures(payment: Partial<Payment>, sent: WantedPayment): readonly Comparison[] {
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
 * Returns whether a shown purpose proves that another create made the payment: the service returns purposes
 * exactly, or the digits differ. Different letters prove nothing, since a service can transliterate them.
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

/** Compares purposes. Nothing is comparable if the service alters them: it can show two purposes alike. */
function comparePurpose(sent: string | null, shown: unknown, echo: EchoRecord): Comparison {
  return echo.get('purpose') === 'altered' ? 'not_comparable' : compareText(sent, shown);
}
