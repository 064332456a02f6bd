import { CENT, type Profile, writeMicro } from '@service/internal';
import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, Inconclusive, other, unknown } from '../finding.ts';
import { exchanged, type Pair, quoteCents, type Quoted, tryQuote } from '../quote.ts';

type Rounding = Profile['rounding'];

/**
 * The experiment about rounding. It requests quotes whose exact amount lies between two hundredths, or
 * exactly halfway.
 */
export const rounding: readonly Experiment[] = [{ settings: ['rounding'], run: probeRounding }];

/** Number of units in a hundredth of the product of hundredths and millionths. */
const WHOLE = 1_000_000n;
const HALF = WHOLE / 2n;

/** The amount of the first quote of a pair, and the smallest of the others, in hundredths. */
interface Range {
  readonly base: bigint;
  readonly first: bigint;
}

const usual: Range = { base: 100_000n, first: 1_000n };
/** Amounts that have the same rate in a service with other rates for larger amounts. */
const large: Range = { base: 100_000_000n, first: 100_000_000n };

/** The error of a measurement for which the rate has to stay the same. */
class RateChanged extends Inconclusive {
  constructor() {
    super('the rate changes between quotes');
  }
}

async function probeRounding(context: ProbeContext): Promise<Finding[]> {
  const { from, to } = context.plan;
  const alternatives = ['EUR', 'GBP', 'CHF', 'PLN', 'USD'].filter((code) => code !== from && code !== to);
  for (const currency of [to, ...alternatives]) {
    const pair = { from, to: currency };
    const finding = await probeRange(context, pair, usual).catch((error: unknown) => {
      if (error instanceof RateChanged) return probeRange(context, pair, large);
      throw error;
    });
    if (finding) return [finding];
  }
  return [unknown('rounding', `no quote from ${from} has an exact amount halfway between two hundredths`)];
}

async function probeRange(
  context: ProbeContext,
  pair: Pair,
  { base: cents, first }: Range,
): Promise<Finding | undefined> {
  const base = await tryQuote(context, pair, cents);
  return base && probePair(context, { pair, base, first, isInside: isInside(base) });
}

interface PairContext {
  readonly pair: Pair;
  /** The smallest amount, in hundredths. */
  readonly first: bigint;
  readonly base: Quoted;
  readonly isInside: boolean;
}

function isInside({ send, fee, rate, receive }: Quoted): boolean {
  const distance = (amount: bigint): bigint => abs((amount * rate) / WHOLE - receive);
  return fee > 0n && distance(send - fee) < distance(send);
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

const MISMATCH = 'receive_amount does not follow from the fee and the rate';

/** Measures one pair. Returns undefined if no amount distinguishes the rounding modes. */
async function probePair(context: ProbeContext, target: PairContext): Promise<Finding | undefined> {
  const above = await measure(context, target, sampleBetween(target, 6n, 9n));
  const below = await measure(context, target, sampleBetween(target, 1n, 4n));
  if (above.length === 0 || below.length === 0) return undefined;
  if (below.every((one) => one.isUp) && above.every((one) => one.isUp))
    return other('rounding', `always rounded up; ${formatMeasurements(below)}`);
  if (below.some((one) => one.isUp)) return unknown('rounding', `${MISMATCH}: ${formatMeasurements(below)}`);
  if (!above.some((one) => one.isUp))
    return found('rounding', 'down', formatExamples(above.slice(0, 1), above.length));
  if (!above.every((one) => one.isUp))
    return unknown('rounding', `${MISMATCH}: ${formatMeasurements(above)}`);
  return probeHalves(context, target);
}

/** Measures exact halves above even hundredths, where half up and half even differ, and above odd ones. */
async function probeHalves(context: ProbeContext, target: PairContext): Promise<Finding | undefined> {
  const among: Rounding[] = ['half_up', 'half_even'];
  const [evens, odds] = [
    await measure(context, target, { nets: halves(target, 0n), count: 3 }),
    await measure(context, target, { nets: halves(target, 1n), count: 3 }),
  ];
  if (evens.length === 0) return undefined;
  const hiddenDigits = await findHiddenDigits(context, target);
  if (hiddenDigits !== undefined) return unknown('rounding', hiddenDigits, among);
  const examples = formatExamples([...evens.slice(0, 1), ...odds.slice(0, 1)], evens.length + odds.length);
  const isUp = [evens, odds].map((measurements) =>
    [...new Set(measurements.map((one) => one.isUp))].join(' '),
  );
  if (isUp[0] === 'true' && isUp[1] !== 'false') return found('rounding', 'half_up', examples);
  if (isUp[0] === 'false' && isUp[1] === 'true') return found('rounding', 'half_even', examples);
  if (isUp[0] === 'false' && isUp[1] === 'false')
    return other('rounding', `halves are rounded down; ${examples}`);
  const evidence = formatMeasurements([...evens, ...odds]);
  return unknown('rounding', isUp[0] === 'false' ? evidence : `${MISMATCH}: ${evidence}`, among);
}

const LARGE_AMOUNTS = [99_999_999_999n, 1_000_000_000n, 100_000_000n] as const;

/** Checks large amounts for hidden digits of the rate, which move a half. Returns the problem, if any. */
async function findHiddenDigits(
  context: ProbeContext,
  { pair, isInside: inside }: PairContext,
): Promise<string | undefined> {
  for (const cents of LARGE_AMOUNTS) {
    const quoted = await tryQuote(context, pair, cents);
    if (quoted === undefined) continue;
    const { isPlausible, text } = readRounding(quoted, inside);
    return isPlausible ? undefined : `the rate has more digits than the quote shows: ${text}`;
  }
  return 'no quote for a large amount, which would reveal hidden digits of the rate';
}

/** Returns amounts whose product lies between the given tenths of a hundredth. */
function sampleBetween({ base: { rate }, first }: PairContext, least: bigint, most: bigint): Sample {
  const fits = (product: bigint): boolean => {
    const rest = (product * 10n) % (WHOLE * 10n);
    return rest > WHOLE * least && rest < WHOLE * most;
  };
  return { nets: netsOf(rate, first, fits), count: 4, fits };
}

function* netsOf(rate: bigint, first: bigint, fits: (product: bigint) => boolean): Iterable<bigint> {
  for (let net = first; net <= first + WHOLE; net += 1n) if (fits(net * rate)) yield net;
}

const PERIODS = 8n;

/** Yields amounts whose product is an exact half above an even (0) or odd (1) hundredth. */
function* halves({ base: { rate }, first: least }: PairContext, parity: bigint): Iterable<bigint> {
  const period = WHOLE / greatestCommonDivisor(rate, WHOLE);
  let first = least;
  while (first < least + period && (first * rate) % WHOLE !== HALF) first += 1n;
  if (first === least + period) return;
  for (let net = first; net < first + PERIODS * period; net += period) {
    if (((net * rate) / WHOLE) % 2n === parity) yield net;
  }
}

function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  return right === 0n ? left : greatestCommonDivisor(right, left % right);
}

/** The rounding of one quote. */
interface Measurement {
  readonly isUp: boolean;
  readonly isPlausible: boolean;
  readonly text: string;
}

interface Sample {
  readonly nets: Iterable<bigint>;
  readonly count: number;
  /** Returns whether a product with another rate shows the rounding, too. */
  readonly fits?: (product: bigint) => boolean;
}

/** Maximum number of quotes for a sample, and that while the rate moves. */
const [MAX_TRIES, MOVING_TRIES] = [6, 24];

/**
 * Requests quotes for some of the amounts.
 *
 * @throws {Inconclusive} when `receive_amount` does not follow from the quote.
 */
async function measure(
  context: ProbeContext,
  target: PairContext,
  { nets, count, fits }: Sample,
): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = [];
  let [attempts, limit] = [0, MAX_TRIES];
  for (const net of nets) {
    if (attempts >= limit || measurements.length === count) break;
    attempts += 1;
    const quoted = await quoteNet(context, target, net);
    if (quoted === undefined) continue;
    if (quoted.rate !== target.base.rate) {
      if (fits === undefined) throw new RateChanged();
      limit = MOVING_TRIES;
      if (!fits(exchanged(quoted, target.isInside) * quoted.rate)) continue;
    }
    const measured = readRounding(quoted, target.isInside);
    if (!measured.isPlausible) throw new Inconclusive(`${MISMATCH}: ${measured.text}`);
    measurements.push(measured);
  }
  return measurements;
}

/**
 * Requests quotes until the amount after the fee is `net`. The first guess uses the fee share of the base
 * quote.
 */
async function quoteNet(
  context: ProbeContext,
  { pair, base, isInside: inside }: PairContext,
  net: bigint,
): Promise<Quoted | undefined> {
  let cents = inside ? (net * base.send) / (base.send - base.fee) : net;
  for (let attempts = 0; attempts < MAX_TRIES && cents >= 1n; attempts += 1) {
    const quoted = await quoteCents(context, pair, cents);
    // The rate moves: the caller checks whether the amount still shows the rounding.
    if (quoted.rate !== base.rate) return quoted;
    const missing = net - exchanged(quoted, inside);
    if (missing === 0n) return quoted;
    cents += missing;
  }
  return undefined;
}

/**
 * Reads the rounding of a quote.
 *
 * @throws {Inconclusive} when `receive_amount` has more than two decimals.
 */
function readRounding(quoted: Quoted, inside: boolean): Measurement {
  const { rate, receive } = quoted;
  const net = exchanged(quoted, inside);
  const product = net * rate;
  const text = `${writeMicro(net * CENT)} * ${writeMicro(rate)} = ${writeMicro(product / 100n)}, receive_amount ${writeMicro(receive)}`;
  if (receive % CENT !== 0n) throw new Inconclusive(`amounts have more than two decimals: ${text}`);
  const steps = receive / CENT - product / WHOLE;
  return { isUp: steps > 0n, isPlausible: steps === 0n || steps === 1n, text };
}

/** Formats some of a number of measurements with the same result. */
function formatExamples(examples: readonly Measurement[], count: number): string {
  const rest = count - examples.length;
  return `${formatMeasurements(examples)}${rest > 0 ? `; and ${rest} ${rest === 1 ? 'amount like this' : 'amounts like these'}` : ''}`;
}

function formatMeasurements(measurements: readonly Measurement[]): string {
  return measurements.map(({ text }) => text).join('; ');
}
