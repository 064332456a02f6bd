import type { Bench, Experiment } from './bench.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { CENT, type Micro, writeMicro } from './micro.ts';
import { lookAtMinorUnits } from './minor-units.ts';
import { type Pair, quoteCents, type Quoted, tryQuote } from './quotes.ts';

/** Looks at where the fee is, and how fine amounts are. */
export const fees: readonly Experiment[] = [
  { settings: ['feeMode'], look: lookAtFee },
  { settings: ['minorUnits'], look: lookAtMinorUnits },
];

const THOUSAND = 100_000n;
const ONE = 1_000_000n;

async function lookAtFee(bench: Bench): Promise<Finding[]> {
  const { from, to } = bench.plan;
  const quoted = await quoteCents(bench, { from, to }, THOUSAND);
  const evidence = `${writeMicro(quoted.send)} less ${writeMicro(quoted.fee)} at ${writeMicro(quoted.rate)}: ${writeMicro(quoted.receive)}`;
  const isInside = isFigure(quoted, quoted.send - quoted.fee);
  const isBeside = isFigure(quoted, quoted.send);
  if (!isInside && !isBeside) return [other('feeMode', evidence)];
  if (quoted.fee === 0n) return [await lookForMargin(bench, { from, to }, quoted)];
  if (isInside && isBeside)
    return [unknown('feeMode', `too small to show: ${evidence}`, ['inside', 'onTop'])];
  return [found('feeMode', isInside ? 'inside' : 'onTop', evidence)];
}

/** Tells whether an amount makes what is received, up to its rounding and a ten-thousandth for digits that the rate hides. */
function isFigure({ rate, receive }: Quoted, amount: Micro): boolean {
  const product = (amount * rate) / ONE;
  const slack = (receive % ONE === 0n ? ONE : 2n * CENT) + product / 10_000n;
  return product - receive <= slack && receive - product <= slack;
}

/** Changes money there and back: what is kept back in the rate is missing then, twice. */
async function lookForMargin(bench: Bench, { from, to }: Pair, there: Quoted): Promise<Finding> {
  const back = await tryQuote(bench, { from: to, to: from }, THOUSAND);
  if (back === undefined)
    return unknown('feeMode', `no fee, and no quote from ${to} back to ${from}`, ['inRate', 'none']);
  const again = await quoteCents(bench, { from, to }, THOUSAND);
  const evidence = `no fee; ${writeMicro(there.rate)} there and ${writeMicro(back.rate)} back`;
  if (again.rate !== there.rate)
    return unknown('feeMode', `${evidence}, ${writeMicro(again.rate)} there again`, ['inRate', 'none']);
  const [least, most] = [multiply(there.rate, back.rate, -1n), multiply(there.rate, back.rate, 1n)];
  if (most < 999_000n) return found('feeMode', 'inRate', evidence);
  if (least > 999_500n && most < 1_000_500n) return found('feeMode', 'none', evidence);
  return unknown('feeMode', evidence, ['inRate', 'none']);
}

/** Multiplies two rates of which each may be half of its last digit more, or less. */
function multiply(there: Micro, back: Micro, more: bigint): Micro {
  return ((2n * there + more) * (2n * back + more)) / (4n * ONE);
}
