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
const LAST = FIRST + WHOLE;

async function lookAtRounding(bench: Bench): Promise<Finding[]> {
  const { from, to } = bench.plan;
  const others = ['EUR', 'GBP', 'CHF', 'PLN', 'USD'].filter((code) => code !== from && code !== to);
  for (const currency of [to, ...others]) {
    const pair = { from, to: currency };
    const base = await tryQuote(bench, pair, 100_000n);
    const finding = base && (await lookAtPair(bench, { pair, base, isInside: isInside(base) }));
    if (finding) return [finding];
  }
  return [unknown('rounding', `no amount from ${from} has a figure half-way between two hundredths`)];
}

type Aim = { readonly pair: Pair; readonly base: Quoted; readonly isInside: boolean };

function isInside({ send, fee, rate, receive }: Quoted): boolean {
  const distance = (amount: bigint): bigint => abs((amount * rate) / WHOLE - receive);
  return fee > 0n && distance(send - fee) < distance(send);
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

const astray = 'the figures do not follow from those that are shown';

/** Looks at one pair; undefined when no amount of it is told apart by the way of rounding. */
async function lookAtPair(bench: Bench, aim: Aim): Promise<Finding | undefined> {
  const above = await hit(bench, aim, { nets: between(aim.base, 6n, 9n), count: 4 });
  const below = await hit(bench, aim, { nets: between(aim.base, 1n, 4n), count: 4 });
  if (above.length === 0 || below.length === 0) return undefined;
  if (below.every((one) => one.isUp) && above.every((one) => one.isUp))
    return other('rounding', `rounded up always; ${show(below)}`);
  if (below.some((one) => one.isUp)) return unknown('rounding', `${astray}: ${show(below)}`);
  if (!above.some((one) => one.isUp)) return found('rounding', 'down', show(above));
  if (!above.every((one) => one.isUp)) return unknown('rounding', `${astray}: ${show(above)}`);
  return lookAtMiddles(bench, aim);
}

/** Looks at the very middles, above even hundredths, where the ways of rounding part, and above odd ones. */
async function lookAtMiddles(bench: Bench, aim: Aim): Promise<Finding | undefined> {
  const among: Rounding[] = ['half_up', 'half_even'];
  const { rate } = aim.base;
  const [evens, odds] = [
    await hit(bench, aim, { nets: middles(rate, 0n), count: 3 }),
    await hit(bench, aim, { nets: middles(rate, 1n), count: 3 }),
  ];
  if (evens.length === 0) return undefined;
  const hidden = await lookBehindRate(bench, aim);
  if (hidden !== undefined) return unknown('rounding', hidden, among);
  const evidence = show([...evens, ...odds]);
  const isUp = [evens, odds].map((hits) => [...new Set(hits.map((one) => one.isUp))].join(' '));
  if (isUp[0] === 'true' && isUp[1] !== 'false') return found('rounding', 'half_up', evidence);
  if (isUp[0] === 'false' && isUp[1] === 'true') return found('rounding', 'half_even', evidence);
  if (isUp[0] === 'false' && isUp[1] === 'false') return other('rounding', `halves go down; ${evidence}`);
  return unknown('rounding', isUp[0] === 'false' ? evidence : `${astray}: ${evidence}`, among);
}

const LARGE = [99_999_999_999n, 1_000_000_000n, 100_000_000n] as const;

/** Looks for digits of the rate that are not shown: a middle is none then. Says what is wrong, if anything is. */
async function lookBehindRate(bench: Bench, { pair, isInside: inside }: Aim): Promise<string | undefined> {
  for (const cents of LARGE) {
    const quoted = await tryQuote(bench, pair, cents);
    if (quoted === undefined) continue;
    const { isNear, text } = see(quoted, inside);
    return isNear ? undefined : `the rate has more digits than are shown: ${text}`;
  }
  return 'no large amount is quoted, which would show digits of the rate that are not shown';
}

/** Lists amounts whose product lies between some tenths of two hundredths. */
function* between({ rate }: Quoted, least: bigint, most: bigint): Iterable<bigint> {
  for (let net = FIRST; net <= LAST; net += 1n) {
    const rest = (net * rate * 10n) % (WHOLE * 10n);
    if (rest > WHOLE * least && rest < WHOLE * most) yield net;
  }
}

const PERIODS = 8n;

/** Lists amounts whose product lies right in the middle, above an even hundredth or an odd one. */
function* middles(rate: bigint, parity: bigint): Iterable<bigint> {
  const period = WHOLE / greatestDivisor(rate, WHOLE);
  let first = FIRST;
  while (first < FIRST + period && (first * rate) % WHOLE !== HALF) first += 1n;
  if (first === FIRST + period) return;
  for (let net = first; net < first + PERIODS * period; net += period) {
    if (((net * rate) / WHOLE) % 2n === parity) yield net;
  }
}

function greatestDivisor(left: bigint, right: bigint): bigint {
  return right === 0n ? left : greatestDivisor(right, left % right);
}

/** Holds what a quote shows of rounding. */
type Hit = { readonly isUp: boolean; readonly isNear: boolean; readonly text: string };

type Wanted = { readonly nets: Iterable<bigint>; readonly count: number };

const MOST_TRIES = 6;

/** Quotes some of the amounts; the fee, if it lies inside, is seen only in the quote. Throws Inconclusive. */
async function hit(bench: Bench, aim: Aim, { nets, count }: Wanted): Promise<readonly Hit[]> {
  const hits: Hit[] = [];
  let tries = 0;
  for (const net of nets) {
    if (tries === MOST_TRIES || hits.length === count) break;
    tries += 1;
    const quoted = await quoteNet(bench, aim, net);
    if (quoted === undefined) continue;
    const seen = see(quoted, aim.isInside);
    if (!seen.isNear) throw new Inconclusive(`${astray}: ${seen.text}`);
    hits.push(seen);
  }
  return hits;
}

/** Quotes the amount of which so much is exchanged; the share of the fee in another quote tells about where it is. */
async function quoteNet(
  bench: Bench,
  { pair, base, isInside: inside }: Aim,
  net: bigint,
): Promise<Quoted | undefined> {
  let cents = inside ? (net * base.send) / (base.send - base.fee) : net;
  for (let tries = 0; tries < MOST_TRIES && cents >= 1n; tries += 1) {
    const quoted = await quoteCents(bench, pair, cents);
    if (quoted.rate !== base.rate) throw new Inconclusive('the rate moves from quote to quote');
    const missing = net - exchanged(quoted, inside);
    if (missing === 0n) return quoted;
    cents += missing;
  }
  return undefined;
}

/** Reads a quote. Throws Inconclusive when its figure is finer than rounding to hundredths gives. */
function see(quoted: Quoted, inside: boolean): Hit {
  const { rate, receive } = quoted;
  const net = exchanged(quoted, inside);
  const product = net * rate;
  const text = `${writeMicro(net * CENT)} at ${writeMicro(rate)} is ${writeMicro(product / 100n)}: ${writeMicro(receive)}`;
  if (receive % CENT !== 0n) throw new Inconclusive(`amounts have more than two decimals: ${text}`);
  const steps = receive / CENT - product / WHOLE;
  return { isUp: steps > 0n, isNear: steps === 0n || steps === 1n, text };
}

function show(hits: readonly Hit[]): string {
  return hits.map(({ text }) => text).join('; ');
}
