// What the parts of a run share.
import { writeCents } from '@service/internal';
import type { Client, RawRequest } from './client.ts';
import type { Pair } from './learn/quotes.ts';
import type { ProbePlan } from './options.ts';
import type { WebhookRecorder } from './recorder.ts';
import { type Call, type Facts, sortCalls, type Traffic } from './traffic.ts';

/** What a run uses. */
export interface Run extends Client {
  readonly plan: ProbePlan;
  readonly facts: Facts;
  /** The list to which each request adds. */
  readonly calls: readonly Call[];
  readonly recorder: WebhookRecorder | undefined;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Returns the time of a number of seconds after the start of the run; a longer `timeout` stretches them. */
  readonly after: (seconds: number) => number;
  /** Reports what the run does, and what it waits for. */
  readonly report: (subject: string) => void;
}

/** Sorts the calls so far. */
export const traffic = ({ calls, facts }: Run): Traffic => sortCalls(calls, facts);

/** Returns the order of the plan. */
export const orderOf = ({ plan }: Run): { from_currency: string; to_currency: string; amount: number } => ({
  from_currency: plan.from,
  to_currency: plan.to,
  amount: Number(plan.amount),
});

const toQuote = ({ from, to }: Pair, cents: bigint): RawRequest => ({
  // Two decimals survive the conversion to a double.
  body: { from_currency: from, to_currency: to, amount: Number(writeCents(cents)) },
  isOutage: true,
});

export async function quoteEach({ send }: Run, pair: Pair, amounts: Iterable<bigint>): Promise<Call[]> {
  const calls: Call[] = [];
  for (const amount of amounts) calls.push(await send('/quotes', toQuote(pair, amount)));
  return calls;
}

/** The largest amount of the contract, and the largest one whose hundredths a double represents. */
export const USUAL: bigint = 99_999_999_999n;
export const LARGEST: bigint = 999_999_999_999_999n;

interface Search {
  readonly accepts: (value: bigint) => Promise<boolean>;
  readonly unit: bigint;
}

/** Looks for the accepted value that is next to the rejected ones. */
export async function bisect(rejected: bigint, accepted: bigint, { accepts, unit }: Search): Promise<void> {
  let [outside, inside] = [rejected / unit, accepted / unit];
  while (outside - inside > 1n || inside - outside > 1n) {
    const middle = (outside + inside) / 2n;
    if (await accepts(middle * unit)) inside = middle;
    else outside = middle;
  }
}
