import { CENT, type Micro, writeMicro } from '@service/internal';
import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, Inconclusive, NoResponse, other, unknown } from '../finding.ts';
import { type Pair, quoteCents, type Quoted, tryQuote } from '../quote.ts';
import { probeMarginPercent, probeSchedule } from './fee-schedule.ts';
import { noDecimals } from './no-decimals.ts';

/** The experiments about the fee and the number of decimals. */
export const fees: readonly Experiment[] = [
  { settings: ['feeMode', 'fees'], run: probeFee },
  { settings: ['minorUnits'], run: probeMinorUnits },
];

const THOUSAND = 100_000n;
const ONE = 1_000_000n;

async function probeFee(context: ProbeContext): Promise<Finding[]> {
  const { from, to } = context.plan;
  const quoted = await quoteCents(context, { from, to }, THOUSAND);
  const feeMode = await probeFeeMode(context, quoted);
  return [feeMode, await probeFeeRules(context, quoted, feeMode)];
}

async function probeFeeRules(context: ProbeContext, quoted: Quoted, feeMode: Finding): Promise<Finding> {
  const isInRate = feeMode.state === 'found' && feeMode.value === 'inRate';
  try {
    if (quoted.fee > 0n) return await probeSchedule(context, quoted);
    return isInRate ? await probeMarginPercent(context) : unknown('fees', 'no quote has a fee');
  } catch (error) {
    // A missing response makes the run incomplete.
    if (!(error instanceof Inconclusive) || error instanceof NoResponse) throw error;
    return unknown('fees', error.message);
  }
}

async function probeFeeMode(context: ProbeContext, quoted: Quoted): Promise<Finding> {
  const { from, to } = context.plan;
  const evidence = `send_amount ${writeMicro(quoted.send)}, fee ${writeMicro(quoted.fee)}, rate ${writeMicro(quoted.rate)}, receive_amount ${writeMicro(quoted.receive)}`;
  const isInside = matchesReceiveAmount(quoted, quoted.send - quoted.fee);
  const isOnTop = matchesReceiveAmount(quoted, quoted.send);
  if (!isInside && !isOnTop) return other('feeMode', evidence);
  if (quoted.fee === 0n) return probeMargin(context, { from, to }, quoted);
  if (isInside && isOnTop)
    return unknown('feeMode', `the fee is too small to be measured: ${evidence}`, ['inside', 'onTop']);
  return found('feeMode', isInside ? 'inside' : 'onTop', evidence);
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

/** The number of times that both directions are quoted while the rate changes. */
const MAX_MARGIN_QUOTES = 5;

/** Quotes both directions: a margin in the rate is deducted in each of them. */
async function probeMargin(context: ProbeContext, { from, to }: Pair, quoted: Quoted): Promise<Finding> {
  let there = quoted;
  for (let quotes = 1; ; quotes += 1) {
    const back = await tryQuote(context, { from: to, to: from }, THOUSAND);
    if (back === undefined)
      return unknown('feeMode', `no fee, and no quote from ${to} to ${from}`, ['inRate', 'none']);
    const again = await quoteCents(context, { from, to }, THOUSAND);
    const evidence = `no fee; rate ${writeMicro(there.rate)} to ${to}, rate ${writeMicro(back.rate)} back to ${from}`;
    if (again.rate === there.rate) {
      const same = await tryQuote(context, { from, to: from }, THOUSAND);
      return evaluateMargin({ there, back, same }, evidence);
    }
    if (quotes === MAX_MARGIN_QUOTES)
      return unknown('feeMode', `${evidence}, then rate ${writeMicro(again.rate)} to ${to}`, [
        'inRate',
        'none',
      ]);
    there = again;
  }
}

interface MarginQuotes {
  readonly there: Quoted;
  readonly back: Quoted;
  /** A quote from a currency to itself; undefined if the service rejects it. */
  readonly same: Quoted | undefined;
}

/** Determines a fee in the rate. A quote without an exchange has only the fee, the others also the spread of the rates. */
function evaluateMargin({ there, back, same }: MarginQuotes, evidence: string): Finding {
  if (same !== undefined)
    return found(
      'feeMode',
      same.rate < ONE ? 'inRate' : 'none',
      `${evidence}; rate ${writeMicro(same.rate)} without an exchange`,
    );
  const [least, most] = [multiply(there.rate, back.rate, -1n), multiply(there.rate, back.rate, 1n)];
  if (most < 999_000n) return found('feeMode', 'inRate', evidence);
  if (least > 999_500n && most < 1_000_500n) return found('feeMode', 'none', evidence);
  return unknown('feeMode', evidence, ['inRate', 'none']);
}

/** Multiplies two rates, each shifted by half of its last digit in the direction of `shift`. */
function multiply(there: Micro, back: Micro, shift: bigint): Micro {
  return ((2n * there + shift) * (2n * back + shift)) / (4n * ONE);
}

const threeDecimals = ['KWD', 'BHD'] as const;
const samples = [100_000n, 100_300n, 101_900n, 100_137n, 101_309n, 102_951n] as const;

/**
 * Checks for decimals in currencies without minor units, and for a third decimal in currencies with three.
 */
async function probeMinorUnits(context: ProbeContext): Promise<Finding[]> {
  const { from } = context.plan;
  for (const currency of threeDecimals) {
    const receive = currency === from ? undefined : await findThirdDecimal(context, currency);
    if (receive !== undefined) return [other('minorUnits', `${writeMicro(receive)} ${currency}`)];
  }
  const currencies = noDecimals.filter((currency) => currency !== from);
  let isAnyQuoted = false;
  for (const currency of currencies) {
    const finding = await probeDecimals(context, currency);
    if (finding === 'rejected') continue;
    isAnyQuoted = true;
    if (finding) return [finding];
  }
  const pairs = `from ${from} to ${currencies.join(', ')}`;
  return [
    unknown(
      'minorUnits',
      isAnyQuoted
        ? `no quote ${pairs} shows whether amounts have decimals`
        : `the service rejects quotes ${pairs}`,
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
async function probeDecimals(context: ProbeContext, to: string): Promise<Finding | 'rejected' | undefined> {
  const received: string[] = [];
  let rounded = 0;
  for (const cents of samples) {
    const quoted = await tryQuote(context, { from: context.plan.from, to }, cents);
    if (quoted === undefined && received.length === 0) return 'rejected';
    if (quoted === undefined) continue;
    received.push(writeMicro(quoted.receive));
    if (quoted.receive % ONE !== 0n) return found('minorUnits', 'two', `${received.join(', ')} ${to}`);
    if (hasDecimals(quoted)) rounded += 1;
  }
  return rounded < MIN_SAMPLES ? undefined : found('minorUnits', 'iso', `${received.join(', ')} ${to}`);
}

/** Returns true if the exact amount has decimals, whether the fee is deducted or added. */
function hasDecimals({ send, fee, rate }: Quoted): boolean {
  return [send, send - fee].every((amount) => {
    const rest = ((amount * rate) / ONE) % ONE;
    return rest > 2n * CENT && rest < ONE - 2n * CENT;
  });
}
