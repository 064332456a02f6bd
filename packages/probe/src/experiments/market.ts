import { defaultCurrencies, type RateMoves, writeMicro } from '@service/internal';
import { readBalances } from '../balances.ts';
import { type Experiment, type ProbeContext } from '../context.ts';
import { type Finding, found, Inconclusive, unknown } from '../finding.ts';
import { type Pair, type Quoted, tryQuote } from '../quote.ts';
import { isDefaultPossible, listRateChanges, measureInterval, type RateReading } from './rate-changes.ts';

/** The experiment about wallets. It runs before the first payment. */
export const wallets: readonly Experiment[] = [{ settings: ['wallets'], run: probeWallets }];

/** The experiment about currencies and rates. */
export const market: readonly Experiment[] = [{ settings: ['currencies', 'rates'], run: probeMarket }];

const HUNDRED_THOUSAND = 100_000_000_000n;

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
  const quotes = new Map<string, Quoted>();
  const add = async (pairs: readonly Pair[]): Promise<void> => {
    for (let start = 0; start < pairs.length; start += 4) {
      const some = pairs.slice(start, start + 4);
      const quoted = await Promise.all(some.map((pair) => quoteIfAccepted(context, pair)));
      for (const [index, pair] of some.entries()) {
        const each = quoted[index];
        if (each !== undefined) quotes.set(`${pair.from}/${pair.to}`, each);
      }
    }
  };
  await add(asked.map((code) => ({ from, to: code })));
  const supported = [from, ...asked.filter((code) => quotes.has(`${from}/${code}`))].toSorted();
  if (supported.length === 1) throw new Inconclusive(`the service quotes no currency from ${from}`);
  const funded = [...(await readBalances(context)).keys()].slice(0, 4);
  const sources = [...new Set([to, ...funded])].filter((code) => code !== from && supported.includes(code));
  const targets = [...new Set([from, to, ...funded])].filter((code) => supported.includes(code));
  await add(
    sources.flatMap((source) =>
      targets.filter((target) => target !== source).map((target) => ({ from: source, to: target })),
    ),
  );
  return [evaluateCurrencies(supported, asked.length), await evaluateRates(context, quotes, started)];
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

/** Evaluates the rates of all pairs, and whether that of the first pair changes. */
async function evaluateRates(
  context: ProbeContext,
  quotes: ReadonlyMap<string, Quoted>,
  started: number,
): Promise<Finding> {
  const { from, to } = context.plan;
  const pairs = Object.fromEntries([...quotes].map(([pair, { rate }]) => [pair, writeMicro(rate)]));
  const first = quotes.get(`${from}/${to}`);
  const count = `${quotes.size} pairs`;
  if (first === undefined) return found('rates', { pairs }, count);
  const watched = await watchRate(context, { since: started, at: context.now(), rate: first.rate });
  const seen = [...new Set(watched.map(({ rate }) => writeMicro(rate)))];
  const seconds = ((context.now() - started) / 1_000).toFixed(0);
  if (seen.length === 1)
    return found(
      'rates',
      { pairs },
      `${count}; ${from}/${to} ${seen.join(', ')} did not change in ${seconds} s`,
    );
  const evidence = `${count}; ${from}/${to} changes`;
  const values = seen.join(', ');
  const changes = listRateChanges(watched);
  const every = measureInterval(changes);
  if (every === undefined && !isDefaultPossible(changes))
    return unknown('rates', `${evidence} at intervals that were not determined: ${values}`);
  const moves: RateMoves = { by: measureShare(first.rate, watched), ...(every && { every }) };
  const interval = every === undefined ? 'at intervals that can be the default' : `each ${every}`;
  return found('rates', { pairs, moves }, `${evidence} ${interval}: ${values}`);
}

const PAUSE = 500;
/** The number of quotes of an unchanged rate, and that of a changing one. */
const [STILL, MOVING] = [12, 30];

/** Requests quotes until the changes of the rate show their interval. A rate that does not change is watched for 6 s. */
async function watchRate(context: ProbeContext, first: RateReading): Promise<RateReading[]> {
  const { from, to } = context.plan;
  const readings = [first];
  for (;;) {
    const changes = listRateChanges(readings);
    const isOver = measureInterval(changes) !== undefined || readings.length > MOVING;
    if (isOver || (changes.length === 0 && readings.length > STILL)) return readings;
    await context.sleep(PAUSE);
    const since = context.now();
    const quoted = await tryQuote(context, { from, to }, SAMPLE);
    if (quoted === undefined) return readings;
    readings.push({ since, at: context.now(), rate: quoted.rate });
  }
}

/** Returns the largest difference from the first rate, as a share of it. */
function measureShare(base: bigint, readings: readonly RateReading[]): string {
  const shares = readings.map(({ rate }) => {
    const distance = rate > base ? rate - base : base - rate;
    return (distance * 1_000_000n + base - 1n) / base;
  });
  return writeMicro(shares.reduce((most, each) => (each > most ? each : most), 0n));
}
