import type { Evidence, Reconciliation } from '@service/sdk';
import { toPaymentLines } from '../payment-lines.ts';

/** Formats the result of `payment reconcile`. Every result but `found` ends with the warning not to create the payment again. */
export function toReconciliationLines(found: Reconciliation): string[] {
  if (found.result === 'found') {
    const why = `Found by its ${evidenceNames[found.evidence]}: THE PAYMENT EXISTS. Do not create it again.`;
    return [...toPaymentLines(found.payment), '', why];
  }
  if (found.result !== 'ambiguous') return [...meanings[found.result], doNotRepeat];
  const shown = found.payments.flatMap((payment) => [...toPaymentLines(payment), '']);
  return [...shown, `Ambiguous: ${ambiguities[found.evidence]}`, doNotRepeat];
}

const evidenceNames: Readonly<Record<Extract<Evidence, 'id' | 'purpose+beneficiary'>, string>> = {
  id: 'id',
  'purpose+beneficiary': 'purpose and beneficiary',
};

const ambiguities: Readonly<Record<Exclude<Evidence, 'id'>, string>> = {
  'purpose+beneficiary':
    'more than one payment may be it, or an older one is equal in purpose, beneficiary and amount. A person has to decide.',
  purpose:
    'purpose and amount are equal, but not all of the beneficiary is known or shown. Compare it; --name and --account do so.',
  amount: 'only the amount and the currencies are equal. A person has to decide.',
};

const meanings: Readonly<Record<'not_found_yet' | 'cannot_tell', readonly string[]>> = {
  not_found_yet: [
    'Not found yet: there is no record of it so far. THE PAYMENT MAY STILL COME, so this proves nothing.',
    'Look again later, or with --wait 10m; where none comes, ask the service what became of it.',
  ],
  cannot_tell: [
    'Cannot tell: there are records that may be of it and do not lead to a payment.',
    'Look at them with: service-cli transactions --all',
  ],
};

const doNotRepeat =
  'Do not create it again: THE PAYMENT MAY EXIST, until the service itself has told a person otherwise.';
