import type { Profile } from '@service/mock';
import type { Bench, Experiment } from './bench.ts';
import { type Finding, found, Inconclusive, other, unknown } from './finding.ts';
import { CENT, writeMicro } from './micro.ts';
import { exchanged, type Pair, quoteCents, type Quoted, tryQuote } from './quotes.ts';

type Rounding = Profile['rounding'];

/** Looks at how figures are rounded: at quotes whose exact figure lies between two hundredths, and right in the middle. */
export const rounding: readonly Experiment[] = [{ settings: ['rounding'], look: lookAtRounding }];

/** Holds a unit of the product of hundredths and millionths in a hundredth. */
const WHOLE = 1_000_000n;
const HALF = WHOLE / 2n;
const FIRST = 1_000n;
/** Half-way cases repeat at the latest after this many hundredths. */
const LAST = FIRST + WHOLE;

async function lookAtRounding(bench: Bench): Promise<Finding[]> {
  const { from, to } = bench.plan;
  const others = ['EUR', 'GBP', 'CHF', 'PLN', 'USD'].filter((code) => code !== from && code !== to);
  for (const currency of [to, ...others]) {
    const pair = { from, to: currency };
    const base = await tryQuote(bench, pair, 100_000n);
    const finding = base && (await lookAtPair(bench, pair, base));
    if (finding) return [finding];
  }
  return [unknown('rounding', `no amount from ${from} has a figure half-way between two hundredths`)];
}

/** Looks at one pair; undefined when no amount of it is told apart by the way of rounding. */
async function lookAtPair(bench: Bench, pair: Pair, base: Quoted): Promise<Finding | undefined> {
  const isInside = base.fee > 0n && isNearer(base);
  const seen = await hit(bench, { pair, base, isInside }, isAbove);
  if (seen === undefined) return undefined;
  if (!isUp(seen, isInside)) return judge('down', seen, isInside);
  const middle = await hit(bench, { pair, base, isInside }, isMiddle);
  if (middle === undefined) return undefined;
  return judge(isUp(middle, isInside) ? 'half_up' : 'half_even', middle, isInside);
}

function isNearer({ send, fee, rate, receive }: Quoted): boolean {
  const distance = (amount: bigint): bigint => abs((amount * rate) / WHOLE - receive);
  return distance(send - fee) < distance(send);
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Tells whether a product lies clearly above the middle of two hundredths. */
function isAbove(product: bigint): boolean {
  const rest = product % WHOLE;
  return rest > (WHOLE * 6n) / 10n && rest < (WHOLE * 9n) / 10n;
}

/** Tells whether a product lies in the very middle above an even hundredth, where the ways of rounding part. */
function isMiddle(product: bigint): boolean {
  return product % WHOLE === HALF && (product / WHOLE) % 2n === 0n;
}

type Aim = { readonly pair: Pair; readonly base: Quoted; readonly isInside: boolean };

const MOST_TRIES = 6;

/** Finds an amount whose product is as wanted, and quotes it; the fee, if it lies inside, is seen only in the quote. */
async function hit(
  bench: Bench,
  { pair, base, isInside }: Aim,
  isWanted: (product: bigint) => boolean,
): Promise<Quoted | undefined> {
  for (let net = FIRST, tries = 0; net <= LAST && tries < MOST_TRIES; net += 1n) {
    if (!isWanted(net * base.rate)) continue;
    tries += 1;
    const quoted = await aim(bench, { pair, base, isInside }, net);
    if (quoted && quoted.rate === base.rate && isWanted(exchanged(quoted, isInside) * quoted.rate))
      return quoted;
  }
  return undefined;
}

/** Quotes the amount of which so much is exchanged; the share of the fee in another quote tells about where it is. */
async function aim(bench: Bench, { pair, base, isInside }: Aim, net: bigint): Promise<Quoted | undefined> {
  let cents = isInside ? (net * base.send) / (base.send - base.fee) : net;
  let quoted: Quoted | undefined;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    quoted = await quoteCents(bench, pair, cents);
    const missing = net - exchanged(quoted, isInside);
    if (missing === 0n) return quoted;
    cents += missing;
    if (cents < 1n) return undefined;
  }
  return quoted;
}

/** Tells whether a figure was rounded up. */
function isUp(quoted: Quoted, isInside: boolean): boolean {
  const product = exchanged(quoted, isInside) * quoted.rate;
  return quoted.receive / CENT > product / WHOLE;
}

/** Makes the finding, unless the figure is none that rounding could give. */
function judge(value: Rounding, quoted: Quoted, isInside: boolean): Finding {
  const { rate, receive } = quoted;
  const net = exchanged(quoted, isInside);
  const product = net * rate;
  const evidence = `${writeMicro(net * CENT)} at ${writeMicro(rate)} is ${writeMicro(product / 100n)}: ${writeMicro(receive)}`;
  const steps = receive / CENT - product / WHOLE;
  if (receive % CENT !== 0n) throw new Inconclusive(`amounts have more than two decimals: ${evidence}`);
  return steps === 0n || steps === 1n
    ? found('rounding', value, evidence)
    : other('rounding', `the figures do not follow from the rate that is shown: ${evidence}`);
}
