import { FEE_PARTS, type FeeRule, type Micro, writeCents, writeMicro } from '@service/internal';
import type { ProbeContext } from '../context.ts';
import { type Finding, found, other, unknown } from '../finding.ts';
import { askFee, type Pair, type Quoted, tryQuote } from '../quote.ts';
import { agrees, type FeePoint } from './fit-fees.ts';
import { type MeasuredFees, measureFees } from './measure-fees.ts';
import { noDecimals } from './no-decimals.ts';

const ONE = 1_000_000n;
const THOUSAND = 100_000n;

/** Measures the fee schedule of the pair of the plan, and whether two other pairs have the same. */
export async function probeSchedule(context: ProbeContext, { fee }: Quoted): Promise<Finding> {
  const { from, to } = context.plan;
  const unit = noDecimals.includes(from) && fee % ONE === 0n ? 100n : 1n;
  const pair = { from, to };
  const main = await measureFees((amount) => askFee(context, pair, amount), { unit });
  if (main.rule === undefined) return other('fees', `no rule gives the fees ${formatPoints(main, pair)}`);
  const rules: FeeRule[] = [main.rule];
  const evidence = [`${describeRule(main.rule)}: ${formatPoints(main, pair)}`];
  for (const [scope, another] of listOtherPairs(context.plan)) {
    const measured = await measureOther(context, another, main.rule);
    const title = `${another.from} to ${another.to}`;
    if (measured === undefined) continue;
    if (measured.rule === undefined)
      return other('fees', `no rule gives the fees ${formatPoints(measured, another)}`);
    if (measured.rule === main.rule) evidence.push(`the same from ${title}`);
    else {
      const isForAny =
        scope.to !== undefined && (await isRuleOf(context, { from: to, to: scope.to }, measured.rule));
      rules.unshift({ ...(isForAny ? { to: scope.to } : scope), ...measured.rule });
      evidence.push(`from ${title}${isForAny ? ` and from ${to}` : ''} ${describeRule(measured.rule)}`);
    }
  }
  return found('fees', rules, `${evidence.join('; ')}; other currencies were not asked`);
}

/** Returns pairs with another destination and with another source, and the currencies of their rules. */
function listOtherPairs({ from, to }: Pair): [scope: Pick<FeeRule, 'from' | 'to'>, pair: Pair][] {
  const another = ['GBP', 'USD'].find((code) => code !== from && code !== to) ?? 'EUR';
  return [
    [{ from: to }, { from: to, to: from }],
    // Last, so that its rule is before that of its other source.
    [
      { from, to: another },
      { from, to: another },
    ],
  ];
}

/** Small, medium and large amounts that show whether a pair has the rule of another pair. */
const samples = [1_000n, 12_300n, 456_700n, 98_765_400n] as const;

/** Returns the rule of another pair, which is `rule` if it gives all fees. Undefined if the service rejects the pair. */
async function measureOther(
  context: ProbeContext,
  pair: Pair,
  rule: FeeRule,
): Promise<MeasuredFees | undefined> {
  const unit = noDecimals.includes(pair.from) ? 100n : 1n;
  const points = await askFees(context, pair);
  if (points.length === 0) return undefined;
  if (agrees(rule, points, unit)) return { rule, points };
  return measureFees((amount) => askFee(context, pair, amount), {
    unit: points.every(({ fee }) => fee % unit === 0n) ? unit : 1n,
  });
}

/** Returns the fees of the samples that a pair has. */
async function askFees(context: ProbeContext, pair: Pair): Promise<FeePoint[]> {
  const points: FeePoint[] = [];
  for (const amount of samples) {
    const fee = await askFee(context, pair, amount);
    if (fee !== undefined && fee < amount) points.push({ amount, fee });
  }
  return points;
}

/** Returns whether a rule gives the fees of a pair. */
async function isRuleOf(context: ProbeContext, pair: Pair, rule: FeeRule): Promise<boolean> {
  const points = await askFees(context, pair);
  return points.length > 0 && agrees(rule, points, noDecimals.includes(pair.from) ? 100n : 1n);
}

const SHOWN = 6;

/** Formats some of the points, from the smallest to the largest amount. */
function formatPoints({ points }: MeasuredFees, { from }: Pair): string {
  const sorted = points.toSorted((one, two) => (one.amount < two.amount ? -1 : 1));
  const every = Math.max(1, Math.ceil(sorted.length / SHOWN));
  const shown = sorted.filter((_, index) => index % every === every - 1);
  const texts = shown.map(({ amount, fee }) => `${writeCents(fee)} on ${writeCents(amount)} ${from}`);
  return `${texts.join(', ')} (${points.length} amounts)`;
}

/** Describes a rule in words. */
function describeRule({ percent, flat, minimum, maximum }: FeeRule): string {
  const parts = [
    ...(percent === undefined ? [] : [`${percent} %`]),
    ...(flat === undefined ? [] : [`${percent === undefined ? '' : 'plus '}${flat}`]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ];
  return parts.join(', ') || 'no fee';
}

/** Measures the margin in the rate, in percent: a quote without an exchange has only it, and both directions of a pair have it. */
export async function probeMarginPercent(context: ProbeContext): Promise<Finding> {
  const { from, to } = context.plan;
  const same = await tryQuote(context, { from, to: from }, THOUSAND);
  if (same !== undefined && same.rate < ONE)
    return found(
      'fees',
      [{ percent: writeMicro((ONE - same.rate) * 100n) }],
      `rate ${writeMicro(same.rate)} from ${from} to ${from}`,
    );
  const there = await tryQuote(context, { from, to }, THOUSAND);
  const back = await tryQuote(context, { from: to, to: from }, THOUSAND);
  if (there === undefined || back === undefined) return unknown('fees', `no quote from ${to} to ${from}`);
  const evidence = `rate ${writeMicro(there.rate)} to ${to}, rate ${writeMicro(back.rate)} back to ${from}`;
  const percent = findMargin(there.rate, back.rate);
  return percent === undefined
    ? unknown('fees', `the margin does not follow from ${evidence}`)
    : found('fees', [{ percent }], `both directions together lose twice ${percent} %: ${evidence}`);
}

const MAX_PERCENT = 20n;

/** Returns the percentage with the fewest decimals that explains two rates, which are rounded to six decimals. */
function findMargin(there: Micro, back: Micro): string | undefined {
  const [least, most] = [(there - 1n) * (back - 1n), (there + 1n) * (back + 1n)];
  for (let decimals = 0; decimals <= 4; decimals += 1) {
    const step = 10n ** BigInt(6 - decimals);
    for (let percent = step; percent <= MAX_PERCENT * ONE; percent += step) {
      const kept = (FEE_PARTS - percent) ** 2n / 10_000n;
      if (kept >= least && kept <= most) return writeMicro(percent);
    }
  }
  return undefined;
}
