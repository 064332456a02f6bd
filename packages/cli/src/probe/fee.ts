import type { Bench, Experiment } from './bench.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { CENT, writeMicro } from './micro.ts';
import { type Pair, quoteCents, type Quoted, tryQuote } from './quotes.ts';

/** Looks at where the fee is, and how fine amounts are. */
export const fees: readonly Experiment[] = [
  { settings: ['feeMode'], look: lookAtFee },
  { settings: ['minorUnits'], look: lookAtMinorUnits },
];

const THOUSAND = 100_000n;

async function lookAtFee(bench: Bench): Promise<Finding[]> {
  const { from, to } = bench.plan;
  const quoted = await quoteCents(bench, { from, to }, THOUSAND);
  const evidence = `${writeMicro(quoted.send)} less ${writeMicro(quoted.fee)} at ${writeMicro(quoted.rate)}: ${writeMicro(quoted.receive)}`;
  const isInside = isFigure(quoted, quoted.send - quoted.fee);
  const isBeside = isFigure(quoted, quoted.send);
  if (quoted.fee > 0n && isInside !== isBeside)
    return [found('feeMode', isInside ? 'inside' : 'onTop', evidence)];
  if (quoted.fee === 0n && isBeside) return [await lookForMargin(bench, { from, to }, quoted)];
  return [other('feeMode', evidence)];
}

/** Tells whether an amount makes what is received, up to a cent for the rounding and what the six places of the rate hide. */
function isFigure({ rate, receive }: Quoted, amount: bigint): boolean {
  const difference = (amount * rate) / 1_000_000n - receive;
  const slack = 2n * CENT + amount / 1_000_000n;
  return difference <= slack && difference >= -slack;
}

/** Changes money there and back: what is kept back in the rate is missing then, twice. */
async function lookForMargin(bench: Bench, { from, to }: Pair, there: Quoted): Promise<Finding> {
  const back = await tryQuote(bench, { from: to, to: from }, THOUSAND);
  if (back === undefined)
    return unknown('feeMode', `no fee, and no quote from ${to} back to ${from}`, ['inRate', 'none']);
  const product = (there.rate * back.rate) / 1_000_000n;
  const evidence = `no fee; ${writeMicro(there.rate)} there and ${writeMicro(back.rate)} back make ${writeMicro(product)}`;
  if (product < 999_000n) return found('feeMode', 'inRate', evidence);
  if (product > 999_500n) return found('feeMode', 'none', evidence);
  return unknown('feeMode', evidence, ['inRate', 'none']);
}

const coarse = ['JPY', 'KRW', 'VND', 'CLP', 'UGX', 'XOF'] as const;
const samples = [100_000n, 100_100n, 100_300n, 100_700n, 101_300n, 101_900n, 102_900n] as const;

/** Looks for decimals in a currency that has none: two rates in a hundred give a whole number by chance, seven never do. */
async function lookAtMinorUnits(bench: Bench): Promise<Finding[]> {
  const { from, to } = bench.plan;
  for (const currency of coarse) {
    if (currency === from || currency === to) continue;
    const first = await tryQuote(bench, { from, to: currency }, samples[0]);
    if (first === undefined) continue;
    return [await lookForDecimals(bench, { from, to: currency }, first)];
  }
  return [unknown('minorUnits', `no quote from ${from} to ${coarse.join(', ')}`)];
}

async function lookForDecimals(bench: Bench, pair: Pair, first: Quoted): Promise<Finding> {
  const shown: string[] = [];
  for (const cents of samples) {
    const { receive } = cents === samples[0] ? first : await quoteCents(bench, pair, cents);
    shown.push(writeMicro(receive));
    if (receive % 1_000_000n !== 0n) return found('minorUnits', 'two', `${shown.join(', ')} ${pair.to}`);
  }
  return found('minorUnits', 'iso', `${shown.join(', ')} ${pair.to}`);
}
