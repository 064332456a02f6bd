// Fees, rates, rounding, minor units and wallets.
import { CENT, type FeeRule, type Micro, writeCents, writeMicro } from '@service/internal';
import { type Call, listWallets, modeOf, readBalance } from '../call.ts';
import { type Question, repeated, sortOut, type Step } from '../question.ts';
import { noDecimals, quoteEach, type Run } from '../run.ts';
import type { PricedQuote, Seen } from '../seen.ts';
import { computeFee, explain, fitRule, roundTo, toPoints } from './fee-rule.ts';
import { currencyQuotes } from './requests.ts';
import { quotes as plainQuotes } from './responses.ts';

const ONE = 1_000_000n;

/** Amounts of each size, in hundredths: two neighbors differ by at most a third. */
const ladder: readonly bigint[] = Array.from({ length: 9 }, (_, power) =>
  [100n, 133n, 178n, 237n, 316n, 422n, 562n, 750n].map((step) => step * 10n ** BigInt(power)),
).flat();

export const fees: Step = {
  subject: 'fees of amounts of each size',
  send: async (run) => {
    const { from, to } = run.plan;
    const isWhole = noDecimals.includes(from);
    const amounts = isWhole ? ladder.map((cents) => cents - (cents % 100n)) : ladder;
    let end = amounts.at(-1) ?? 0n;
    const ask = async (some: readonly bigint[]): Promise<void> => {
      for (const cents of some.filter((each) => each <= end)) {
        const [call] = await quoteEach(run, from, to, [cents]);
        // Above the largest amount.
        if (cents > 1_000_000n && call?.response.accepted !== true) end = cents - 1n;
      }
    };
    await ask(amounts.filter((_, index) => index % 4 === 0));
    for (const [source, target] of otherPairs(run))
      await quoteEach(run, source, target, [317n, 5_231n, 150_019n, 1_234_567n, 30_000_100n]);
    await ask(amounts.filter((_, index) => index % 4 !== 0));
  },
};

/** Returns pairs of currencies with two other sources. */
function otherPairs({ plan: { from, to }, seen }: Run): (readonly [source: string, target: string])[] {
  const other = listWallets(seen().balances[0]).find((code) => code !== from && code !== to) ?? 'GBP';
  return [to, other].filter((code) => !noDecimals.includes(code)).map((code) => [code, from]);
}

const ofPair = (seen: Seen, from: string, to: string): PricedQuote[] =>
  seen.quotes.filter((one) => one.from === from && one.to === to);

/** Fees are those of one rule, in each pair of currencies and for each amount. */
const feeQuestion: Question = {
  setting: 'fees',
  ask: fees,
  second: 'quotes of other amounts and currencies',
  read: (seen) => {
    const all = ofPair(seen, seen.facts.from, seen.facts.to);
    const own = halve(all, 0);
    if (own.length < 3) return { unknown: 'nothing shows it: send quotes of several amounts' };
    const fitted = fitLongest(own);
    if (fitted === undefined)
      return { other: `no rule gives the fees of ${own.slice(0, 4).map(writeFee).join(', ')}` };
    const { rule, until } = fitted;
    const mode = own.map(modeOf).find((one) => one !== undefined);
    const isFree = Object.keys(rule).length === 0;
    const isOpen = rule.percent !== undefined && explain(rule, toPoints(all)).length > 1;
    const possible = explain(rule, toPoints(own.filter(({ send }) => until === undefined || send < until)));
    // It is left out if it is that of amounts, or makes no difference.
    const isUsual = rule.percent === undefined || possible.includes(readRounding(seen) ?? 'half_up');
    return {
      value: { ...rule, ...(!isUsual && { rounding: possible[0] }), ...(mode === 'onTop' && { mode }) },
      evidence: `${own.length} quotes from ${own[0] ? writeFee(own[0]) : ''} to ${own.at(-1) ? writeFee(own.at(-1) as PricedQuote) : ''}`,
      missing: [
        ...(until === undefined
          ? []
          : [`fees from ${writeMicro(until)} on follow no rule of smaller amounts`]),
        ...(mode === undefined && !isFree ? ['no quote shows where the fee is taken'] : []),
        ...(isOpen ? ['no amount tells the roundings of the fee apart'] : []),
      ],
    };
  },
  proves: (seen, value) => {
    const rule = value as FeeRule;
    const { rounding = readRounding(seen) ?? 'half_up', mode = 'inside' } = rule;
    const { from, to } = seen.facts;
    const others = [
      ...halve(ofPair(seen, from, to), 1),
      ...seen.quotes.filter((one) => one.from !== from || one.to !== to),
    ];
    // Amounts of a currency without decimals can be whole.
    const usable = others.filter((one) => !noDecimals.includes(one.from));
    const isRight = (one: PricedQuote): boolean =>
      computeFee(rule, one.send / CENT, rounding) * CENT === one.fee && (modeOf(one) ?? mode) === mode;
    const { agree, against } = sortOut(usable, isRight, writeFee);
    // A second currency, if the service has another one.
    const isProven =
      usable.some((one) => one.from !== from && isRight(one)) ||
      seen.quotes.every((one) => one.from === from);
    return { agree: isProven ? agree.slice(-1) : [], against };
  },
};

const writeFee = ({ from, to, send, fee }: PricedQuote): string =>
  `${writeMicro(fee)} for ${writeMicro(send)} ${from} to ${to}`;

/** Returns every other quote by amount, with both ends in the first half. */
function halve(quotes: readonly PricedQuote[], rest: 0 | 1): PricedQuote[] {
  const sorted = quotes.toSorted((a, b) => (a.send < b.send ? -1 : a.send > b.send ? 1 : 0));
  return sorted.filter((_, index) => index % 2 === rest || (rest === 0 && index === sorted.length - 1));
}

/** Fits a rule to all quotes, or to as many of the smaller amounts as possible. `until` is the first amount without it. */
function fitLongest(quotes: readonly PricedQuote[]) {
  for (let length = quotes.length; length >= Math.min(4, quotes.length); length -= 1) {
    const rule = fitRule(toPoints(quotes.slice(0, length)));
    if (rule !== undefined) return { rule, until: quotes[length]?.send };
  }
  return undefined;
}

const roundings = ['half_up', 'half_even', 'down'] as const;
type Rounding = (typeof roundings)[number];

/** Returns the roundings that give the received amount of a quote. All of them do if the amount is exact. */
function listPossible(one: PricedQuote): Rounding[] {
  // Products of millionths; a hundredth is 10^10 of them.
  const exact = one.net * one.rate;
  return roundings.filter((rounding) => roundTo(exact, CENT * ONE, rounding) === one.receive * ONE);
}

/** A quote that tells roundings apart. */
const tells = (one: PricedQuote): boolean =>
  !noDecimals.includes(one.to) &&
  new Set(roundings.map((rounding) => roundTo(one.net * one.rate, CENT * ONE, rounding))).size > 1;

/** Quotes whose product is half a hundredth show the rounding of a half. */
export const rounding: Step = {
  subject: 'rounding',
  send: async (run) => {
    const { from, to } = run.plan;
    for (const [source, target] of [[from, to] as const, ...otherPairs(run)]) {
      const own = ofPair(run.seen(), source, target);
      const last = own.at(-1);
      if (last === undefined || noDecimals.includes(source)) continue;
      const rule = fitRule(toPoints(own)) ?? {};
      const isInside = own.some((one) => modeOf(one) === 'inside');
      await quoteEach(run, source, target, findHalves(last.rate, rule, isInside));
    }
  },
};

/** Returns amounts in hundredths whose received amount is exactly between two hundredths: two above an even, two above an odd one. */
function findHalves(rate: Micro, rule: FeeRule, isInside: boolean): bigint[] {
  const halves: readonly bigint[][] = [[], []];
  for (const step of [1n, 50n, 500n, 5_000n, 50_000n, 500_000n])
    for (let count = 1n; count < 4_000n; count += 1n) {
      const cents = step * count;
      const exact = (isInside ? cents - computeFee(rule, cents, 'half_up') : cents) * rate;
      if (exact % ONE === ONE / 2n) halves[Number((exact / ONE) % 2n)]?.push(cents);
    }
  return halves.flatMap((own) => own.slice(0, 2));
}

/** Returns the rounding that agrees with all quotes. Undefined if none or several do. */
function readRounding(seen: Seen): Rounding | undefined {
  const all = seen.quotes.filter(tells).map(listPossible);
  const agreeing = roundings.filter((one) => all.every((possible) => possible.includes(one)));
  return agreeing.length === 1 ? agreeing[0] : undefined;
}

const roundingQuestion: Question = {
  setting: 'rounding',
  ask: rounding,
  second: 'amounts of another currency',
  read: (seen) => {
    const { from, to } = seen.facts;
    const own = ofPair(seen, from, to).filter(tells);
    if (own.length === 0)
      return { unknown: 'nothing shows it: send quotes whose received amount is not exact' };
    const evidence = `${own.length} quotes, such as ${own[0] ? writeReceived(own[0]) : ''}`;
    const differing = (name: Rounding): PricedQuote[] =>
      own.filter((one) => !listPossible(one).includes(name));
    const [value, ...others] = roundings.toSorted((a, b) => differing(a).length - differing(b).length);
    const against = value === undefined ? [] : differing(value).map(writeReceived);
    if (2 * against.length > own.length)
      return { other: `no rounding of the shown rate gives ${against.slice(0, 2).join(', ')}` };
    const untold = others.filter((one) => differing(one).length === 0);
    const missing =
      untold.length > 0 ? [`no amount tells ${[value, ...untold].join(' from ')}`] : against.slice(0, 2);
    return { value, evidence, missing };
  },
  proves: (seen, value) => {
    const { from, to } = seen.facts;
    const others = seen.quotes.filter((one) => (one.from !== from || one.to !== to) && tells(one));
    const isRight = (one: PricedQuote): boolean => listPossible(one).includes(value as Rounding);
    return sortOut(others, isRight, writeReceived);
  },
};

const writeReceived = (one: PricedQuote): string =>
  `${writeMicro(one.net)} ${one.from} at ${writeMicro(one.rate)} is ${writeMicro(one.receive)} ${one.to}`;

/** Received amounts in currencies without decimals. */
const minorUnits: Question = repeated<PricedQuote>({
  setting: 'minorUnits',
  ask: currencyQuotes,
  request: 'quotes to JPY and KRW',
  list: (seen) => seen.quotes.filter(({ to }) => noDecimals.includes(to) || to === 'KWD'),
  keyOf: ({ to, send }) => `${to} ${send}`,
  show: (one) => {
    const text = `${writeMicro(one.receive)} ${one.to}`;
    // No value has three decimals.
    if (one.to === 'KWD') return one.receive % CENT === 0n ? undefined : { text };
    if (one.receive % ONE !== 0n) return { text, value: 'two' };
    // A whole amount shows rounding only if the exact one is far from it.
    const rest = ((one.net * one.rate) / ONE) % ONE;
    return rest > 2n * CENT && rest < ONE - 2n * CENT ? { text, value: 'iso' } : undefined;
  },
});

/** The quotes of each pair of currencies, those from the currency of the caller first. */
function listPairs({ quotes, facts: { from } }: Seen): Map<string, PricedQuote[]> {
  const pairs = new Map<string, PricedQuote[]>();
  for (const one of [...quotes.filter((each) => each.from === from), ...quotes]) {
    const pair = `${one.from}/${one.to}`;
    pairs.set(pair, [...(pairs.get(pair) ?? []).filter((each) => each !== one), one]);
  }
  return pairs;
}

/** Whether the rate of a pair is that by the rates to the dollar but for their rounding. */
const isCross = ({ rate }: PricedQuote, over: Micro, under: Micro): boolean => {
  const expected = (Number(ONE) * Number(over)) / Number(under);
  return Math.abs(Number(rate) - expected) <= 2 + expected / 10_000;
};

/** The rates of the pairs that were asked. */
const rates: Question = {
  setting: 'rates',
  ask: currencyQuotes,
  second: 'a quote of a pair without dollars, and a second one of each pair',
  read: (seen) => {
    const pairs = listPairs(seen);
    if (pairs.size === 0) return { unknown: 'nothing shows it: send a quote' };
    const shown = [...pairs].map(([pair, [first]]) => [pair, writeMicro(first?.rate ?? 0n)]);
    const once = [...pairs].flatMap(([pair, own]) => (own.length === 1 ? [pair] : []));
    return {
      value: { pairs: Object.fromEntries(shown) },
      evidence: `${pairs.size} pairs of currencies`,
      missing: once.length > 0 ? [`one quote only of ${once.slice(0, 3).join(', ')}`] : [],
    };
  },
  proves: (seen) => {
    const pairs = listPairs(seen);
    const moved = [...pairs.values()].flatMap((own) =>
      own.filter(({ rate }) => rate !== own[0]?.rate).slice(0, 1),
    );
    // The pairs that were not asked follow from those with dollars, if the others do.
    const rateOf = (code: string): Micro => pairs.get(`USD/${code}`)?.[0]?.rate ?? 0n;
    const others = [...pairs].flatMap(([pair, [first]]) => (first && !pair.includes('USD') ? [first] : []));
    const { agree, against } = sortOut(
      others.filter(({ from, to }) => rateOf(from) > 0n && rateOf(to) > 0n),
      (one) => isCross(one, rateOf(one.to), rateOf(one.from)),
      writeRate,
    );
    return {
      agree: pairs.size > 2 ? agree : ['each pair again'],
      against: [...moved.map(writeRate), ...against],
    };
  },
};

const writeRate = ({ from, to, send, rate }: PricedQuote): string =>
  `${from}/${to} is ${writeMicro(rate)} for ${writeMicro(send)}`;

/** The balances before the first payment. */
const wallets: Question = repeated<Call>({
  setting: 'wallets',
  ask: plainQuotes,
  request: 'GET /balance before the first payment',
  list: ({ balances, payments }) =>
    balances.filter(({ order }) => order < (payments[0]?.create.order ?? Infinity)).slice(0, 4),
  // The second read is what proves the first one.
  keyOf: (_, index) => index,
  show: (call) => {
    const codes = listWallets(call).toSorted();
    const entries = codes.map((code) => [code, readBalance(call, code)] as const);
    if (codes.length === 0 || entries.some(([, micro]) => micro === undefined)) return undefined;
    const value = Object.fromEntries(entries.map(([code, micro = 0n]) => [code, writeCents(micro / CENT)]));
    return { text: JSON.stringify(value), value };
  },
});

export const moneyQuestions: readonly Question[] = [
  minorUnits,
  rates,
  feeQuestion,
  roundingQuestion,
  wallets,
];
