import { CENT, type Micro, toMicro, writeMicro } from '@service/internal';
import { readBalance } from '../balances.ts';
import { createTestPayment, type ProbeContext } from '../context.ts';
import { findLimits } from './extra-statuses.ts';
import { awaitDebits } from './retries.ts';
import { watchPayment } from './watch.ts';

/** The amounts of the payments, in multiples of the amount of the plan. */
const FACTORS = [100n, 1_000n];

/** Number of times that payments between two amounts are created. */
const MAX_ROUNDS = 3;

/**
 * Watches payments of several amounts. If only those from some amount on pass through an extra status, or only those up to
 * it, creates payments between the two nearest amounts.
 */
export async function watchAmounts(context: ProbeContext): Promise<void> {
  // Others would take as long as the plan watches a payment.
  if (!context.watched.some(({ statuses }) => statuses.includes('completed'))) return;
  const amount = toMicro(context.plan.amount) ?? 0n;
  await watchPayments(
    context,
    FACTORS.map((factor) => amount * factor),
  );
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const amounts = findLimits(context.watched).flatMap(([low, high]) => chooseBetween(low, high));
    if (amounts.length === 0) return;
    await watchPayments(context, [...new Set(amounts)]);
  }
}

/** The part of the balance that payments of one round can use: the experiments that follow need the rest. */
const SHARE = 4n;

/** Creates payments at once and watches them until they are final and the balance shows them. */
async function watchPayments(context: ProbeContext, amounts: readonly Micro[]): Promise<void> {
  const before = await readBalance(context);
  let total = 0n;
  const watches: Promise<unknown>[] = [];
  for (const amount of amounts) {
    if (total + amount > before / SHARE) continue;
    const response = await createTestPayment(context, { amount: Number(writeMicro(amount)) });
    const id = response.accepted ? response.data.id : undefined;
    // Amounts can have limits.
    if (typeof id !== 'string') continue;
    total += amount;
    watches.push(watchPayment(context, id, { until: ['completed', 'failed'], hasBalance: false }));
  }
  await Promise.all(watches);
  const failed = context.watched.slice(-watches.length).filter(({ statuses }) => statuses.includes('failed'));
  if (watches.length > 0 && failed.length === 0) await awaitDebits(context, before, total);
}

/**
 * Returns the roundest amounts between two amounts, and their neighbors: a condition can include its limit or not. Empty if
 * there is nothing between them.
 */
function chooseBetween(low: Micro, high: Micro): Micro[] {
  const rounded = [low, high].filter(isRound);
  const neighbors = [...rounded, ...listRoundest(low, high)].flatMap((one) => [one - CENT, one, one + CENT]);
  return neighbors.filter((one) => one > low && one < high);
}

/** Number of round amounts of one round of payments. */
const ROUND_AMOUNTS = 2;
const mantissas = [10n, 50n, 20n, 30n, 40n, 60n, 70n, 80n, 90n, 15n, 25n, 35n, 45n, 55n, 65n, 75n, 85n, 95n];

function isRound(amount: Micro): boolean {
  return amount % (CENT * 100n) === 0n;
}

function listRoundest(low: Micro, high: Micro): Micro[] {
  const powers = Array.from({ length: 12 }, (_, power) => CENT * 10n ** BigInt(power));
  const all = mantissas.flatMap((mantissa) => powers.map((power) => mantissa * power));
  return all.filter((one) => one > low && one < high).slice(0, ROUND_AMOUNTS);
}
