// What the requests of a run share.
import { CENT, type Micro, writeMicro } from '@service/internal';
import { type Call, readBalance } from './call.ts';
import type { Client, RawRequest } from './client.ts';
import { NoResponse } from './finding.ts';
import type { ProbePlan } from './options.ts';
import type { Seen } from './seen.ts';

/** What a step of a run uses. */
export interface Run extends Client {
  readonly plan: ProbePlan;
  /** Returns what the run has seen so far. */
  readonly seen: () => Seen;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Returns the time of a number of seconds after the start of the run. */
  readonly after: (seconds: number) => number;
}

/** Currencies without minor units. */
export const noDecimals: readonly string[] = ['JPY', 'KRW', 'VND', 'CLP', 'UGX', 'XOF'];

/** Returns the fields of a quote of the plan. */
export function orderOf({ plan }: Run): { from_currency: string; to_currency: string; amount: number } {
  return { from_currency: plan.from, to_currency: plan.to, amount: Number(plan.amount) };
}

/** Asks for a quote of the plan; `changes` override its fields. */
export function quote(run: Run, changes: object, request: RawRequest = {}): Promise<Call> {
  return run.send('/quotes', { ...request, body: { ...orderOf(run), ...changes } });
}

/** Asks for quotes of amounts in hundredths. Two decimals survive the conversion to a double. */
export async function quoteEach(
  run: Run,
  from: string,
  to: string,
  cents: Iterable<bigint>,
  label = 'quotes',
): Promise<Call[]> {
  const calls: Call[] = [];
  for (const amount of cents) {
    const changes = { from_currency: from, to_currency: to, amount: Number(writeMicro(amount * CENT)) };
    calls.push(await quote(run, changes, { label }));
  }
  return calls;
}

/** The most payments of a run. */
const MAX_PAYMENTS = 40;

/**
 * Creates a payment of the plan; `changes` override its fields.
 *
 * @throws {NoResponse} when the run has created its most payments.
 */
export async function pay(run: Run, changes: object = {}, request: RawRequest = {}): Promise<Call> {
  const creates = run.seen().calls.filter(({ operation }) => operation === 'createPayment');
  if (creates.filter(({ response }) => response.accepted).length >= MAX_PAYMENTS)
    throw new NoResponse(`a run creates at most ${MAX_PAYMENTS} payments`);
  const body = { ...orderOf(run), beneficiary_name: 'Probe', ...changes };
  return run.send('/payments', { label: 'payments', ...request, body });
}

/** Returns the id of a created payment. Undefined if the request created none. */
export function idOf({ response }: Call): string | undefined {
  const { id } = response.accepted ? response.data : {};
  return typeof id === 'string' && /^[\w-]+$/.test(id) ? id : undefined;
}

/** Reads the balance of the currency of the plan. */
export async function readWallet(run: Run): Promise<Micro | undefined> {
  return readBalance(await run.send('/balance'), run.plan.from);
}

/**
 * Returns a whole amount above the balance, so that no payment of it is created. Undefined if every amount is covered, or if
 * quotes of it are refused: then a refused payment does not show a lack of funds.
 */
export async function findLackingAmount(run: Run): Promise<number | undefined> {
  const balance = await readWallet(run);
  const amount = Number((balance ?? 0n) / 1_000_000n) + 1_000;
  if (balance === undefined || amount > 999_999_999) return undefined;
  const { response } = await quote(run, { amount }, { label: 'quotes' });
  return response.accepted ? amount : undefined;
}

/** Looks for the accepted value that is next to the rejected ones. */
export async function bisect(
  rejected: bigint,
  accepted: bigint,
  unit: bigint,
  accepts: (value: bigint) => Promise<boolean>,
): Promise<bigint> {
  let [outside, inside] = [rejected / unit, accepted / unit];
  while (outside - inside > 1n || inside - outside > 1n) {
    const middle = (outside + inside) / 2n;
    if (await accepts(middle * unit)) inside = middle;
    else outside = middle;
  }
  return inside * unit;
}
