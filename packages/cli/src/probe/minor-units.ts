import type { ProbeContext } from './context.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { CENT, type Micro, writeMicro } from './micro.ts';
import { type Quoted, tryQuote } from './quotes.ts';

const noDecimals = ['JPY', 'KRW', 'VND', 'CLP', 'UGX', 'XOF'] as const;
const threeDecimals = ['KWD', 'BHD'] as const;
const samples = [100_000n, 100_300n, 101_900n, 100_137n, 101_309n, 102_951n] as const;

/**
 * Checks for decimals in currencies without minor units, and for a third decimal in currencies with three.
 */
export async function probeMinorUnits(context: ProbeContext): Promise<Finding[]> {
  const { from } = context.plan;
  for (const currency of threeDecimals) {
    const receive = currency === from ? undefined : await findThirdDecimal(context, currency);
    if (receive !== undefined) return [other('minorUnits', `${writeMicro(receive)} ${currency}`)];
  }
  for (const currency of noDecimals) {
    const finding = currency === from ? undefined : await probeDecimals(context, currency);
    if (finding) return [finding];
  }
  return [
    unknown(
      'minorUnits',
      `no quote from ${from} to ${noDecimals.join(', ')} shows whether amounts have decimals`,
    ),
  ];
}

const MIN_SAMPLES = 2;

async function findThirdDecimal(context: ProbeContext, to: string): Promise<Micro | undefined> {
  for (const cents of samples.slice(0, MIN_SAMPLES)) {
    const quoted = await tryQuote(context, { from: context.plan.from, to }, cents);
    if (quoted === undefined) return undefined;
    if (quoted.receive % CENT !== 0n) return quoted.receive;
  }
  return undefined;
}

/** Measures one currency. Returns undefined if no exact amount has decimals, for example at a rate of 100. */
async function probeDecimals(context: ProbeContext, to: string): Promise<Finding | undefined> {
  const received: string[] = [];
  let rounded = 0;
  for (const cents of samples) {
    const quoted = await tryQuote(context, { from: context.plan.from, to }, cents);
    if (quoted === undefined && received.length === 0) return undefined;
    if (quoted === undefined) continue;
    received.push(writeMicro(quoted.receive));
    if (quoted.receive % ONE !== 0n) return found('minorUnits', 'two', `${received.join(', ')} ${to}`);
    if (hasDecimals(quoted)) rounded += 1;
  }
  return rounded < MIN_SAMPLES ? undefined : found('minorUnits', 'iso', `${received.join(', ')} ${to}`);
}

const ONE = 1_000_000n;

/** Returns true if the exact amount has decimals, whether the fee is deducted or added. */
function hasDecimals({ send, fee, rate }: Quoted): boolean {
  return [send, send - fee].every((amount) => {
    const rest = ((amount * rate) / ONE) % ONE;
    return rest > 2n * CENT && rest < ONE - 2n * CENT;
  });
}
