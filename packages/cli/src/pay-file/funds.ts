import { type Micro, toMicro, writeMicro } from '@service/internal';
import type { Client } from '@service/sdk';
import { UsageError } from '../errors.ts';
import { formatMoney, type Part } from '../terminal.ts';
import type { RunPayment } from './run-payment.ts';

/** The total of the payments of a currency that were not sent yet, and the balance of its wallet. */
export interface WalletFunds {
  readonly currency: string;
  readonly amount: string;
  /** Undefined without a wallet. */
  readonly balance: string | undefined;
  readonly isCovered: boolean;
}

/** Adds the amounts of payments by currency. */
export function addAmounts(payments: Iterable<RunPayment>): ReadonlyMap<string, Micro> {
  const totals = new Map<string, Micro>();
  for (const payment of payments) {
    const { from_currency: currency } = payment.body;
    const micro = toMicro(payment.body.amount) ?? 0n;
    if (currency) totals.set(currency, (totals.get(currency) ?? 0n) + micro);
  }
  return totals;
}

/** Formats totals such as `1,000.00 USD, 20.00 EUR`. */
export function formatTotals(totals: ReadonlyMap<string, Micro>): string {
  return [...totals].map(([currency, micro]) => formatMoney(writeMicro(micro), currency)).join(', ');
}

/**
 * Checks the totals of a file against `--max-total`.
 *
 * @throws {UsageError} when a total is higher, or has no limit in live mode.
 */
export function checkMaximum(
  payments: Iterable<RunPayment>,
  { maxTotal, isLive }: { readonly maxTotal: ReadonlyMap<string, Micro>; readonly isLive: boolean },
): void {
  for (const [currency, total] of addAmounts(payments)) {
    const limit = maxTotal.get(currency);
    const sum = formatMoney(writeMicro(total), currency);
    if (limit === undefined && isLive)
      throw new UsageError(
        `A live key needs --max-total ${currency}=AMOUNT. The payments of the file are ${sum}. Nothing was sent.`,
      );
    if (limit !== undefined && total > limit)
      throw new UsageError(`The payments of the file are ${sum}, more than --max-total. Nothing was sent.`);
  }
}

/** Requests the balances of payments that were not sent yet. */
export async function readFunds(
  client: Client,
  payments: readonly RunPayment[],
  signal: AbortSignal,
): Promise<readonly WalletFunds[]> {
  if (payments.length === 0) return [];
  const { balances } = await client.balance.retrieve({ signal });
  return [...addAmounts(payments)].map(([currency, total]) => {
    const balance = balances.find((wallet) => wallet.currency === currency)?.balance;
    const isCovered = (toMicro(balance) ?? 0n) >= total;
    return { currency, amount: writeMicro(total), balance: balance?.toString(), isCovered };
  });
}

/** Formats the total and the balance of a currency for people. */
export function toFundsLine({ currency, amount, balance, isCovered }: WalletFunds): Part[] {
  const available = balance === undefined ? 'no wallet' : `${formatMoney(balance, currency)} available`;
  return [
    { text: `${formatMoney(amount, currency)} to send`, style: 'strong' },
    ', ',
    { text: available, style: isCovered ? 'good' : 'bad' },
  ];
}
