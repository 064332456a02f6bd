import type { Bench } from './bench.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { CENT, type Micro, writeMicro } from './micro.ts';
import { type Quoted, tryQuote } from './quotes.ts';

const coarse = ['JPY', 'KRW', 'VND', 'CLP', 'UGX', 'XOF'] as const;
const fine = ['KWD', 'BHD'] as const;
const samples = [100_000n, 100_300n, 101_900n, 100_137n, 101_309n, 102_951n] as const;

/** Looks for decimals in a currency that has none, and for more than two in one that has three. */
export async function lookAtMinorUnits(bench: Bench): Promise<Finding[]> {
  const { from } = bench.plan;
  for (const currency of fine) {
    const receive = currency === from ? undefined : await findFiner(bench, currency);
    if (receive !== undefined) return [other('minorUnits', `${writeMicro(receive)} ${currency}`)];
  }
  for (const currency of coarse) {
    const finding = currency === from ? undefined : await lookForDecimals(bench, currency);
    if (finding) return [finding];
  }
  return [
    unknown(
      'minorUnits',
      `no quote from ${from} to ${coarse.join(', ')} shows decimals, or that there are none`,
    ),
  ];
}

const ENOUGH_SAMPLES = 2;

async function findFiner(bench: Bench, to: string): Promise<Micro | undefined> {
  for (const cents of samples.slice(0, ENOUGH_SAMPLES)) {
    const quoted = await tryQuote(bench, { from: bench.plan.from, to }, cents);
    if (quoted === undefined) return undefined;
    if (quoted.receive % CENT !== 0n) return quoted.receive;
  }
  return undefined;
}

/** Looks at one currency; undefined when no figure would have had decimals, such as at a rate of a hundred. */
async function lookForDecimals(bench: Bench, to: string): Promise<Finding | undefined> {
  const shown: string[] = [];
  let rounded = 0;
  for (const cents of samples) {
    const quoted = await tryQuote(bench, { from: bench.plan.from, to }, cents);
    if (quoted === undefined && shown.length === 0) return undefined;
    if (quoted === undefined) continue;
    shown.push(writeMicro(quoted.receive));
    if (quoted.receive % ONE !== 0n) return found('minorUnits', 'two', `${shown.join(', ')} ${to}`);
    if (hasDecimals(quoted)) rounded += 1;
  }
  return rounded < ENOUGH_SAMPLES ? undefined : found('minorUnits', 'iso', `${shown.join(', ')} ${to}`);
}

const ONE = 1_000_000n;

/** Tells whether the exact figure has decimals, wherever the fee is. */
function hasDecimals({ send, fee, rate }: Quoted): boolean {
  return [send, send - fee].every((amount) => {
    const rest = ((amount * rate) / ONE) % ONE;
    return rest > 2n * CENT && rest < ONE - 2n * CENT;
  });
}
