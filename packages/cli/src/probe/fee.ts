import type { ProbeContext, Experiment } from './context.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { CENT, type Micro, writeMicro } from './micro.ts';
import { probeMinorUnits } from './minor-units.ts';
import { type Pair, quoteCents, type Quoted, tryQuote } from './quotes.ts';

/** The experiments about the fee and the number of decimals. */
export const fees: readonly Experiment[] = [
  { settings: ['feeMode'], run: probeFee },
  { settings: ['minorUnits'], run: probeMinorUnits },
];

const THOUSAND = 100_000n;
const ONE = 1_000_000n;

async function probeFee(context: ProbeContext): Promise<Finding[]> {
  const { from, to } = context.plan;
  const quoted = await quoteCents(context, { from, to }, THOUSAND);
  const evidence = `send_amount ${writeMicro(quoted.send)}, fee ${writeMicro(quoted.fee)}, rate ${writeMicro(quoted.rate)}, receive_amount ${writeMicro(quoted.receive)}`;
  const isInside = matchesReceiveAmount(quoted, quoted.send - quoted.fee);
  const isOnTop = matchesReceiveAmount(quoted, quoted.send);
  if (!isInside && !isOnTop) return [other('feeMode', evidence)];
  if (quoted.fee === 0n) return [await probeMargin(context, { from, to }, quoted)];
  if (isInside && isOnTop)
    return [unknown('feeMode', `the fee is too small to be measured: ${evidence}`, ['inside', 'onTop'])];
  return [found('feeMode', isInside ? 'inside' : 'onTop', evidence)];
}

/**
 * Returns true if an amount at the rate of the quote gives `receive_amount`. The tolerance is the rounding
 * and 0.01 % for hidden digits of the rate.
 */
function matchesReceiveAmount({ rate, receive }: Quoted, amount: Micro): boolean {
  const product = (amount * rate) / ONE;
  const slack = (receive % ONE === 0n ? ONE : 2n * CENT) + product / 10_000n;
  return product - receive <= slack && receive - product <= slack;
}

/** Quotes both directions: a margin in the rate is deducted in each of them. */
async function probeMargin(context: ProbeContext, { from, to }: Pair, there: Quoted): Promise<Finding> {
  const back = await tryQuote(context, { from: to, to: from }, THOUSAND);
  if (back === undefined)
    return unknown('feeMode', `no fee, and no quote from ${to} to ${from}`, ['inRate', 'none']);
  const again = await quoteCents(context, { from, to }, THOUSAND);
  const evidence = `no fee; rate ${writeMicro(there.rate)} to ${to}, rate ${writeMicro(back.rate)} back to ${from}`;
  if (again.rate !== there.rate)
    return unknown('feeMode', `${evidence}, then rate ${writeMicro(again.rate)} to ${to}`, [
      'inRate',
      'none',
    ]);
  const [least, most] = [multiply(there.rate, back.rate, -1n), multiply(there.rate, back.rate, 1n)];
  if (most < 999_000n) return found('feeMode', 'inRate', evidence);
  if (least > 999_500n && most < 1_000_500n) return found('feeMode', 'none', evidence);
  return unknown('feeMode', evidence, ['inRate', 'none']);
}

/** Multiplies two rates, each shifted by half of its last digit in the direction of `shift`. */
function multiply(there: Micro, back: Micro, shift: bigint): Micro {
  return ((2n * there + shift) * (2n * back + shift)) / (4n * ONE);
}
