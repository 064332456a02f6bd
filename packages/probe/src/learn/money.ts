// Fees, rates, rounding, currencies and wallets.
import type { ProfileChoice } from '@service/mock';
import {
  CENT,
  computeExactFee,
  defaultCurrencies,
  FEE_PARTS,
  type FeeRule,
  type Micro,
  toMicro,
  toRecord,
  writeCents,
  writeMicro,
} from '@service/internal';
import { type Finding, found, other, partly, unknown } from '../finding.ts';
import { listProblems, type Traffic } from '../traffic.ts';
import { addRounding, agrees, type FeePoint, fitFees } from './fit-fees.ts';

/** Currencies without minor units. */
export const noDecimals: readonly string[] = ['JPY', 'KRW', 'VND', 'CLP', 'UGX', 'XOF'];

const ONE = 1_000_000n;
/** The amount of quotes whose rate is read, in hundredths. */
export const SAMPLE = 100_000n;

/** The amounts and the rate of a quote, in millionths. */
interface Quoted {
  readonly from: string;
  readonly to: string;
  readonly at: number;
  readonly send: Micro;
  readonly fee: Micro;
  readonly rate: Micro;
  readonly receive: Micro;
}

/** Returns the quotes of valid requests whose amounts can be read. */
export function readQuotes({ quotes }: Traffic): Quoted[] {
  return quotes.flatMap((call): Quoted[] => {
    const { send_amount, fee, rate, receive_amount } = call.response.data;
    const [send, cost, price, receive] = [send_amount, fee, rate, receive_amount].map(toMicro);
    const isValid = listProblems(call).every(({ kind }) => kind === 'currency_same');
    if (!isValid || send === undefined || cost === undefined || price === undefined || receive === undefined)
      return [];
    // A fee that is taken out of a smaller amount can be cut.
    if (price <= 0n || cost < 0n || (cost >= send && receive === 0n) || receive < 0n) return [];
    const { from_currency, to_currency } = call.sent;
    return [
      {
        from: String(from_currency),
        to: String(to_currency),
        at: call.start,
        send,
        fee: cost,
        rate: price,
        receive,
      },
    ];
  });
}

/** Learns the settings for money. */
export function learnMoney(traffic: Traffic): Finding[] {
  const quotes = readQuotes(traffic);
  const mode = evaluateMode(traffic, quotes);
  const isInside = mode.state === 'found' && mode.value === 'inside';
  const { from } = traffic;
  return [
    evaluateWallets(traffic),
    mode,
    mode.state === 'found' && mode.value === 'inRate'
      ? evaluateMargin(traffic, quotes)
      : evaluateFees(traffic, quotes),
    evaluateMinorUnits(quotes.filter((one) => one.from === from)),
    evaluateRounding(quotes, isInside).finding,
    evaluateCurrencies(traffic),
    evaluateRates(traffic, quotes),
  ];
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

function evaluateMode({ from, to }: Traffic, quotes: readonly Quoted[]): Finding {
  const own = quotes.filter((one) => one.from === from && one.to === to);
  const [shown] = own.toSorted((one, two) => (one.fee > two.fee ? -1 : 1));
  if (shown === undefined) return unknown('feeMode', 'no quote was read');
  const { send, fee, rate, receive } = shown;
  const evidence = `send_amount ${writeMicro(send)}, fee ${writeMicro(fee)}, rate ${writeMicro(rate)}, receive_amount ${writeMicro(receive)}`;
  if (own.every((one) => one.fee === 0n)) return evaluateNoFee({ from, to }, quotes, evidence);
  const fits = (is: (one: Quoted) => Micro): boolean => own.every((one) => matchesReceive(one, is(one)));
  const [isInside, isOnTop] = [fits((one) => one.send - one.fee), fits((one) => one.send)];
  if (!isInside && !isOnTop) return other('feeMode', evidence);
  if (isInside && isOnTop)
    return unknown('feeMode', `the fee is too small to be measured: ${evidence}`, ['inside', 'onTop']);
  return found('feeMode', isInside ? 'inside' : 'onTop', `${evidence}; and ${own.length - 1} more quotes`);
}

/** Returns true if an amount at the rate gives the received one, but for the rounding and hidden digits of the rate. */
function matchesReceive({ rate, receive }: Quoted, amount: Micro): boolean {
  const product = (amount * rate) / ONE;
  const slack = (receive % ONE === 0n ? ONE : 2n * CENT) + product / 10_000n;
  return abs(product - receive) <= slack;
}

export interface Pair {
  readonly from: string;
  readonly to: string;
}

/** Determines a fee in the rate: a quote without an exchange has only it, and both directions of a pair have it. */
function evaluateNoFee({ from, to }: Pair, quotes: readonly Quoted[], evidence: string): Finding {
  const same = quotes.find((one) => one.from === from && one.to === from);
  const own = quotes.filter((one) => one.from === from && one.to === to);
  if (isMoving(own) && same?.rate !== ONE)
    return unknown('feeMode', `no fee, and the rate changes: ${evidence}`, ['inRate', 'none']);
  if (same !== undefined)
    return found(
      'feeMode',
      same.rate < ONE ? 'inRate' : 'none',
      `no fee; rate ${writeMicro(same.rate)} without an exchange`,
    );
  const { there, back } = findBoth({ from, to }, quotes);
  if (there === undefined || back === undefined)
    return unknown('feeMode', `no fee, and no quote from ${to} to ${from}: ${evidence}`, ['inRate', 'none']);
  const both = `no fee; rate ${writeMicro(there)} to ${to}, rate ${writeMicro(back)} back to ${from}`;
  const product = (there * back) / ONE;
  if (product < 999_000n) return found('feeMode', 'inRate', both);
  return product > 999_500n && product < 1_000_500n
    ? found('feeMode', 'none', both)
    : unknown('feeMode', both, ['inRate', 'none']);
}

/** Returns the rates of both directions that were quoted at nearly the same time. */
function findBoth({ from, to }: Pair, quotes: readonly Quoted[]): { there?: Micro; back?: Micro } {
  const back = quotes.findLast((one) => one.from === to && one.to === from);
  if (back === undefined) return {};
  const [there] = quotes
    .filter((one) => one.from === from && one.to === to)
    .toSorted((one, two) => Math.abs(one.at - back.at) - Math.abs(two.at - back.at));
  return { ...(there && { there: there.rate }), back: back.rate };
}

const MAX_PERCENT = 20n;

function evaluateMargin({ from, to }: Traffic, quotes: readonly Quoted[]): Finding {
  const same = quotes.find((one) => one.from === from && one.to === from && one.rate < ONE);
  if (same !== undefined)
    return found(
      'fees',
      [{ percent: writeMicro((ONE - same.rate) * 100n) }],
      `rate ${writeMicro(same.rate)} from ${from} to ${from}`,
    );
  const { there = 0n, back = 0n } = findBoth({ from, to }, quotes);
  const evidence = `rate ${writeMicro(there)} to ${to}, rate ${writeMicro(back)} back to ${from}`;
  const [least, most] = [(there - 1n) * (back - 1n), (there + 1n) * (back + 1n)];
  for (let decimals = 0; decimals <= 4; decimals += 1) {
    const step = 10n ** BigInt(6 - decimals);
    for (let percent = step; percent <= MAX_PERCENT * ONE; percent += step) {
      const kept = (FEE_PARTS - percent) ** 2n / 10_000n;
      if (kept >= least && kept <= most) return found('fees', [{ percent: writeMicro(percent) }], evidence);
    }
  }
  return unknown('fees', `the margin does not follow from ${evidence}`);
}

/** The fees of a pair. */
interface PairFees extends Pair {
  /** From the first quote on. */
  readonly points: readonly FeePoint[];
  readonly unit: bigint;
  /** The amounts that were asked, also those that were refused. */
  readonly asked: ReadonlySet<bigint>;
}

/** Collects the fees of each pair, the pair of the plan first. */
function listFees(traffic: Traffic, quotes: readonly Quoted[]): PairFees[] {
  const asked = new Map<string, Set<bigint>>();
  for (const { sent, path } of traffic.calls)
    if (path === '/quotes' && typeof sent.amount === 'number') {
      const name = `${String(sent.from_currency)}/${String(sent.to_currency)}`;
      asked.set(name, (asked.get(name) ?? new Set()).add((toMicro(sent.amount) ?? 0n) / CENT));
    }
  const own = `${traffic.from}/${traffic.to}`;
  return [...asked]
    .filter(([name]) => /^[A-Z]{3}\/[A-Z]{3}$/.test(name))
    .toSorted(([one], [two]) => Number(two === own) - Number(one === own))
    .map(([name, amounts]) => {
      const [from = '', to = ''] = name.split('/');
      const all = quotes.filter((one) => one.from === from && one.to === to && one.send % CENT === 0n);
      const points = new Map(
        all.map(({ send, fee }) => [send / CENT, { amount: send / CENT, fee: fee / CENT }]),
      );
      const isWhole = noDecimals.includes(from) && all.every(({ fee }) => fee % ONE === 0n);
      return { from, to, points: [...points.values()], unit: isWhole ? 100n : 1n, asked: amounts };
    });
}

/** 0.01 to 100000000.00, and the largest amount of the contract. */
const decades = [...Array.from({ length: 11 }, (_, power) => 10n ** BigInt(power)), 99_999_999_999n];
/** Amounts that are not round, so that their fee has to be rounded. */
const odd = [3n, 37n, 1_234n, 5_789n, 34_567n, 123_457n, 9_876_543n, 45_678_901n, 8_765_432_109n];
/** Small, medium and large amounts that show whether a pair has the rule of another pair. */
const compared = [1_000n, 12_300n, 456_700n, 98_765_400n];
/** The most pairs whose rules are measured one by one. */
const MAX_PAIRS = 6;

/** Returns the amounts, in hundredths, whose fees would tell more. Empty when the rules are measured. */
export function planFees(traffic: Traffic): (Pair & { readonly amounts: readonly bigint[] })[] {
  const [main, ...others] = listFees(traffic, readQuotes(traffic));
  if (main === undefined || (main.points.length > 2 && main.points.every(({ fee }) => fee === 0n))) return [];
  const first = chooseAmounts(main);
  if (first.length > 0) return [{ ...main, amounts: first }];
  const rules: FeeRule[] = [fitRule(main)].flatMap((rule) => rule ?? []);
  const groups = new Set<string>();
  const wallets = new Set([main.from, main.to, ...readWallets(traffic).map(([code]) => code)]);
  return others
    .filter(({ points, from }) => points.length > 0 && wallets.has(from))
    .flatMap((pair) => {
      const isSource = pair.from !== main.from;
      const known = rules.find((rule) => agrees(rule, pair.points, pair.unit));
      const fresh = compared.filter((amount) => !pair.asked.has(amount));
      if (known !== undefined) {
        // One destination shows the fees from another wallet.
        const isAsked = !isSource || groups.has(pair.from) || fresh.length === 0;
        groups.add(pair.from);
        return isAsked ? [] : [{ ...pair, amounts: fresh }];
      }
      const group = `${pair.from} ${pair.points[0]?.fee} ${isSource ? pair.to : ''}`;
      if (groups.has(group) || groups.size >= MAX_PAIRS) return [];
      groups.add(group);
      const amounts = chooseAmounts(pair);
      const rule = amounts.length === 0 ? fitRule(pair) : undefined;
      if (rule !== undefined) rules.push(rule);
      return amounts.length === 0 ? [] : [{ ...pair, amounts }];
    });
}

/** Returns the next amounts that narrow the rule of a pair. */
function chooseAmounts({ points, unit, asked }: PairFees): bigint[] {
  const fresh = (amounts: readonly bigint[]): bigint[] =>
    [...new Set(amounts.map((amount) => amount - (amount % unit)))].filter(
      (amount) => amount > 0n && !asked.has(amount),
    );
  const sorted = points.toSorted(byAmount);
  const start = fresh(decades);
  if (start.length > 0) return start;
  // Each minimum is less than the fee of the smallest amount, and can show only in the fees of smaller amounts.
  const smaller = fresh(sorted.slice(0, 1).map(({ fee }) => fee + unit));
  if (smaller.length > 0) return smaller;
  const { rules, line } = fitFees(points, unit);
  const precise = fresh(rules.slice(0, 3).flatMap((rule) => choosePrecise(rule, points)));
  if (precise.length > 0) return precise;
  return rules.length === 1 ? [] : fresh(chooseNarrower(sorted, line));
}

const byAmount = (one: FeePoint, two: FeePoint): number => (one.amount < two.amount ? -1 : 1);

/** Returns the amounts in the middle between the percentage and the minimum, and between it and the maximum. */
function chooseNarrower(sorted: readonly FeePoint[], line: readonly FeePoint[]): bigint[] {
  const [first, last] = [line[0], line.at(-1)];
  if (first === undefined || last === undefined) {
    const at = sorted.findIndex(({ fee }) => fee !== sorted[0]?.fee);
    return middle(sorted[at - 1], sorted[at]);
  }
  const below = sorted.findLast(({ amount }) => amount < first.amount);
  const above = sorted.find(({ amount }) => amount > last.amount);
  return [...middle(below, first), ...middle(last, above)];
}

/** Returns the amount between two points: their geometric mean while they are far apart. */
function middle(low: FeePoint | undefined, high: FeePoint | undefined): bigint[] {
  if (low === undefined || high === undefined) return [];
  let mean = (low.amount + high.amount) / 2n;
  while (mean > low.amount * 4n) mean /= 2n;
  return mean > low.amount && mean < high.amount ? [mean] : [];
}

/** Returns amounts that the rule was not fitted to: odd ones, and those around its minimum and maximum. */
function choosePrecise(rule: FeeRule, points: readonly FeePoint[]): bigint[] {
  const largest = points.reduce((most, { amount }) => (amount > most ? amount : most), 0n);
  const share = computeExactFee({ percent: rule.percent ?? '0' }, 1n);
  const kinks = [rule.minimum, rule.maximum].flatMap((limit) => {
    if (limit === undefined || share === 0n) return [];
    const rest = ((toMicro(limit) ?? 0n) - (toMicro(rule.flat) ?? 0n)) / CENT;
    const kink = (rest * FEE_PARTS) / share;
    const near = (kink * 9n) / 10n;
    return [near, kink - 3n * (FEE_PARTS / share), kink + 3n * (FEE_PARTS / share), kink + (kink - near)];
  });
  return [...odd, ...kinks].filter((amount) => amount > 0n && amount <= largest);
}

/** Number of the last points that confirm a rule: it must follow from the others. */
const CONFIRMING = 4;

/** Returns the rule that gives all fees of a pair, and that follows without the last ones. */
function fitRule({ points, unit }: PairFees): FeeRule | undefined {
  if (points.length <= CONFIRMING + 2) return undefined;
  const { rules } = fitFees(points.slice(0, -CONFIRMING), unit);
  const fitting = rules.filter((rule) => agrees(rule, points, unit));
  const rule = fitting[Math.floor(fitting.length / 2)] ?? fitLate({ points, unit });
  return rule && addRounding(rule, points, unit);
}

/** Returns the only rule of all points, whose last ones show its limits. */
function fitLate({ points, unit }: Pick<PairFees, 'points' | 'unit'>): FeeRule | undefined {
  const { rules } = fitFees(points, unit);
  return rules.length === 1 && points.length > 3 * CONFIRMING ? rules[0] : undefined;
}

function evaluateFees(traffic: Traffic, quotes: readonly Quoted[]): Finding {
  const [main, ...others] = listFees(traffic, quotes);
  if (main === undefined || main.points.length === 0) return unknown('fees', 'no quote was read');
  if (main.points.every(({ fee }) => fee === 0n)) return unknown('fees', 'no quote has a fee');
  const rule = fitRule(main);
  if (rule === undefined) {
    const reason = main.points.length > CONFIRMING + 2 ? 'no rule gives them' : 'too few to tell the rule';
    return main.points.length > CONFIRMING + 2
      ? partly('fees', [`the fees ${formatPoints(main)}`], `${reason}: ${formatPoints(main)}`)
      : unknown('fees', `${formatPoints(main)}: ${reason}`);
  }
  const rules: (Pair & { readonly rule: FeeRule })[] = [];
  const missing: string[] = [];
  const measured = [main, ...others].filter(({ points }) => points.length > 0);
  const known: FeeRule[] = [rule];
  for (const pair of measured.toSorted((one, two) => two.points.length - one.points.length)) {
    const same = known.find((each) => agrees(each, pair.points, pair.unit)) ?? fitRule(pair);
    if (same === undefined) missing.push(`the fees from ${pair.from} to ${pair.to}`);
    else {
      if (!known.includes(same)) known.push(same);
      rules.push({ from: pair.from, to: pair.to, rule: same });
    }
  }
  const value = combineRules(rules, rule);
  const evidence = `${describeRule(rule)}: ${formatPoints(main)}; ${rules.length} pairs, ${value.length} rules`;
  return missing.length === 0 ? found('fees', value, evidence) : partly('fees', missing, evidence, value);
}

/** Joins the rules of pairs: those of a destination or a source that all its pairs share, and last the one of all others. */
function combineRules(pairs: readonly (Pair & { readonly rule: FeeRule })[], usual: FeeRule): FeeRule[] {
  const rest = pairs.filter(({ rule }) => rule !== usual);
  const joined: FeeRule[] = [];
  const done = new Set<object>();
  // A rule of one side can show the rest of the other side as another one.
  for (const side of ['from', 'to', 'from', 'to'] as const)
    for (const one of rest) {
      if (done.has(one)) continue;
      const group = pairs.filter((each) => each[side] === one[side] && !done.has(each));
      if (!group.every(({ rule, from, to }) => rule === one.rule || from === to)) continue;
      joined.push({ [side]: one[side], ...one.rule });
      for (const each of group) if (each.rule === one.rule) done.add(each);
    }
  const single = rest.filter((one) => !done.has(one)).map(({ from, to, rule }) => ({ from, to, ...rule }));
  const exceptions = pairs.filter(
    ({ from, to, rule }) =>
      rule === usual && from === to && joined.some((one) => one.to === to || one.from === from),
  );
  return [...single, ...exceptions.map(({ from, to }) => ({ from, to, ...usual })), ...joined, usual];
}

const SHOWN = 6;

/** Formats some of the points, from the smallest to the largest amount. */
function formatPoints({ points, from }: PairFees): string {
  const sorted = points.toSorted(byAmount);
  const every = Math.max(1, Math.ceil(sorted.length / SHOWN));
  const shown = sorted.filter((_, index) => index % every === every - 1);
  const texts = shown.map(({ amount, fee }) => `${writeCents(fee)} on ${writeCents(amount)} ${from}`);
  return `${texts.join(', ')} (${points.length} amounts)`;
}

/** Describes a rule in words. */
function describeRule({ percent, flat, minimum, maximum, rounding }: FeeRule): string {
  const parts = [
    percent === undefined ? '' : `${percent} %`,
    flat === undefined ? '' : `${percent === undefined ? '' : 'plus '}${flat}`,
    minimum === undefined ? '' : `at least ${minimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    rounding === undefined ? '' : `rounded ${rounding}`,
  ];
  return parts.filter(Boolean).join(', ') || 'no fee';
}

/** Checks for decimals in currencies without minor units, and for a third decimal in currencies with three. */
function evaluateMinorUnits(quotes: readonly Quoted[]): Finding {
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

type Rounding = ProfileChoice['rounding'];

const shareOf = ([down = 0, up = 0]: readonly number[]): 'up' | 'down' | 'mixed' | undefined =>
  down + up < 2 ? undefined : down === 0 ? 'up' : up === 0 ? 'down' : 'mixed';

/**
 * Determines the rounding from the received amounts whose exact value lies between two hundredths. `missing` are the kinds of
 * amounts that no quote has.
 */
export function evaluateRounding(
  quotes: readonly Quoted[],
  isInside: boolean,
): { readonly finding: Finding; readonly missing: readonly ('above' | 'below' | 'even' | 'odd')[] } {
  const seen = { above: [0, 0], below: [0, 0], even: [0, 0], odd: [0, 0] };
  const examples: string[] = [];
  for (const { send, fee, rate, receive, to } of quotes) {
    const product = ((isInside ? send - fee : send) / CENT) * rate;
    const rest = product % ONE;
    if (noDecimals.includes(to) || receive % CENT !== 0n || rest === 0n) continue;
    const steps = receive / CENT - product / ONE;
    const text = `${writeMicro(isInside ? send - fee : send)} * ${writeMicro(rate)} = ${writeMicro(product / 100n)}, receive_amount ${writeMicro(receive)}`;
    if (steps !== 0n && steps !== 1n)
      return {
        finding: unknown(
          'rounding',
          `receive_amount does not follow from the fee and the shown digits of the rate: ${text}`,
        ),
        missing: [],
      };
    const isHalf = rest * 2n === ONE;
    const kind = isHalf
      ? (product / ONE) % 2n === 0n
        ? 'even'
        : 'odd'
      : rest * 2n > ONE
        ? 'above'
        : 'below';
    seen[kind][Number(steps)] = (seen[kind][Number(steps)] ?? 0) + 1;
    if (isHalf && examples.length < 3) examples.push(text);
  }
  const [above, below, even, halves] = [seen.above, seen.below, seen.even, seen.odd].map(shareOf);
  const counts = Object.entries(seen)
    .map(([kind, [down, up]]) => `${kind} ${down} down ${up} up`)
    .join(', ');
  const evidence = `exact amounts between hundredths: ${counts}${examples.length > 0 ? `; ${examples.join('; ')}` : ''}`;
  const names = ['above', 'below', 'even', 'odd'] as const;
  const missing = names.filter((name) => shareOf(seen[name]) === undefined);
  const finish = (finding: Finding) => ({ finding, missing });
  if ([above, below, even, halves].includes('mixed')) return finish(unknown('rounding', evidence));
  if (above === 'up' && below === 'up') return finish(other('rounding', `always rounded up; ${evidence}`));
  if (above === 'down' && below === 'down')
    return { finding: found('rounding', 'down', evidence), missing: [] };
  if (above !== 'up' || below !== 'down') return finish(unknown('rounding', evidence));
  if (even === 'up' && halves !== 'down') return finish(found('rounding', 'half_up', evidence));
  if (even === 'down' && halves === 'up') return finish(found('rounding', 'half_even', evidence));
  if (even === 'down' && halves === 'down')
    return finish(other('rounding', `halves are rounded down; ${evidence}`));
  return finish(unknown('rounding', evidence, ['half_up', 'half_even'] satisfies Rounding[]));
}

/** The fewest currencies that a survey asks. */
const SURVEY = 20;

function evaluateCurrencies({ calls, from }: Traffic): Finding {
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
  if (new Set(asked).size < SURVEY) return unknown('currencies', 'too few currencies were asked');
  const received = codes('to_currency', true);
  const supported = [...new Set([from, ...received])].toSorted();
  const sources = codes('from_currency', true);
  const refused = [...codes('from_currency', false)].filter(
    (code) => !sources.has(code) && received.has(code),
  );
  const evidence = `${supported.length} of ${new Set([...asked, from]).size} codes: ${supported.join(', ')}; others not asked`;
  if (supported.includes('XXX'))
    return unknown('currencies', 'the service quotes XXX, which is not a currency');
  if (supported.length === 1) return unknown('currencies', `the service quotes no currency from ${from}`);
  const value = supported.join(' ') === defaultCurrencies.join(' ') ? 'default' : supported;
  return refused.length === 0
    ? found('currencies', value, evidence)
    : partly(
        'currencies',
        refused.map((code) => `${code} can only be received`),
        evidence,
        value,
      );
}

/** Returns the currencies and balances of the first response with them. */
function readWallets({ balances }: Traffic): (readonly [code: string, balance: Micro | undefined])[] {
  const listed = balances[0]?.response.data.balances;
  return (Array.isArray(listed) ? listed : [])
    .map(toRecord)
    .map(({ currency, balance }) => [String(currency), toMicro(balance)] as const);
}

function evaluateWallets(traffic: Traffic): Finding {
  const { balances, payments } = traffic;
  const [first] = balances;
  const created = payments[0]?.create.order ?? Infinity;
  if (first === undefined || first.order > created)
    return unknown('wallets', 'requires GET /balance before the first payment');
  const wallets = readWallets(traffic);
  if (
    wallets.length === 0 ||
    wallets.some(([code, balance]) => !/^[A-Z]{3}$/.test(code) || balance === undefined)
  )
    return other('wallets', 'the balances cannot be read');
  const known = wallets.map(([code, balance = 0n]) => [code, balance] as const);
  const evidence = `balances now: ${known.map(([code, balance]) => `${writeMicro(balance)} ${code}`).join(', ')}`;
  const isDefault =
    known
      .map(([code]) => code)
      .toSorted()
      .join(' ') === 'EUR GBP USD' && known.every(([, balance]) => balance === 100_000n * ONE);
  if (isDefault) return found('wallets', 'default', evidence);
  if (known.some(([, balance]) => balance < 0n))
    return unknown('wallets', `a balance is negative; ${evidence}`);
  return found(
    'wallets',
    Object.fromEntries(known.map(([code, balance]) => [code, writeCents(balance / CENT)])),
    evidence,
  );
}

/** Returns whether quotes for the same amount had different rates. */
function isMoving(quotes: readonly Quoted[]): boolean {
  return quotes.some(({ send, rate }) => quotes.some((one) => one.send === send && one.rate !== rate));
}

/** Evaluates the last rate of each pair. A rate that moves, or depends on the amount, is only partly measured. */
function evaluateRates({ from, to }: Traffic, quotes: readonly Quoted[]): Finding {
  const samples = quotes.filter(({ send }) => send === SAMPLE * CENT);
  const last = new Map(
    (samples.length > 0 ? samples : quotes).map((one) => [`${one.from}/${one.to}`, writeMicro(one.rate)]),
  );
  if (last.size === 0) return unknown('rates', 'no quote was read');
  const own = quotes.filter((one) => one.from === from && one.to === to && one.send >= ONE);
  const seen = [...new Set(own.map(({ rate }) => writeMicro(rate)))];
  const pairs = Object.fromEntries([...last].filter(([name]) => name.slice(0, 3) !== name.slice(4)));
  const evidence = `${last.size} pairs; ${from}/${to} ${seen.slice(0, 4).join(', ')}`;
  const measured = quotes.filter(({ send }) => send >= ONE);
  const differs = measured.some((one) =>
    measured.some((two) => one.from === two.from && one.to === two.to && one.rate !== two.rate),
  );
  if (isMoving(own))
    return partly('rates', ['the movement of the rates, which is not measured'], evidence, { pairs });
  return differs
    ? partly('rates', ['the rates of other amounts'], evidence, { pairs })
    : found('rates', { pairs }, evidence);
}
