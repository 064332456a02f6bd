// Fees, rates, rounding, currencies and wallets.
import {
  CENT,
  computeExactFee,
  defaultCurrencies,
  FEE_PARTS,
  type FeeRule,
  findFeeRule,
  type Micro,
  writeCents,
  writeMicro,
} from '@service/internal';
import { groupBy } from '../group.ts';
import { type Part, found, learned, other, partly, unknown } from '../finding.ts';
import { listProblems, type Traffic } from '../traffic.ts';
import { evaluateFees } from './fees.ts';
import {
  abs,
  noDecimals,
  ONE,
  type Pair,
  type Plan,
  type Quoted,
  readQuotes,
  readWallets,
  SAMPLE,
} from './quotes.ts';

/** Learns the settings for money. */
export function learnMoney(traffic: Traffic): Part[] {
  const quotes = readQuotes(traffic);
  const { from } = traffic;
  const rounding = evaluateRounding(quotes).finding;
  return [
    evaluateWallets(traffic),
    addRounding(evaluateFees(traffic, quotes), rounding, quotes),
    evaluateMinorUnits(quotes.filter((one) => one.from === from)),
    rounding,
    evaluateCurrencies(traffic),
    evaluateRates(traffic, quotes),
  ];
}

/** Adds the rounding of half a hundredth to the rules of fees, unless it is that of amounts or a rule has its own. */
function addRounding(fees: Part, amounts: Part, quotes: readonly Quoted[]): Part {
  if (!('value' in fees)) return fees;
  const rules = fees.value as readonly FeeRule[];
  const halves = quotes.flatMap(({ send, fee, ...pair }) => {
    const exact = findExactFee(rules, pair, send / CENT);
    const [floor, isHalf] = [exact / FEE_PARTS, exact % FEE_PARTS === FEE_PARTS / 2n];
    return isHalf && !noDecimals.includes(pair.from) ? [{ floor, isUp: fee / CENT > floor }] : [];
  });
  const possible = (['half_up', 'half_even'] as const).filter((name) =>
    halves.every(({ floor, isUp }) => isUp === (name === 'half_up' || floor % 2n === 1n)),
  );
  const usual = 'value' in amounts ? amounts.value : 'half_up';
  const [rounding] = possible;
  if (rounding === undefined || possible.some((name) => name === usual)) return fees;
  const value = rules.map((rule) => (rule.percent && !rule.rounding ? { ...rule, rounding } : rule));
  return { ...fees, value };
}

/** Returns the fee of an amount in parts of a hundredth. */
const findExactFee = (rules: readonly FeeRule[], { from, to }: Pair, amount: bigint): bigint =>
  computeExactFee(findFeeRule(rules, { from, to, amount }), amount);

/** The number of amounts whose fee is half a hundredth, and the step between the amounts that are tried. */
const [HALVES, STEP] = [4, 50n];

/** Returns amounts whose fee shows the rounding of half a hundredth. */
function planHalves(rules: readonly FeeRule[], pair: Pair): bigint[] {
  const amounts: bigint[] = [];
  for (let amount = STEP; amount < LAST && amounts.length < HALVES; amount += STEP)
    if (findExactFee(rules, pair, amount) % FEE_PARTS === FEE_PARTS / 2n) amounts.push(amount);
  return amounts;
}

/** Checks for decimals in currencies without minor units, and for a third decimal in currencies with three. */
function evaluateMinorUnits(quotes: readonly Quoted[]): Part {
  const third = quotes.find(({ to, receive }) => ['KWD', 'BHD'].includes(to) && receive % CENT !== 0n);
  if (third !== undefined) return other('minorUnits', `${writeMicro(third.receive)} ${third.to}`);
  const whole = quotes.filter(({ to }) => noDecimals.includes(to));
  const fraction = whole.find(({ receive }) => receive % ONE !== 0n);
  if (fraction !== undefined)
    return found('minorUnits', 'two', `${writeMicro(fraction.receive)} ${fraction.to}`);
  const rounded = whole.filter(({ send, fee, rate }) =>
    [send, send - fee].every((amount) => {
      const rest = ((amount * rate) / ONE) % ONE;
      return rest > 2n * CENT && rest < ONE - 2n * CENT;
    }),
  );
  if (rounded.length > 1)
    return found(
      'minorUnits',
      'iso',
      rounded.map(({ receive, to }) => `${writeMicro(receive)} ${to}`).join(', '),
    );
  const targets = noDecimals.join(', ');
  return unknown(
    'minorUnits',
    whole.length > 0
      ? `no quote to ${targets} shows whether amounts have decimals`
      : `no quote to ${targets} was accepted`,
  );
}

/** The kinds of exact amounts by their place between two hundredths. At a half, the lower one is even or odd. */
const kinds = ['above', 'below', 'even', 'odd'] as const;
type Kind = (typeof kinds)[number];

function kindOf(product: bigint): Kind | undefined {
  const rest = (product % ONE) * 2n;
  if (rest === 0n) return undefined;
  if (rest === ONE) return (product / ONE) % 2n === 0n ? 'even' : 'odd';
  return rest > ONE ? 'above' : 'below';
}

interface RoundingResult {
  readonly finding: Part;
  /** The kinds of amounts that the quotes do not have. */
  readonly missing: readonly Kind[];
}

/** Returns the exchanged amount: without the fee if that is nearer to the received one. */
function netOf({ send, fee, rate, receive }: Quoted): Micro {
  const distance = (amount: Micro): bigint => abs((amount * rate) / ONE - receive);
  return distance(send - fee) < distance(send) ? send - fee : send;
}

/** The kinds of amounts that each rounding rounds up. A profile has the first three. */
const roundedUp: Readonly<Record<string, readonly Kind[]>> = {
  down: [],
  half_up: ['above', 'even', 'odd'],
  half_even: ['above', 'odd'],
  half_down: ['above'],
  up: kinds,
};

/** Determines the rounding from the received amounts whose exact value lies between two hundredths. */
function evaluateRounding(quotes: readonly Quoted[]): RoundingResult {
  const seen: { readonly kind: Kind; readonly isUp: boolean }[] = [];
  for (const quote of quotes) {
    const { send, fee, rate, receive, to } = quote;
    const product = (netOf(quote) / CENT) * rate;
    const kind = kindOf(product);
    // The exchanged amount is not clear where the fee changes the received one by little.
    if (fee > 0n && (fee * rate) / ONE < 2n * CENT) continue;
    if (noDecimals.includes(to) || receive % CENT !== 0n || kind === undefined) continue;
    const steps = receive / CENT - product / ONE;
    if (steps !== 0n && steps !== 1n) {
      const text = `${writeMicro(send)}, fee ${writeMicro(fee)}, rate ${writeMicro(rate)}, receive_amount ${writeMicro(receive)}`;
      const evidence = `receive_amount does not follow from the fee and the shown digits of the rate: ${text}`;
      return { finding: unknown('rounding', evidence), missing: [] };
    }
    seen.push({ kind, isUp: steps === 1n });
  }
  const count = (kind: Kind, isUp: boolean): number =>
    seen.filter((one) => one.kind === kind && one.isUp === isUp).length;
  const missing = kinds.filter((kind) => count(kind, true) + count(kind, false) < 2);
  const shown = kinds.map((kind) => `${kind} ${count(kind, false)} down ${count(kind, true)} up`);
  const evidence = `exact amounts between hundredths: ${shown.join(', ')}`;
  const [mode, ...others] = Object.keys(roundedUp).filter((name) =>
    seen.every(({ kind, isUp }) => roundedUp[name]?.includes(kind) === isUp),
  );
  // Only one rounds both kinds beside the half in the same direction.
  const isOneWay =
    (mode === 'down' || mode === 'up') && !missing.includes('above') && !missing.includes('below');
  if (mode === undefined || others.length > 0 || (missing.length > 0 && !isOneWay))
    return { finding: unknown('rounding', evidence), missing };
  const isKnown = mode !== 'up' && mode !== 'half_down';
  return { finding: isKnown ? found('rounding', mode, evidence) : other('rounding', evidence), missing: [] };
}

/** The quotes of one pair for its rounding, those of one kind at once, and the largest amount, in hundredths. */
const [MAX_QUOTES, SAMPLES, LAST] = [160, 3, 2_001_000n];

/** Returns amounts whose product with a rate is of a kind, and not near to another one: a rate can have hidden digits. */
function listNets(rate: Micro, kind: Kind): bigint[] {
  const nets: bigint[] = [];
  const isHalf = kind === 'even' || kind === 'odd';
  // The product of other amounts is no half.
  const step = isHalf ? ONE / 2n / findDivisor(ONE / 2n, rate) : 1n;
  for (let net = step * (1_000n / step + 1n); net < LAST && nets.length < 4 * SAMPLES; net += step) {
    const distance = abs(((net * rate) % ONE) - ONE / 2n);
    if (kindOf(net * rate) === kind && (isHalf || distance > ONE / 10n)) nets.push(net);
  }
  return nets;
}

/** Returns the greatest common divisor. */
function findDivisor(one: bigint, two: bigint): bigint {
  return two === 0n ? one : findDivisor(two, one % two);
}

/** Returns the amount that is `net` without its fee. Undefined without one. */
function addFee(net: bigint, toFee: (amount: bigint) => bigint): bigint | undefined {
  let amount = net;
  for (let tries = 0; tries < 6 && amount - toFee(amount) !== net; tries += 1) amount = net + toFee(amount);
  return amount - toFee(amount) === net ? amount : undefined;
}

/** Returns amounts whose quotes would show the rounding. Empty when it is known, or cannot be found. */
export function planRounding(traffic: Traffic): Plan[] {
  const { from, to: usual } = traffic;
  const quotes = readQuotes(traffic);
  const fees = evaluateFees(traffic, quotes);
  const rules = 'value' in fees ? (fees.value as readonly FeeRule[]) : [];
  for (const to of new Set([usual, 'EUR', 'GBP', 'CHF', 'PLN', 'USD'])) {
    const own = quotes.filter((one) => one.from === from && one.to === to && one.fee < one.send);
    const base = own.findLast(({ send }) => send === SAMPLE * CENT) ?? own.at(-1);
    if (to === from || base === undefined) continue;
    const { finding, missing } = evaluateRounding(own);
    const asked = new Set(own.map(({ send }) => send / CENT));
    if (finding.state === 'found') {
      if (rules.every(({ percent }) => percent === undefined)) return [];
      const halves = planHalves(rules, { from, to }).filter((amount) => !asked.has(amount));
      return halves.length === 0 ? [] : [{ from, to, amounts: halves }];
    }
    if (own.length > MAX_QUOTES) continue;
    const isInside = netOf(base) < base.send;
    const toFee = (amount: bigint): bigint =>
      (findExactFee(rules, { from, to }, amount) + FEE_PARTS / 2n) / FEE_PARTS;
    const amounts = missing.flatMap((kind) =>
      listNets(base.rate, kind)
        .map((net) => (isInside ? addFee(net, toFee) : net))
        .filter((amount) => amount !== undefined && !asked.has(amount))
        .slice(0, SAMPLES),
    ) as bigint[];
    // The rate can have changed since the last quote of this amount.
    if (amounts.length > 0) return [{ from, to, amounts: [SAMPLE, ...amounts] }];
  }
  return [];
}

/** The fewest currencies that a survey asks. */
const SURVEY = 20;

function evaluateCurrencies({ calls, from }: Traffic): Part {
  const quotes = calls.filter(
    (call) =>
      call.method === 'POST' &&
      call.path === '/quotes' &&
      listProblems(call).every(({ kind }) => kind === 'currency_unknown'),
  );
  const codes = (side: 'from_currency' | 'to_currency', is: boolean): Set<string> =>
    new Set(quotes.filter((call) => call.response.accepted === is).map((call) => String(call.sent[side])));
  const asked = quotes
    .filter(({ sent }) => sent.from_currency === from)
    .map(({ sent }) => String(sent.to_currency));
  if (new Set(asked).size < SURVEY) return unknown('currencies.codes', 'too few currencies were asked');
  const received = codes('to_currency', true);
  const supported = [...new Set([from, ...received])].toSorted();
  const sources = codes('from_currency', true);
  const refused = [...codes('from_currency', false)].filter(
    (code) => !sources.has(code) && received.has(code),
  );
  const evidence = `${supported.length} of ${new Set([...asked, from]).size} codes: ${supported.join(', ')}; others not asked`;
  if (supported.includes('XXX'))
    return unknown('currencies.codes', 'the service quotes XXX, which is not a currency');
  if (supported.length === 1)
    return unknown('currencies.codes', `the service quotes no currency from ${from}`);
  const value = supported.join(' ') === defaultCurrencies.join(' ') ? 'default' : supported;
  return refused.length === 0
    ? found('currencies.codes', value, evidence)
    : partly(
        'currencies.codes',
        refused.map((code) => `${code} can only be received`),
        evidence,
        value,
      );
}

function evaluateWallets(traffic: Traffic): Part {
  const { balances, payments } = traffic;
  const [first] = balances;
  if (first === undefined || first.order > (payments[0]?.create.order ?? Infinity))
    return unknown('wallets', 'requires GET /balance before the first payment');
  const wallets = readWallets(traffic);
  const known = wallets.flatMap(([code, balance = -1n]) =>
    balance < 0n || !/^[A-Z]{3}$/.test(code) ? [] : [[code, writeCents(balance / CENT)] as const],
  );
  const evidence = `balances now: ${known.map(([code, balance]) => `${balance} ${code}`).join(', ')}`;
  if (known.length < wallets.length || known.length === 0)
    return other('wallets', `a balance is negative or cannot be read; ${evidence}`);
  const text = String(known.map(([code, balance]) => `${code} ${balance}`).toSorted());
  const isDefault = text === 'EUR 100000.00,GBP 100000.00,USD 100000.00';
  return found('wallets', isDefault ? 'default' : Object.fromEntries(known), evidence);
}

/** Returns whether two quotes with the same key have different rates. */
const differ = (quotes: readonly Quoted[], keyOf: (quote: Quoted) => unknown): boolean =>
  [...groupBy(quotes, keyOf).values()].some((each) => new Set(each.map(({ rate }) => rate)).size > 1);

/** Evaluates the last rate of each pair. A rate that moves, or depends on the amount, is only partly measured. */
function evaluateRates({ from, to }: Traffic, quotes: readonly Quoted[]): Part {
  const samples = quotes.filter(({ send }) => send === SAMPLE * CENT);
  const last = new Map(
    (samples.length > 0 ? samples : quotes).map((one) => [`${one.from}/${one.to}`, writeMicro(one.rate)]),
  );
  if (last.size === 0) return unknown('rates', 'no quote was read');
  const measured = quotes.filter(({ send }) => send >= ONE);
  const own = measured.filter((one) => one.from === from && one.to === to);
  const isMoving = differ(own, ({ send }) => send);
  const seen = [...new Set(own.map(({ rate }) => writeMicro(rate)))];
  const value = {
    pairs: Object.fromEntries([...last].filter(([name]) => name.slice(0, 3) !== name.slice(4))),
  };
  const evidence = `${last.size} pairs; ${from}/${to} ${seen.slice(0, 4).join(', ')}`;
  const differs = differ(measured, (one) => `${one.from}/${one.to}`);
  const movement = 'the movement of the rates, which is not measured';
  const missing = isMoving ? [movement] : differs ? ['the rates of other amounts'] : [];
  return learned('rates', value, evidence, missing);
}
