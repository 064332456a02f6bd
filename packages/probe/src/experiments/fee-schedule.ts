import { FEE_PARTS, type FeeRule, type Micro, writeCents, writeMicro } from '@service/internal';
import { readBalances } from '../balances.ts';
import type { ProbeContext } from '../context.ts';
import { type Finding, found, Inconclusive, other, unknown } from '../finding.ts';
import { askFee, type Pair, type Quoted, tryQuote } from '../quote.ts';
import { agrees, type FeePoint } from './fit-fees.ts';
import { type MeasuredFees, measureFees } from './measure-fees.ts';
import { noDecimals } from './no-decimals.ts';

const ONE = 1_000_000n;
const THOUSAND = 100_000n;

/** Measures the fee schedule: that of the pair of the plan, of other destinations, and of other wallets. */
export async function probeSchedule(context: ProbeContext, { fee }: Quoted): Promise<Finding> {
  const { from, to } = context.plan;
  const pair = { from, to };
  const main = await measure(context, pair, noDecimals.includes(from) && fee % ONE === 0n ? 100n : 1n);
  if (main.rule === undefined) return other('fees', `no rule gives the fees ${formatPoints(main, pair)}`);
  const [usual = [], ...special] = groupDestinations(context);
  const rows: SourceRules[] = [];
  const evidence = [`${describeRule(main.rule)}: ${formatPoints(main, pair)}`];
  for (const source of [from, ...(await listSources(context))]) {
    const [first] = rows;
    const row: SourceRules = { source, usual: main.rule, same: undefined, special: [] };
    const find = async (
      target: string | undefined,
      rules: readonly FeeRule[],
    ): Promise<FeeRule | undefined> => {
      if (target === undefined) return undefined;
      const measured = await measureOther(context, { from: source, to: target }, rules);
      if (measured === undefined) return undefined;
      const { rule } = measured;
      if (rule === undefined)
        throw new Inconclusive(
          `no rule gives the fees ${formatPoints(measured, { from: source, to: target })}`,
        );
      evidence.push(`${rule === main.rule ? 'the same' : describeRule(rule)} from ${source} to ${target}`);
      return rule;
    };
    if (source !== from) row.usual = await find(chooseTarget([from, ...usual], source), [main.rule]);
    const own = row.usual ?? main.rule;
    row.same = await find(source, [own]);
    for (const [index, group] of special.entries())
      row.special.push(await find(chooseTarget(group, source), [first?.special[index], own].filter(isGiven)));
    rows.push(row);
  }
  return found('fees', combineRules(rows, special), `${evidence.join('; ')}; others were not asked`);
}

const isGiven = <Value>(value: Value | undefined): value is Value => value !== undefined;

/** The rules of the payments from one currency. Undefined for pairs that the service rejects. */
interface SourceRules {
  readonly source: string;
  usual: FeeRule | undefined;
  /** The rule of payments to the same currency. */
  same: FeeRule | undefined;
  /** The rule of each group of destinations with other fees. */
  readonly special: (FeeRule | undefined)[];
}

function chooseTarget(group: readonly string[], source: string): string | undefined {
  return group.find((code) => code !== source);
}

/** The most wallets whose fees are measured besides that of the plan. */
const MAX_SOURCES = 3;

/** Returns the currencies of the other wallets, and the destination of the plan. */
async function listSources(context: ProbeContext): Promise<string[]> {
  const { from, to } = context.plan;
  const codes = new Set([to, ...(await readBalances(context)).keys()]);
  codes.delete(from);
  return [...codes].slice(0, MAX_SOURCES);
}

/** The most groups of destinations whose rules are measured. */
const MAX_GROUPS = 4;

/** Returns the destinations with the same fees from the currency of the plan. The first group has that of the plan. */
function groupDestinations({ plan: { from, to }, market: { quotes } }: ProbeContext): string[][] {
  const groups = new Map<bigint, string[]>([[quotes.get(`${from}/${to}`)?.fee ?? 0n, []]]);
  for (const [pair, { fee }] of quotes) {
    const [source, target = ''] = pair.split('/');
    if (source === from) groups.set(fee, [...(groups.get(fee) ?? []), target]);
  }
  return [...groups.values()].slice(0, MAX_GROUPS);
}

/**
 * Combines rules, the most particular first: those of a pair, of a destination, of a source, and last the one of all
 * others. The rule of a destination is that of every source, unless the other sources have their usual rule there.
 */
function combineRules(rows: readonly SourceRules[], special: readonly (readonly string[])[]): FeeRule[] {
  const [main, ...others] = rows as readonly [SourceRules, ...SourceRules[]];
  const ofPairs: FeeRule[] = rows.flatMap(({ source, same, usual = main.usual }) =>
    same === undefined || same === usual ? [] : [{ from: source, to: source, ...same }],
  );
  const ofTargets: FeeRule[] = [];
  for (const [index, group] of special.entries()) {
    const rule = main.special[index];
    const different = others.filter((row) => isGiven(row.special[index]) && row.special[index] !== rule);
    const isOfMain =
      different.length > 0 && different.every((row) => row.special[index] === (row.usual ?? main.usual));
    for (const to of rule === undefined ? [] : group) {
      if (isOfMain) ofPairs.push({ from: main.source, to, ...rule });
      else {
        ofPairs.push(...different.map((row) => ({ from: row.source, to, ...row.special[index] })));
        ofTargets.push({ to, ...rule });
      }
    }
  }
  const ofSources = others.flatMap(({ source, usual }) =>
    usual === undefined || usual === main.usual ? [] : [{ from: source, ...usual }],
  );
  const all = [...ofPairs, ...ofTargets, ...ofSources, ...(main.usual === undefined ? [] : [main.usual])];
  return dropRepeated(all, listPairs(rows, special));
}

/** A pair and its rule. */
type PairRule = readonly [from: string, to: string, rule: FeeRule];

/** Returns the pairs whose rules were measured, or follow from those of their group. */
function listPairs(rows: readonly SourceRules[], special: readonly (readonly string[])[]): PairRule[] {
  return rows.flatMap(({ source, usual, same, special: rules }) => [
    ...(same === undefined ? [] : [[source, source, same] as const]),
    ...(usual === undefined ? [] : [[source, 'the usual destination', usual] as const]),
    ...special.flatMap((group, index) =>
      group.flatMap((to): PairRule[] => {
        const rule = rules[index];
        return rule === undefined || to === source ? [] : [[source, to, rule]];
      }),
    ),
  ]);
}

function writeRule({ percent, flat, minimum, maximum, rounding }: FeeRule): string {
  return JSON.stringify({ percent, flat, minimum, maximum, rounding });
}

/** Leaves out the rules without which all pairs have the same ones, because a later rule is equal. */
function dropRepeated(rules: readonly FeeRule[], pairs: readonly PairRule[]): FeeRule[] {
  const isComplete = (some: readonly FeeRule[]): boolean =>
    pairs.every(([from, to, rule]) => {
      const first = some.find((each) => (each.from ?? from) === from && (each.to ?? to) === to);
      return first !== undefined && writeRule(first) === writeRule(rule);
    });
  return rules.reduce<readonly FeeRule[]>((left, rule) => {
    const without = left.filter((each) => each !== rule);
    return isComplete(without) ? without : left;
  }, rules) as FeeRule[];
}

/** Small, medium and large amounts that show whether a pair has the rule of another pair. */
const samples = [1_000n, 12_300n, 456_700n, 98_765_400n] as const;

/** Returns the rule of another pair, one of `rules` if that gives all fees. Undefined if the service rejects the pair. */
async function measureOther(
  context: ProbeContext,
  pair: Pair,
  rules: readonly FeeRule[],
): Promise<MeasuredFees | undefined> {
  const unit = noDecimals.includes(pair.from) ? 100n : 1n;
  const points = await askFees(context, pair);
  if (points.length === 0) return undefined;
  const rule = rules.find((each) => agrees(each, points, unit));
  if (rule !== undefined) return { rule, points };
  return measure(context, pair, points.every(({ fee }) => fee % unit === 0n) ? unit : 1n);
}

/** Measures the rule of a pair. */
async function measure(context: ProbeContext, pair: Pair, unit: bigint): Promise<MeasuredFees> {
  return measureFees((amount) => askFee(context, pair, amount), { unit });
}

/** Returns the fees of the samples that a pair has. */
async function askFees(context: ProbeContext, pair: Pair): Promise<FeePoint[]> {
  const fees = await Promise.all(samples.map((amount) => askFee(context, pair, amount)));
  return samples.flatMap((amount, index) => {
    const fee = fees[index];
    return fee !== undefined && fee < amount ? [{ amount, fee }] : [];
  });
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
function describeRule({ percent, flat, minimum, maximum, rounding }: FeeRule): string {
  const parts = [
    ...(percent === undefined ? [] : [`${percent} %`]),
    ...(flat === undefined ? [] : [`${percent === undefined ? '' : 'plus '}${flat}`]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(rounding === undefined ? [] : [`rounded ${rounding}`]),
  ];
  return parts.join(', ') || 'no fee';
}

/** Measures the margin in the rate, in percent: a quote without an exchange has only it, and both directions of a pair have it. */
export async function probeMarginPercent(context: ProbeContext): Promise<Finding> {
  const { from, to } = context.plan;
  const same = await tryQuote(context, { from, to: from }, THOUSAND);
  if (same !== undefined && same.rate < ONE) {
    const ofTarget = await tryQuote(context, { from: to, to }, THOUSAND);
    const seen = `rate ${writeMicro(same.rate)} from ${from} to ${from}`;
    if (ofTarget !== undefined && ofTarget.rate !== same.rate)
      return unknown('fees', `${seen}, rate ${writeMicro(ofTarget.rate)} from ${to} to ${to}`);
    return found('fees', [{ percent: writeMicro((ONE - same.rate) * 100n) }], seen);
  }
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
