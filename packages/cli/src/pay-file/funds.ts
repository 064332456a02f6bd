import { type Micro, toMicro, writeMicro } from '@service/internal';
import { type Client, type Quote, ServiceError, ValidationError } from '@service/sdk';
import { PaymentFileError, UsageError } from '../errors.ts';
import { createTable, formatMoney, type Line, type Terminal } from '../terminal.ts';
import type { RunPayment } from './run-payment.ts';

/** The payments of a file that were not sent yet, from one currency to another, and the rate of the largest one. */
interface PairFunds {
  readonly from_currency: string;
  readonly to_currency: string;
  readonly payments: number;
  readonly amount: string;
  readonly rate: Quote['rate'];
}

/** The quotes and balances of the payments that were not sent yet. */
export interface Funds {
  readonly pairs: readonly PairFunds[];
  readonly wallets: readonly {
    readonly currency: string;
    readonly amount: string;
    /** Undefined without a wallet. */
    readonly balance: string | undefined;
    readonly isCovered: boolean;
  }[];
}

/** Adds the amounts of payments by currency. */
export function addAmounts(payments: Iterable<RunPayment>): ReadonlyMap<string, Micro> {
  const totals = new Map<string, Micro>();
  for (const payment of payments) {
    const { from_currency: currency } = payment.body;
    if (currency) totals.set(currency, (totals.get(currency) ?? 0n) + sizeOf(payment));
  }
  return totals;
}

function sizeOf({ body }: RunPayment): Micro {
  return toMicro(body.amount) ?? 0n;
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
  for (const pair of new Set(payments.map(pairOf))) {
    const group = payments.filter((payment) => pairOf(payment) === pair);
    pairs.push(await quotePair(client, group, signal));
  }
  const { balances } = await client.balance.retrieve({ signal });
  const wallets = [...addAmounts(payments)].map(([currency, total]) => {
    const balance = balances.find((wallet) => wallet.currency === currency)?.balance;
    const isCovered = (toMicro(balance) ?? 0n) >= total;
    return { currency, amount: writeMicro(total), balance: balance?.toString(), isCovered };
  });
  return { pairs, wallets };
}

function pairOf({ body }: RunPayment): string {
  return `${body.from_currency} ${body.to_currency}`;
}

async function quotePair(
  client: Client,
  group: readonly RunPayment[],
  signal: AbortSignal,
): Promise<PairFunds> {
  const largest = group.reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one));
  const { line = 0, body } = largest;
  const { from_currency, to_currency } = body;
  const pair = { from_currency, to_currency };
  const amount = writeMicro(addAmounts(group).get(from_currency) ?? 0n);
  try {
    const { rate } = await client.quotes.create({ ...pair, amount: body.amount }, { signal });
    return { ...pair, payments: group.length, amount, rate };
  } catch (error) {
    if (!(error instanceof ServiceError) || !(error instanceof ValidationError)) throw error;
    const message = `the service rejected its quote from ${from_currency} to ${to_currency}: ${error.message}`;
    throw new PaymentFileError('The service rejected a quote.', [{ line, message }]);
  }
}

const pairColumns = [
  { field: 'pair' },
  ...(['payments', 'amount', 'rate'] as const).map((field) => ({
    field,
    align: 'right' as const,
  })),
];

/** Formats the funds for people. */
export function toFundsLines({ pairs, wallets }: Funds, terminal: Terminal): Line[] {
  const rows = pairs.map((pair) => ({ ...pair, pair: `${pair.from_currency} to ${pair.to_currency}` }));
  return [
    ...(rows.length === 0 ? [] : createTable(pairColumns, terminal)(rows)),
    ...wallets.map(({ currency, amount, balance, isCovered }): Line => {
      const available = balance === undefined ? 'no wallet' : `${formatMoney(balance, currency)} available`;
      return [
        { text: `${formatMoney(amount, currency)} to send`, style: 'strong' },
        ', ',
        { text: available, style: isCovered ? 'good' : 'bad' },
      ];
    }),
  ];
}
