import { comparePayment, compareText, fold, listSupplierFields } from '../comparison.ts';
import type { Payment, SentField } from '../models.ts';
import type { WantedPayment } from './input.ts';

/** A payment that the create may have made. */
export interface Match {
  readonly payment: Payment;
  /**
   * The strongest agreement with the create. `purpose+beneficiary` and `purpose`: these fields, the currencies and the
   * amount are equal. `amount`: the currencies and the amount do not differ.
   */
  readonly evidence: 'purpose+beneficiary' | 'purpose' | 'amount';
  /** Whether no beneficiary field differs from the sent one. */
  readonly isSameBeneficiary: boolean;
  /** Whether the payment shows another purpose than the sent one. */
  readonly isOtherPurpose: boolean;
}

/**
 * Returns the agreement of a payment with a create, or undefined for a payment that another create made.
 *
 * @param purposes The purposes of the other records of the account.
 */
export function matchPayment(
  payment: Payment,
  wanted: Create,
  purposes: readonly string[] = [],
): Match | undefined {
  const { fields, returnedFields } = wanted;
  const comparison = comparePayment(fields, payment);
  const figures = (['from_currency', 'to_currency', 'amount'] as const).map((field) => comparison[field]);
  const isOtherAmount = comparison.amount === 'changed' && returnedFields.amount !== 'changed';
  if (figures.includes('different') || isOtherAmount || isOtherPurpose(wanted, payment.purpose))
    return undefined;
  const hasAccount = fields.beneficiary_account !== undefined;
  const supplier = listSupplierFields(fields);
  const others = supplier.filter((field) => comparison[field] === 'different');
  if (others.some((field) => returnedFields[field] === 'exact')) return undefined;
  const isCut = (field: SentField): boolean =>
    comparison[field] === 'changed' && returnedFields[field] === 'exact';
  // A service that changes a field can show two suppliers alike. With an account, only the account decides.
  const isProof = (field: SentField): boolean =>
    comparison[field] === 'same' &&
    (returnedFields[field] !== 'changed' || (hasAccount && field === 'beneficiary_name'));
  const isWhole = fields.beneficiary_name !== undefined && supplier.every(isProof);
  const isPurpose =
    fields.purpose !== undefined &&
    isProof('purpose') &&
    figures.every((figure) => figure === 'same') &&
    (returnedFields.purpose === 'exact' || !purposes.some((purpose) => startsWith(purpose, fields.purpose)));
  return {
    payment,
    evidence: isPurpose ? (isWhole ? 'purpose+beneficiary' : 'purpose') : 'amount',
    isSameBeneficiary: others.length === 0 && !supplier.some(isCut),
    isOtherPurpose:
      isCut('purpose') || (comparison.purpose === 'different' && returnedFields.purpose !== 'changed'),
  };
}

type Create = Pick<WantedPayment, 'fields' | 'returnedFields'>;

/** Returns whether a service that cuts purposes can show the one of another record like the sent one. */
export function startsWith(purpose: unknown, sent = ''): boolean {
  return typeof purpose === 'string' && fold(purpose).startsWith(fold(sent));
}

/**
 * Returns whether a shown purpose proves that another create made the payment: the service returns purposes
 * exactly, or the digits differ. Different letters prove nothing, since a service can transliterate them.
 */
export function isOtherPurpose({ fields, returnedFields }: Create, shown: unknown): boolean {
  const { purpose } = fields;
  if (compareText(purpose, shown) !== 'different') return false;
  if (returnedFields.purpose === 'exact') return true;
  return (
    returnedFields.purpose !== 'changed' &&
    purpose !== undefined &&
    toDigits(purpose) !== toDigits(String(shown))
  );
}

function toDigits(text: string): string {
  return text.replaceAll(/\D/g, '');
}
