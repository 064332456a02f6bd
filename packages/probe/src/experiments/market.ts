import { defaultCurrencies, type Duration, type Micro, writeMicro } from '@service/internal';
import { readBalances } from '../balances.ts';
import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, Inconclusive, unknown } from '../finding.ts';
import { type Pair, type Quoted, tryQuote } from '../quote.ts';
import { roundWithin, toDuration } from './durations.ts';
import { limitInterval, listRateChanges, measureInterval } from './rate-changes.ts';

/** The experiment about wallets. It runs before the first payment. */
export const wallets: readonly Experiment[] = [{ settings: ['wallets'], run: probeWallets }];

/** The experiment about currencies. It also watches the rate of the first pair. */
export const market: readonly Experiment[] = [{ settings: ['currencies'], run: probeMarket }];

/** The experiment about the rates so far. It runs late, because rates can change rarely. */
export const rates: readonly Experiment[] = [{ settings: ['rates'], run: probeRates }];

const ONE = 1_000_000n;
const HUNDRED_THOUSAND = 100_000n * ONE;

/** Reads the wallets and their current balances. */
async function probeWallets(context: ProbeContext): Promise<Finding[]> {
  const balances = [...(await readBalances(context))];
  const evidence = `balances now: ${balances.map(([code, balance]) => `${writeMicro(balance)} ${code}`).join(', ')}`;
  const isDefault =
    balances
      .map(([code]) => code)
      .toSorted()
      .join(' ') === 'EUR GBP USD' && balances.every(([, balance]) => balance === HUNDRED_THOUSAND);
  if (isDefault) return [found('wallets', 'default', evidence)];
  const negative = balances.find(([, balance]) => balance < 0n);
  if (negative !== undefined) return [unknown('wallets', `a balance is negative; ${evidence}`)];
  const amounts = Object.fromEntries(balances.map(([code, balance]) => [code, writeHundredths(balance)]));
  return [found('wallets', amounts, evidence)];
}

/** Writes an amount with two decimals; further ones are cut off. */
function writeHundredths(micro: bigint): string {
  const [whole = '', decimals = ''] = writeMicro(micro).split('.');
  return `${whole}.${decimals.padEnd(2, '0').slice(0, 2)}`;
}

/** Codes that the mock does not have. The last one is not a currency. */
const otherCodes = [
  'ARS',
  'BGN',
  'BOB',
  'ISK',
  'JMD',
  'LKR',
  'PEN',
  'QAR',
  'RUB',
  'TZS',
  'UAH',
  'UYU',
  'XAF',
  'XXX',
];

/** The amount of quotes whose rate is read, in hundredths. */
const SAMPLE = 100_000n;

/** Asks for a quote to each currency, and from the currencies that have a wallet. */
async function probeMarket(context: ProbeContext): Promise<Finding[]> {
  const { from, to } = context.plan;
  const asked = [...defaultCurrencies, ...otherCodes].filter((code) => code !== from);
  const started = context.now();
  const { quotes } = context.market;
  await addQuotes(
    context,
    asked.map((code) => ({ from, to: code })),
  );
  const supported = [from, ...asked.filter((code) => quotes.has(`${from}/${code}`))].toSorted();
  if (supported.length === 1) throw new Inconclusive(`the service quotes no currency from ${from}`);
  const funded = [...(await readBalances(context)).keys()].slice(0, 4);
  const sources = [...new Set([to, ...funded])].filter((code) => code !== from && supported.includes(code));
  const targets = [...new Set([from, to, ...funded])].filter((code) => supported.includes(code));
  await addQuotes(
    context,
    sources.flatMap((source) =>
      targets.filter((target) => target !== source).map((target) => ({ from: source, to: target })),
    ),
  );
  const first = quotes.get(`${from}/${to}`);
  if (first !== undefined) {
    context.market.readings.push({ since: started, at: context.now(), rate: first.rate });
    await watchRate(context);
  }
  return [evaluateCurrencies(supported, asked.length)];
}

/** Requests quotes of pairs, four at once. */
async function addQuotes(context: ProbeContext, pairs: readonly Pair[]): Promise<void> {
  for (let start = 0; start < pairs.length; start += 4) {
    const some = pairs.slice(start, start + 4);
    const quoted = await Promise.all(some.map((pair) => quoteIfAccepted(context, pair)));
    for (const [index, { from, to }] of some.entries()) {
      const each = quoted[index];
      if (each !== undefined) context.market.quotes.set(`${from}/${to}`, each);
    }
  }
}

/** Requests a quote. Returns undefined if the service rejects the pair, or has no readable amounts for it. */
async function quoteIfAccepted(context: ProbeContext, pair: Pair): Promise<Quoted | undefined> {
  try {
    return await tryQuote(context, pair, SAMPLE);
  } catch (error) {
    // The smallest amount of this currency may be larger, or the fee.
    if (error instanceof Inconclusive && error.name === 'Inconclusive') return undefined;
    throw error;
  }
}

function evaluateCurrencies(supported: readonly string[], asked: number): Finding {
  const isDefault = supported.join(' ') === defaultCurrencies.join(' ');
  const rejected = asked + 1 - supported.length;
  const evidence = `${supported.length} of ${asked + 1} codes: ${supported.join(', ')}; ${rejected} rejected, others not asked`;
  if (supported.includes('XXX'))
    return unknown('currencies', 'the service quotes XXX, which is not a currency');
  return found('currencies', isDefault ? 'default' : supported, evidence);
}

/** Evaluates the rates of all pairs, and whether that of the first pair changed during the run. */
async function probeRates(context: ProbeContext): Promise<Finding[]> {
  const { readings, quotes } = context.market;
  if (quotes.size === 0)
    throw new Inconclusive('the service rejects all quotes, or their amounts cannot be read');
  if (readings.length > 0) await readRate(context);
  const first = new Map([...quotes].map(([pair, { rate }]) => [pair, rate]));
  // The middle of two rates is a better estimate of the one around which they change.
  if (countChanges(context.market) > 0) await addQuotes(context, [...quotes.keys()].map(toPair));
  const middle = new Map(
    [...quotes].map(([pair, { rate }]) => [pair, (rate + (first.get(pair) ?? rate)) / 2n]),
  );
  return [evaluateRates(context, middle)];
}

function toPair(name: string): Pair {
  const [from = '', to = ''] = name.split('/');
  return { from, to };
}

/** Returns the number of changes that one series of quotes shows: another one can show the same changes. */
function countChanges({ readings, others }: ProbeContext['market']): number {
  return Math.max(...[readings, others].map((series) => listRateChanges(series).length));
}

function evaluateRates(
  { plan: { from, to }, market: quotes }: ProbeContext,
  quoted: ReadonlyMap<string, Micro>,
): Finding {
  const { readings, tiers } = quotes;
  const pairs = Object.fromEntries([...quoted].map(([pair, rate]) => [pair, writeMicro(rate)]));
  const count = `${quoted.size} pairs`;
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return found('rates', { pairs }, count);
  const values = readings.map(({ rate }) => rate);
  const seen = [...new Set(values)].map(writeMicro).join(', ');
  const seconds = ((last.at - first.since) / 1_000).toFixed(0);
  const changes = countChanges(quotes);
  if (changes === 0) {
    const limits = tiers?.tiers.map((tier) => tier.from[from]) ?? [];
    const others = limits.length === 0 ? '' : `; others from ${limits.join(', ')} ${from}`;
    return found(
      'rates',
      { pairs: { ...pairs, ...tiers?.pairs }, ...(tiers && { tiers: tiers.tiers }) },
      `${count}; ${from}/${to} ${seen} did not change in ${seconds} s${others}`,
    );
  }
  const [least, most] = values.reduce<readonly [Micro, Micro]>(
    ([low, high], rate) => [rate < low ? rate : low, rate > high ? rate : high],
    [first.rate, first.rate],
  );
  const evidence = `${count}; ${from}/${to} changes`;
  const every = findInterval(quotes);
  if (every === undefined)
    return unknown('rates', `${evidence} at intervals that were not determined: ${seen}`);
  const middle = (least + most) / 2n;
  return found(
    'rates',
    {
      pairs: { ...pairs, [`${from}/${to}`]: writeMicro(middle) },
      moves: { by: divide(most - middle, middle), every },
    },
    `${evidence} ${changes} times in ${seconds} s, as with each ${every}: ${seen}`,
  );
}

/** Returns the interval of the changes of a rate. Undefined if they are not regular. */
function findInterval({ readings, others }: ProbeContext['market']): Duration | undefined {
  const measured = measureInterval(listRateChanges(readings));
  if (measured !== undefined) return measured;
  const [least, most] = limitInterval([readings, others]);
  // More changes than those between two quotes can have happened.
  return least > 0 && least <= most ? toDuration(roundWithin(least, Math.min(2 * least, most))) : undefined;
}

/** Divides two numbers; the result has six decimals and is rounded up. */
function divide(part: Micro, whole: Micro): string {
  return writeMicro((part * ONE + whole - 1n) / whole);
}

const PAUSE = 500;
/** The number of quotes of an unchanged rate, and that of a changing one. */
const [STILL, MOVING] = [12, 30];

/** Requests quotes until the changes of the rate show their interval. A rate that does not change is watched for 6 s. */
async function watchRate(context: ProbeContext): Promise<void> {
  const { readings } = context.market;
  for (;;) {
    const changes = listRateChanges(readings);
    const isOver = measureInterval(changes) !== undefined || readings.length > MOVING;
    if (isOver || (changes.length === 0 && readings.length > STILL)) return;
    await context.sleep(PAUSE);
    if (!(await readRate(context))) return;
  }
}

/** Reads the rate of the first pair. Returns whether the service has a quote. */
async function readRate(context: ProbeContext): Promise<boolean> {
  const { from, to } = context.plan;
  const since = context.now();
  const quoted = await tryQuote(context, { from, to }, SAMPLE);
  if (quoted !== undefined) context.market.readings.push({ since, at: context.now(), rate: quoted.rate });
  return quoted !== undefined;
}
