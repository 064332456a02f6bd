import { type Micro, toMicro } from '@service/internal';
import type { Payment, Quote, Transaction } from '@service/sdk';

/**
 * Finds a transaction of a payment whose amount is in hundredths, such as cents. The client returns amounts of
 * transactions as received, because the document does not show their unit.
 */
export function findHundredths(
  rows: readonly Transaction[],
  { id, send_amount, from_currency }: Payment,
  fee?: Quote['fee'],
): Transaction | undefined {
  const send = toMicro(send_amount) ?? 0n;
  const debits = new Set([send, send + (toMicro(fee) ?? 0n)].map((debit) => debit * 100n));
  return rows.find(
    ({ amount, currency, ...row }) =>
      currency === from_currency &&
      JSON.stringify(row).includes(id) &&
      debits.has(abs(toMicro(amount) ?? 0n)),
  );
}

function abs(micro: Micro): Micro {
  return micro < 0n ? -micro : micro;
}
