import { type Micro, toMicro, writeMicro } from '@service/internal';
import { type Client, ServiceError, ValidationError, type Quote } from '@service/sdk';
import { PaymentFileError, UsageError } from '../errors.ts';
import { createTable, formatMoney } from '../table.ts';
import type { Line, Terminal } from '../terminal.ts';
import type { RunPayment } from './run-payment.ts';

/** The payments of a file that were not sent yet, from one currency to another. */
interface PairFunds {
  readonly from_currency: string;
  readonly to_currency: string;
  readonly payments: number;
  readonly amount: string;
  /** The rate at present. */
  readonly rate: Quote['rate'];
  /** The fee and the received amount of one payment of the whole amount. Undefined if it is above the maximum. */
  readonly fee?: Quote['fee'] | undefined;
  readonly receive_amount?: Quote['receive_amount'] | undefined;
}

/** The amount to send in one currency, and the balance of its wallet. */
interface WalletFunds {
  readonly currency: string;
  readonly amount: string;
  /** Undefined without a wallet. */
  readonly balance: string | undefined;
  readonly isCovered: boolean;
}

/** The quotes and balances of the payments that were not sent yet. */
export interface Funds {
  readonly pairs: readonly PairFunds[];
  readonly wallets: readonly WalletFunds[];
}

/** Adds the amounts of payments by currency. */
export function addAmounts(payments: Iterable<RunPayment>): ReadonlyMap<string, Micro> {
  const totals = new Map<string, Micro>();
  for (const { from_currency, amount } of payments) {
    if (from_currency !== undefined)
      totals.set(from_currency, (totals.get(from_currency) ?? 0n) + (toMicro(amount) ?? 0n));
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

/**
 * Requests a quote for each pair of currencies, and the balances.
 *
 * @throws {PaymentFileError} when the service rejects a quote.
 */
export async function readFunds(
  client: Client,
  payments: readonly RunPayment[],
  signal: AbortSignal,
): Promise<Funds> {
  if (payments.length === 0) return { pairs: [], wallets: [] };
  const pairs: PairFunds[] = [];
  for (const group of groupByPair(payments)) pairs.push(await quotePair(client, group, signal));
  const { balances } = await client.balance.retrieve({ signal });
  const wallets = [...addAmounts(payments)].map(([currency, total]): WalletFunds => {
    const balance = balances.find((wallet) => wallet.currency === currency)?.balance;
    const isCovered = (toMicro(balance) ?? 0n) >= total;
    return { currency, amount: writeMicro(total), balance: balance?.toString(), isCovered };
  });
  return { pairs, wallets };
}

function groupByPair(payments: readonly RunPayment[]): (readonly RunPayment[])[] {
  const groups = new Map<string, RunPayment[]>();
  for (const payment of payments) {
    const pair = `${payment.from_currency} ${payment.to_currency}`;
    const group = groups.get(pair);
    if (group) group.push(payment);
    else groups.set(pair, [payment]);
  }
  return [...groups.values()];
}

async function quotePair(
  client: Client,
  group: readonly RunPayment[],
  signal: AbortSignal,
): Promise<PairFunds> {
  const largest = group.reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one));
  const { from_currency = '', to_currency = '' } = largest;
  const pair = { from_currency, to_currency };
  const amount = writeMicro(addAmounts(group).get(from_currency) ?? 0n);
  const common = { ...pair, payments: group.length, amount };
  try {
    const { rate, fee, receive_amount } = await client.quotes.create({ ...pair, amount }, { signal });
    return { ...common, rate, fee, receive_amount };
  } catch (error) {
    // The amounts of all payments together can exceed the maximum of one payment.
    if (!(error instanceof ValidationError) || group.length === 1) throw toLineError(error, largest);
  }
  try {
    const { rate } = await client.quotes.create({ ...pair, amount: largest.amount ?? '' }, { signal });
    return { ...common, rate };
  } catch (error) {
    throw toLineError(error, largest);
  }
}

function sizeOf({ amount }: RunPayment): Micro {
  return toMicro(amount) ?? 0n;
}

function toLineError(error: unknown, { line = 0, from_currency, to_currency }: RunPayment): unknown {
  if (!(error instanceof ServiceError) || !(error instanceof ValidationError)) return error;
  const message = `the service rejected its quote from ${from_currency} to ${to_currency}: ${error.message}`;
  return new PaymentFileError('The service rejected a quote.', [{ line, message }]);
}

/** Formats the funds for people. */
export function toFundsLines({ pairs, wallets }: Funds, terminal: Terminal): Line[] {
  const columns = [
    { field: 'pair' },
    { field: 'payments', align: 'right' },
    { field: 'amount', align: 'right' },
    { field: 'fee', align: 'right' },
    { field: 'rate', align: 'right' },
    { field: 'receive_amount', align: 'right' },
  ] as const;
  const rows = pairs.map((pair) => ({ ...pair, pair: `${pair.from_currency} to ${pair.to_currency}` }));
  return [
    ...(rows.length === 0 ? [] : createTable(columns, terminal)(rows)),
    ...wallets.map(({ currency, amount, balance, isCovered }): Line => {
      const available = balance === undefined ? 'no wallet' : `${formatMoney(balance, currency)} available`;
      const style = isCovered ? 'good' : 'bad';
      return [
        { text: `${formatMoney(amount, currency)} to send`, style: 'strong' },
        ', ',
        { text: available, style },
      ];
    }),
  ];
}
