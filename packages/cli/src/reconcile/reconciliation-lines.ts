import type { Evidence, Reconciliation } from '@service/sdk';
import { toPaymentLines } from '../payment-lines.ts';

/**
 * Formats the result of `payment reconcile`. Every result but `found` ends with the warning not to create the
 * payment again.
 */
export function toReconciliationLines(reconciliation: Reconciliation): string[] {
  if (reconciliation.result === 'found') {
    const conclusion = `Found by its ${evidenceNames[reconciliation.evidence]}: THE PAYMENT EXISTS. Do not create it again.`;
    return [...toPaymentLines(reconciliation.payment), '', conclusion];
  }
  if (reconciliation.result !== 'ambiguous') return [...explanations[reconciliation.result], DO_NOT_REPEAT];
  const lines = reconciliation.payments.flatMap((payment) => [...toPaymentLines(payment), '']);
  return [...lines, `Ambiguous: ${ambiguities[reconciliation.evidence]}`, DO_NOT_REPEAT];
}

const evidenceNames: Readonly<Record<Extract<Evidence, 'id' | 'purpose+beneficiary'>, string>> = {
  id: 'id',
  'purpose+beneficiary': 'purpose and beneficiary',
};

const ambiguities: Readonly<Record<Exclude<Evidence, 'id'>, string>> = {
  'purpose+beneficiary':
    'more than one payment matches, or an older one has the same purpose, beneficiary and amount. A person must decide.',
  purpose:
    'the purpose and amount match, but the beneficiary is not fully known. Compare it, or pass --name and --account.',
  amount: 'only the amount and the currencies match. A person must decide.',
};

const explanations: Readonly<Record<'not_found_yet' | 'cannot_tell', readonly string[]>> = {
  not_found_yet: [
    'Not found yet: there is no transaction for it so far. THE PAYMENT MAY STILL APPEAR, so this proves nothing.',
    'Check again later, or with --wait 10m. If it does not appear, ask the service about it.',
  ],
  cannot_tell: [
    'Cannot tell: some transactions may belong to it, but do not identify a payment.',
    'List them with: service-cli transactions --all',
  ],
};

const DO_NOT_REPEAT =
  'Do not create it again: THE PAYMENT MAY EXIST until the service itself has confirmed to a person that it does not.';
