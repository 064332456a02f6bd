import { type JsonObject, type Micro, toMicro, writeMicro } from '@service/internal';
import { readBalance } from '../balances.ts';
import { type ProbeContext, requireQuote } from '../context.ts';
import { type Finding, found, Inconclusive, other, unknown } from '../finding.ts';
import type { WalletTimes } from './wallet-times.ts';
import {
  type Observation,
  pauseAfter,
  timeBalance,
  type WatchedPayment,
  type WatchOptions,
  watchPayment,
} from './watch.ts';

/**
 * The balance of a wallet before a payment, and the possible debits of that payment: with the fee and without
 * it.
 */
export interface WalletReading {
  readonly before: Micro;
  readonly debits: readonly Micro[];
}

const debitOf: Readonly<Record<string, 'create' | 'processing' | 'completed'>> = {
  pending: 'create',
  processing: 'processing',
  completed: 'completed',
};

/**
 * Determines the status at which the wallet is debited from the possible ones. `observations` are those of a payment that
 * completed.
 */
export function evaluateDebit(
  { debits, paymentLag }: WalletTimes,
  observations: readonly Observation[],
  before: Micro,
): Finding {
  const balances = formatBalances(observations, before);
  if (debits.size === 0)
    return unknown(
      'debitAt',
      observations.every(({ balance }) => balance === before)
        ? `the wallet was not debited: ${balances}`
        : `the balance and the status did not change together, or other payments changed the balance: ${balances}`,
    );
  const [hidden, [lag, longest]] = [paymentLag[0], [...debits.values()][0] ?? [0, 0]];
  const behind = [
    ...(hidden > 0 ? [`reads show payments after ${Math.round(hidden)} ms`] : []),
    ...(lag > 0 ? [`the balance changes ${Math.round(lag)} to ${Math.round(longest)} ms later`] : []),
  ];
  const evidence = [balances, ...behind].join('; ');
  const among = [...debits.keys()].flatMap((status) => debitOf[status] ?? []);
  const [value] = among;
  if (value === undefined) return other('debitAt', evidence);
  return debits.size === 1
    ? found('debitAt', value, evidence)
    : unknown('debitAt', `debited between two reads: ${evidence}`, among);
}

/** Formats the observed statuses and balances. */
export function formatBalances(observations: readonly Observation[], before: Micro): string {
  const parts = observations.map(({ status, balance }) => `${status} ${writeMicro(balance)}`);
  return [`before ${writeMicro(before)}`, ...parts].join(', ');
}

/**
 * Reads the balance, and the possible debits and the fee of a payment of the plan; `changes` override its fields.
 *
 * @throws {Inconclusive} when an amount cannot be read.
 */
export async function readWallet(
  context: ProbeContext,
  changes: object = {},
): Promise<WalletReading & { readonly fee: Micro; readonly quote: JsonObject }> {
  const quote = await requireQuote(context, changes);
  const [send, fee] = [toMicro(quote.send_amount), toMicro(quote.fee)];
  if (send === undefined || fee === undefined)
    throw new Inconclusive('a quote has an amount that is not a number');
  return { before: await readBalance(context), debits: [send, send + fee], fee, quote };
}

/** The longest time to wait for a change in reads, in milliseconds. */
export const MAX_LAG = 10_000;

/**
 * Watches a payment to its end, and then the balance until it shows the debit, at most for `lag`, and the refund of a failed
 * payment.
 */
export async function watchWallet(
  context: ProbeContext,
  id: string,
  { before, lag = MAX_LAG, ...options }: WatchOptions & { readonly before: Micro; readonly lag?: number },
): Promise<WatchedPayment> {
  const { now, sleep, plan } = context;
  const watched = await watchPayment(context, id, options);
  const balances = [...watched.balances];
  const isFailed = watched.statuses.at(-1) === 'failed';
  const start = now();
  for (;;) {
    const debited = balances.find(({ balance }) => balance !== before)?.balance;
    const isRefunded = balances.at(-1)?.balance !== debited;
    const limit = debited === undefined ? lag : isFailed && !isRefunded ? plan.timeout : 0;
    if (now() - start > limit || limit === 0) break;
    await sleep(pauseAfter(now() - start));
    balances.push(await timeBalance(context));
  }
  const debited = balances.find(({ balance }) => balance !== before)?.balance;
  const last = balances.at(-1)?.balance;
  const isPartial = isFailed && last !== before && last !== debited;
  // A refund can come in parts.
  if (isPartial) await sleep(SETTLING_DELAY);
  if (isPartial) balances.push(await timeBalance(context));
  return { ...watched, balances };
}

const SETTLING_DELAY = 2_000;
