import type { Reconciliation } from '@service/sdk';
import { toPaymentLines } from '../payment-lines.ts';

/** Lays out what became of a payment in doubt; whatever it is, the lines say not to create the payment again. */
export function toReconciliationLines(found: Reconciliation): string[] {
  if (found.result === 'found')
    return [...toPaymentLines(found.payment), '', 'Found: THE PAYMENT EXISTS. Do not create it again.'];
  const payments = found.result === 'ambiguous' ? found.payments : [];
  const shown = payments.flatMap((payment) => [...toPaymentLines(payment), '']);
  return [...shown, ...meanings[found.result], doNotRepeat];
}

const meanings: Readonly<Record<Exclude<Reconciliation['result'], 'found'>, readonly string[]>> = {
  ambiguous: [
    'Ambiguous: each payment above looks like it, and may be it or an older one. A person has to tell.',
  ],
  not_found_yet: [
    'Not found yet: there is no record of it so far. THE PAYMENT MAY STILL COME, so this proves nothing.',
    'Look again later, or with --wait 10m; where none comes, ask the service what became of it.',
  ],
  cannot_tell: [
    'Cannot tell: there are records that could be it and do not name their payment.',
    'Look at them with: service-cli transactions --all',
  ],
};

const doNotRepeat =
  'Do not create it again: THE PAYMENT MAY EXIST, until the service itself has told a person otherwise.';
