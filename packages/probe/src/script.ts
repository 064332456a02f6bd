// The requests of a run. What depends on earlier answers is asked again with a function of the exchanges so far.
import {
  CENT,
  defaultCurrencies,
  type Micro,
  toMicro,
  toRecord,
  writeCents,
  writeMicro,
} from '@service/internal';
import type { Client, RawRequest } from './client.ts';
import type { Exchange } from './exchange.ts';
import { NoResponse } from './finding.ts';
import { readHistory, rowsOf } from './history.ts';
import { OTHER_PARAMETER } from './learn/history.ts';
import { evaluateRounding, noDecimals, type Pair, planFees, readQuotes, SAMPLE } from './learn/money.ts';
import { isSameRefusal } from './learn/refusals.ts';
import { findLimits, watchPayments } from './learn/statuses.ts';
import { readBalance } from './learn/wallet.ts';
import type { ProbePlan } from './options.ts';
import type { WebhookRecorder } from './recorder.ts';
import { findLinks } from './templates/pages.ts';
import { type Call, type Facts, readTraffic, type Traffic } from './traffic.ts';

/** What a run uses. */
export interface Run extends Client {
  readonly plan: ProbePlan;
  readonly facts: Facts;
  /** The list to which each request adds. */
  readonly exchanges: readonly Exchange[];
  readonly recorder: WebhookRecorder | undefined;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Says what the run does, and what it waits for. */
  readonly report: (subject: string) => void;
}

/** The parts of a run, each with its subject. A part without a response leaves its settings unknown, and the others run. */
const parts: readonly (readonly [
  subject: string,
  run: (run: Run) => Promise<unknown>,
  needs?: 'payments',
])[] = [
  ['wallets', ({ send }) => send('/balance')],
  ['payments with webhooks that are not acknowledged', startRetries, 'payments'],
  ['authentication and paths', askAccess],
  ['invalid quotes', askQuotes],
  ['currencies and rates', askCurrencies],
  ['fees of amounts of each size', askFees],
  ['rounding', askRounding],
  ['the smallest and the largest amount', askLimits],
  ['payments until they complete or fail', followPayments, 'payments'],
  ['payments of several amounts', followAmounts, 'payments'],
  ['refused payments', askRefusals, 'payments'],
  ['idempotency keys', askKeys, 'payments'],
  ['texts of payments', askTexts, 'payments'],
  ['a payment above the rest of the balance', askHold, 'payments'],
  ['the transaction list', askLists],
  ['webhooks', awaitWebhooks, 'payments'],
  ['the rate limit', askBurst],
];

/** Makes the requests of a run. Returns whether all parts had their responses. */
export async function runScript(run: Run): Promise<boolean> {
  let isComplete = true;
  for (const [subject, part, needs] of parts) {
    if (run.plan.signal.aborted) return false;
    if (needs === 'payments' && !run.plan.payments) continue;
    run.report(subject);
    try {
      await part(run);
    } catch (error) {
      if (run.plan.signal.aborted) return false;
      if (!(error instanceof NoResponse)) throw error;
      isComplete = false;
    }
  }
  return isComplete;
}

const traffic = ({ exchanges, facts }: Run): Traffic => readTraffic(exchanges, facts);

/** Returns an API key that no account has. */
function createUnknownKey(): string {
  // The `+` keeps a sandbox with open accounts from opening one.
  return `service_test_unknown+${crypto.randomUUID()}`;
}

const unknownKey = (): NonNullable<RawRequest['headers']> => ({
  authorization: `Bearer ${createUnknownKey()}`,
});

/** Sends requests whose answers can be any refusal. */
async function ask(
  { send }: Run,
  requests: readonly (readonly [path: string, request?: RawRequest])[],
): Promise<void> {
  for (const [path, request = {}] of requests) await send(path, { ...request, isOutage: true });
}

/** Requests are sent twice where values that differ between two responses are not part of their text. */
async function askAccess(run: Run): Promise<void> {
  const { plan, exchanges } = run;
  const key = exchanges[0]?.request.headers.authorization?.replace('Bearer ', '') ?? '';
  const foreign =
    plan.foreignPayment === undefined ? [] : [`/payments/${encodeURIComponent(plan.foreignPayment)}`];
  await ask(run, [
    ...[1, 2].map(() => ['/balance', { headers: unknownKey() }] as const),
    ...[1, 2].map(() => ['/balance', { headers: { authorization: null } }] as const),
    ['/balance', { headers: { 'x-api-key': createUnknownKey(), authorization: `Bearer ${key}` } }],
    ['/balance', { headers: { ...unknownKey(), 'x-api-key': key } }],
    ['/balance/'],
    ['/no-such-path', { headers: unknownKey() }],
    ['/no-such-path'],
    ['/neither-this-path'],
    ['/quotes'],
    // Without payments, only quotes are sent.
    ...(plan.payments ? [['/balance', { body: {} }] as const] : []),
    ...['0', '1'].map((digit) => [`/payments/pay_test_${digit.repeat(24)}`] as const),
    ...['x', 'no-payment'].map((id) => [`/payments/${id}`] as const),
    ...[...foreign, ...foreign].map((path) => [path] as const),
    ['/balance'],
  ]);
}

const orderOf = ({ plan }: Run): { from_currency: string; to_currency: string; amount: number } => ({
  from_currency: plan.from,
  to_currency: plan.to,
  amount: Number(plan.amount),
});

async function askQuotes(run: Run): Promise<void> {
  const { plan, send } = run;
  const order = orderOf(run);
  const quote = (changes: object): readonly [string, RawRequest] => [
    '/quotes',
    { body: { ...order, ...changes } },
  ];
  const raw = (
    text: string,
    headers: NonNullable<RawRequest['headers']> = {},
  ): readonly [string, RawRequest] => ['/quotes', { raw: text, headers }];
  // Amounts whose products are not exact in a double, so that float tails appear.
  for (const amount of [order.amount, 3 * order.amount, 7 * order.amount, 29.07, 33.33])
    await send(...quote({ amount: Number(amount.toFixed(2)) }));
  const plain = { 'content-type': 'text/plain' };
  await ask(run, [
    quote({ from_currency: plan.to, to_currency: plan.from }),
    quote({ amount: 10.009 }),
    quote({ from_currency: plan.from.toLowerCase() }),
    raw('{'),
    raw('{', unknownKey()),
    raw('{"amount": 1,}'),
    raw('{"amount": 1,}'),
    raw('{}'),
    raw(JSON.stringify(order), plain),
    raw(JSON.stringify(order), plain),
    quote({ to_currency: undefined }),
    quote({ amount: undefined }),
    quote({ no_such_field: 1 }),
    ...[null, 5, 'EURO', 'XXX', plan.from].map((to_currency) => quote({ to_currency })),
    ...[null, [1], plan.amount, 'ten', 0, -5, -5, 1e15, 10.005].map((amount) => quote({ amount })),
    raw('[1]'),
    raw('[1]'),
  ]);
}

/** Codes that the mock does not have. The last one is not a currency. */
const otherCodes = 'ARS BGN BOB ISK JMD LKR PEN QAR RUB TZS UAH UYU XAF XXX'.split(' ');

const toQuote = ({ from, to }: Pair, cents: bigint): RawRequest => ({
  // Two decimals survive the conversion to a double.
  body: { from_currency: from, to_currency: to, amount: Number(writeCents(cents)) },
  isOutage: true,
});

async function quoteEach({ send }: Run, pair: Pair, amounts: Iterable<bigint>): Promise<Call[]> {
  const calls: Call[] = [];
  for (const amount of amounts) calls.push(await send('/quotes', toQuote(pair, amount)));
  return calls;
}

async function askCurrencies(run: Run): Promise<void> {
  const { from, to } = run.plan;
  const asked = [...defaultCurrencies, ...otherCodes].filter((code) => code !== from);
  const supported: string[] = [];
  for (const code of asked) {
    const [call] = await quoteEach(run, { from, to: code }, [SAMPLE]);
    if (call?.response.accepted) supported.push(code);
  }
  const { balances } = traffic(run);
  const listed = balances[0]?.response.data.balances;
  const codes = (Array.isArray(listed) ? listed : []).map((wallet) => String(toRecord(wallet).currency));
  const funded = [...new Set([to, ...codes])]
    .filter((code) => code !== from && supported.includes(code))
    .slice(0, 4);
  for (const source of supported) await quoteEach(run, { from: source, to: from }, [SAMPLE]);
  for (const source of funded)
    for (const target of funded)
      if (source !== target) await quoteEach(run, { from: source, to: target }, [SAMPLE]);
  for (const target of supported.filter((code) => noDecimals.includes(code)).slice(0, 2))
    await quoteEach(run, { from, to: target }, [100_300n, 101_900n, 100_137n]);
  for (const target of ['KWD', 'BHD'].filter((code) => supported.includes(code)))
    await quoteEach(run, { from, to: target }, [100_300n]);
}

/** The most rounds of amounts for fees. */
const MAX_ROUNDS = 40;

async function askFees(run: Run): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = planFees(traffic(run));
    if (next.length === 0) return;
    for (const { amounts, ...pair } of next) await quoteEach(run, pair, amounts);
  }
}

const MILLION = 1_000_000n;
/** The quotes that come near to one amount, and those of each kind. */
const [TRIES, SAMPLES] = [4, 3];

/** Asks for amounts whose exact received amount lies between two hundredths, until the rounding is known. */
async function askRounding(run: Run): Promise<void> {
  const { from, to } = run.plan;
  const targets = [to, 'EUR', 'GBP', 'CHF', 'PLN', 'USD'].filter(
    (code, index, all) => code !== from && all.indexOf(code) === index,
  );
  for (const target of targets) {
    const pair = { from, to: target };
    const own = readQuotes(traffic(run)).filter((one) => one.from === from && one.to === target);
    const base = own.findLast(({ send }) => send === SAMPLE * CENT) ?? own.at(-1);
    if (base === undefined) continue;
    const isInside = distance(base, base.send - base.fee) < distance(base, base.send);
    const evaluate = () =>
      evaluateRounding(
        readQuotes(traffic(run)).filter((one) => one.from === from && one.to === target),
        isInside,
      );
    for (const kind of evaluate().missing)
      for (const net of listNets(base.rate, kind)) await quoteNet(run, pair, { net, base, isInside });
    const { finding } = evaluate();
    if (finding.state === 'found') {
      // Large amounts reveal hidden digits of the rate, which move a half.
      await quoteEach(run, pair, [99_999_999_999n, 1_000_000_000n]);
      return;
    }
  }
}

interface Base {
  readonly send: Micro;
  readonly fee: Micro;
  readonly rate: Micro;
  readonly receive: Micro;
}

function distance({ rate, receive }: Base, amount: Micro): bigint {
  const difference = (amount * rate) / MILLION - receive;
  return difference < 0n ? -difference : difference;
}

/** Returns amounts, in hundredths, whose product with a rate is above, below or at the half of a hundredth. */
function listNets(rate: Micro, kind: 'above' | 'below' | 'even' | 'odd'): bigint[] {
  const fits = (net: bigint): boolean => {
    const [whole, rest] = [(net * rate) / MILLION, ((net * rate) % MILLION) * 10n];
    if (kind === 'above') return rest > 6n * MILLION && rest < 9n * MILLION;
    if (kind === 'below') return rest > MILLION && rest < 4n * MILLION;
    return rest === 5n * MILLION && whole % 2n === (kind === 'even' ? 0n : 1n);
  };
  const nets: bigint[] = [];
  for (let net = 1_000n; net < 2_001_000n && nets.length < SAMPLES; net += 1n) if (fits(net)) nets.push(net);
  return nets;
}

/** Requests quotes until the amount after the fee is `net`. The first guess uses the fee share of another quote. */
async function quoteNet(
  run: Run,
  pair: Pair,
  { net, base, isInside }: { readonly net: bigint; readonly base: Base; readonly isInside: boolean },
): Promise<void> {
  let cents = isInside ? (net * base.send) / (base.send - base.fee) : net;
  for (let tries = 0; tries < TRIES && cents > 0n; tries += 1) {
    const [call] = await quoteEach(run, pair, [cents]);
    const quoted = call?.response.accepted ? call.response.data : {};
    const [send, fee] = [toMicro(quoted.send_amount), toMicro(quoted.fee)];
    if (send === undefined || fee === undefined || toMicro(quoted.rate) !== base.rate) return;
    const missing = net - (isInside ? send - fee : send) / CENT;
    if (missing === 0n) return;
    cents += missing;
  }
}

/** The largest amount of the contract, and the largest one whose hundredths a double represents. */
const [USUAL, LARGEST] = [99_999_999_999n, 999_999_999_999_999n];

/** Looks for the smallest and the largest amount of a quote. */
async function askLimits(run: Run): Promise<void> {
  const { from, to, amount } = run.plan;
  const unit = noDecimals.includes(from) ? 100n : 1n;
  const toUnit = (cents: bigint): bigint => cents - (cents % unit);
  const accepts = async (cents: bigint): Promise<boolean> =>
    (await quoteEach(run, { from, to }, [cents])).some(({ response }) => response.accepted);
  const known = toUnit(BigInt(Math.round(Number(amount) * 100)));
  if (!(await accepts(unit))) await bisect(unit, known, { accepts, unit });
  const isUsual = await accepts(toUnit(USUAL));
  let accepted = isUsual ? toUnit(USUAL) : known;
  if (isUsual && (await accepts(toUnit(LARGEST)))) return;
  if (!(await accepts(accepted + unit))) return;
  let rejected = isUsual ? toUnit(LARGEST) : toUnit(USUAL);
  // Most limits are round.
  for (let power = 1_000n; power < rejected; power *= 10n) {
    if (power <= accepted) continue;
    if (await accepts(power)) accepted = power;
    else rejected = power;
  }
  for (const near of [accepted, accepted * 2n, accepted * 5n]) {
    if (near > accepted && near < rejected && (await accepts(near))) accepted = near;
    if (!(await accepts(accepted + unit))) return;
  }
  await bisect(rejected, accepted, { accepts, unit });
}

interface Search {
  readonly accepts: (value: bigint) => Promise<boolean>;
  readonly unit: bigint;
}

/** Looks for the accepted value that is next to the rejected ones. */
async function bisect(rejected: bigint, accepted: bigint, { accepts, unit }: Search): Promise<void> {
  let [outside, inside] = [rejected / unit, accepted / unit];
  while (outside - inside > 1n || inside - outside > 1n) {
    const middle = (outside + inside) / 2n;
    if (await accepts(middle * unit)) inside = middle;
    else outside = middle;
  }
}

/** Creates a payment of the plan; `changes` override its fields. */
async function pay(run: Run, changes: object = {}, request: RawRequest = {}): Promise<Call> {
  const body = { ...orderOf(run), beneficiary_name: run.plan.name, ...changes };
  return run.send('/payments', { ...request, body, isOutage: true });
}

/** Creates a payment after a quote for its amount, which tells its fee. */
async function quoteAndPay(
  run: Run,
  changes: { readonly amount?: number; readonly [field: string]: unknown },
): Promise<Call> {
  const { amount = Number(run.plan.amount) } = changes;
  await run.send('/quotes', { body: { ...orderOf(run), amount }, isOutage: true });
  return pay(run, changes);
}

const ends = /^(?:completed|failed)$/;
const lastStatus = (run: Run, id: string): string =>
  watchPayments(traffic(run))
    .find((one) => one.id === id)
    ?.statuses.at(-1) ?? '';
const idOf = ({ response }: Call): string[] => {
  const { id } = response.accepted ? response.data : {};
  return typeof id === 'string' && /^[\w-]+$/.test(id) ? [id] : [];
};

/** Returns the delay before the next read, in milliseconds. It grows with the elapsed time. */
const pauseAfter = (elapsed: number): number => Math.min(2_000, 100 + elapsed / 30);

interface Watch {
  /** Whether the balance and the list are read, too. */
  readonly hasWallet?: boolean;
  /** The statuses that end it. */
  readonly until?: RegExp;
  /** The longest time, in milliseconds. */
  readonly limit: number;
}

/** The time after the last status in which the balance and the list can show it, and the longest lag of a read. */
const [SETTLING, MAX_LAG] = [600, 10_000];

/** Reads payments until all have ended. Reads of the wallet go on until they show the debit, or for the longest lag. */
async function watch(
  run: Run,
  ids: readonly string[],
  { hasWallet = false, until = ends, limit }: Watch,
): Promise<void> {
  const { send, now, sleep, plan } = run;
  const start = now();
  const ended = new Map<string, number>();
  const before = hasWallet ? readBalance(traffic(run).balances.at(-1), plan.from) : undefined;
  let [isDebited, isListed] = [!hasWallet, !hasWallet];
  const [first = ''] = ids;
  for (let hasPassed = false; ;) {
    for (const id of ids) {
      if (ended.has(id) && !hasWallet) continue;
      const { response } = await send(`/payments/${id}`, { isOutage: true });
      if (until.test(String(response.data.status))) ended.set(id, ended.get(id) ?? now());
      // The status and the balance count together only if the status did not change meanwhile.
      if (hasWallet) {
        const balance = readBalance(await send('/balance'), plan.from);
        isDebited ||= balance !== before;
        if (!isListed) isListed = (await send('/transactions?per_page=20')).response.text.includes(first);
      }
    }
    const elapsed = now() - start;
    if (elapsed > limit) return;
    if (ended.size === ids.length) {
      const since = now() - Math.max(...ended.values());
      if (!hasWallet || since > MAX_LAG || (isDebited && isListed && since > SETTLING && hasPassed)) return;
      if (isDebited && since > SETTLING) hasPassed = since > 2 * SETTLING || isListed;
    }
    await sleep(pauseAfter(elapsed));
  }
}

/** Creates payments whose first webhook is not acknowledged: the retries take the longest time of a run. */
async function startRetries(run: Run): Promise<void> {
  const { recorder } = run;
  if (recorder === undefined) return;
  try {
    for (const status of [204, 500]) {
      // The first webhook can arrive before the response to the create.
      recorder.respondToNew(status);
      const [id] = idOf(await pay(run));
      if (id === undefined) return;
      recorder.respondTo(id, status);
    }
  } finally {
    recorder.respondToNew(200);
  }
}

/** Follows a payment, one that fails, and one that fails after it completed, one after the other with the wallet. */
async function followPayments(run: Run): Promise<void> {
  const { plan, report } = run;
  const earlier = traffic(run).payments.map(({ id }) => id);
  await watch(run, earlier, { limit: plan.timeout });
  await awaitDebits(run);
  // An amount that no other payment has.
  const amount = Number(plan.amount) + 5;
  const follow = async (
    changes: { readonly amount?: number; readonly beneficiary_account?: string },
    options: Partial<Watch>,
  ) => {
    await run.send('/transactions?per_page=20');
    const { amount: asked = amount } = changes;
    await run.send('/quotes', { body: { ...orderOf(run), amount: asked }, isOutage: true });
    await run.send('/balance');
    const [id] = idOf(await pay(run, { ...changes, amount: asked }));
    if (id !== undefined) await watch(run, [id], { hasWallet: true, limit: plan.timeout, ...options });
    return id;
  };
  const first = await follow({}, {});
  // Others would not end in time either.
  const limit = first !== undefined && ends.test(lastStatus(run, first)) ? plan.timeout : 3_000;
  report(`a payment to ${plan.failing}, until it fails`);
  await follow({ beneficiary_account: plan.failing, amount: amount + 1 }, { limit });
  report(`a payment to ${plan.returning}, until it fails after it completed`);
  const [patience, until] = [Math.min(limit, 12_000), /^failed$/];
  await follow({ beneficiary_account: plan.returning, amount: amount + 2 }, { limit: patience, until });
}

/** Waits until the balance shows the debits of the payments so far. */
async function awaitDebits({ send, now, sleep, plan }: Run): Promise<void> {
  const read = async (): Promise<unknown> => readBalance(await send('/balance'), plan.from);
  const end = now() + MAX_LAG;
  for (let [last, start] = [await read(), now()]; now() - start < 1_000 && now() < end;) {
    await sleep(200);
    const next = await read();
    if (next !== last) [last, start] = [next, now()];
  }
}

/** The amounts of payments, in multiples of that of the plan, and the part of the balance that a round can use. */
const [FACTORS, SHARE, ROUNDS] = [[100n, 1_000n], 4n, 3] as const;

/** Follows payments with and without optional fields, another one that fails, and payments of several amounts. */
async function followAmounts(run: Run): Promise<void> {
  const { plan } = run;
  const isWhole = noDecimals.includes(plan.from);
  const [more, less] = isWhole ? [3, 7] : [3.17, 7.41];
  const details = {
    beneficiary_name: `${plan.name} with all fields`,
    beneficiary_bank: 'Probe Bank',
    beneficiary_account: 'PROBE-ACCOUNT-1',
    beneficiary_country: 'DE',
    purpose: `Probe ${crypto.randomUUID().slice(0, 8)}`,
  };
  const plus = (value: number): number => Number((Number(plan.amount) + value).toFixed(2));
  const limit = watchPayments(traffic(run)).some(({ statuses }) =>
    statuses.some((status) => ends.test(status)),
  )
    ? plan.timeout
    : 3_000;
  const made = [
    await quoteAndPay(run, { amount: plus(more), ...details }),
    await quoteAndPay(run, { amount: plus(less) }),
    await quoteAndPay(run, {
      amount: plus(more + 1),
      beneficiary_account: plan.failing,
      purpose: `Failing ${crypto.randomUUID().slice(0, 8)}`,
    }),
  ];
  const amount = toMicro(plan.amount) ?? 0n;
  const factors = FACTORS.map((factor) => amount * factor);
  await watch(run, [...made.flatMap(idOf), ...(await payEach(run, factors))], { limit });
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = findLimits(watchPayments(traffic(run))).flatMap(chooseBetween);
    if (next.length === 0) break;
    await watch(run, await payEach(run, [...new Set(next)]), { limit });
  }
  if (plan.unavailable !== undefined)
    for (const _ of [1, 2]) await pay(run, { beneficiary_account: plan.unavailable });
  await awaitDebits(run);
}

async function payEach(run: Run, amounts: readonly Micro[]): Promise<string[]> {
  const ids: string[] = [];
  let left = (readBalance(await run.send('/balance'), run.plan.from) ?? 0n) / SHARE;
  for (const amount of amounts) {
    if (amount > left) continue;
    left -= amount;
    ids.push(...idOf(await quoteAndPay(run, { amount: Number(writeMicro(amount)) })));
  }
  return ids;
}

/** Returns the roundest amount between two amounts, and its neighbors: a condition can include its limit or not. */
function chooseBetween([low, high]: readonly [Micro, Micro]): Micro[] {
  const isRound = (amount: Micro): boolean => amount % (CENT * 100n) === 0n;
  const mantissas = [10n, 50n, 20n, 30n, 40n, 60n, 70n, 80n, 90n, 15n, 25n, 35n, 45n, 75n];
  const powers = Array.from({ length: 12 }, (_, power) => CENT * 10n ** BigInt(power));
  const round = mantissas
    .flatMap((mantissa) => powers.map((power) => mantissa * power))
    .filter((one) => one > low && one < high);
  const centers = [...[low, high].filter(isRound), ...round.slice(0, 2)];
  return centers.flatMap((one) => [one - CENT, one, one + CENT]).filter((one) => one > low && one < high);
}

/** Returns a whole amount of more than the balance; undefined if the wallet has enough money for every amount. */
async function findLackingAmount(run: Run): Promise<number | undefined> {
  const balance = readBalance(await run.send('/balance'), run.plan.from);
  const lacking = (balance ?? 0n) / MILLION + 1_000n;
  return balance === undefined || lacking > USUAL / 100n ? undefined : Number(lacking);
}

const LONGEST = 10_000;

/** Attempts payments above the balance, so that a service that accepts their fields creates none. */
async function askRefusals(run: Run): Promise<void> {
  const amount = await findLackingAmount(run);
  if (amount === undefined) return;
  await quoteAndPay(run, { amount });
  await quoteAndPay(run, { amount: amount + 777 });
  const tooLong = 'x'.repeat(LONGEST + 1);
  const changes = [
    { amount: Number(`${amount}.009`) },
    { purpose: tooLong },
    ...[undefined, null, 5, '', tooLong].map((beneficiary_name) => ({ beneficiary_name })),
  ];
  for (const change of changes) await pay(run, { amount, ...change });
  await run.send('/payments', { raw: '{}', isOutage: true });
}

async function askKeys(run: Run): Promise<void> {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  for (const more of [0, 0, 0, 1, 2]) {
    const { response } = await pay(run, { amount: Number(run.plan.amount) + more }, { headers });
    if (!response.accepted && traffic(run).payments.length === 0) return;
  }
  await pay(run);
}

const USUAL_TEXT = 255;

async function askTexts(run: Run): Promise<void> {
  const amount = await findLackingAmount(run);
  if (amount === undefined) return;
  const send = async (purpose: string): Promise<boolean> => {
    const { response } = await pay(run, { amount, purpose });
    return response.accepted || isSameRefusal(response, traffic(run).lacking);
  };
  const accepts = async (length: bigint): Promise<boolean> => send('x'.repeat(Number(length)));
  const isUsual = !(await accepts(BigInt(USUAL_TEXT) + 1n)) && (await accepts(BigInt(USUAL_TEXT)));
  if (!isUsual && !(await accepts(BigInt(LONGEST)))) await bisect(BigInt(LONGEST), 1n, { accepts, unit: 1n });
  if (await send('')) await pay(run, { purpose: '' });
}

/** With a payment that is not debited yet, creates one that needs more than the rest of the balance, to an account that fails. */
async function askHold(run: Run): Promise<void> {
  const { plan } = run;
  const watched = watchPayments(traffic(run));
  const all = watched.filter(({ statuses }) => statuses.some((status) => ends.test(status)));
  const hasFailed = watched.some(
    ({ account, statuses }) => account === plan.failing && statuses.includes('failed'),
  );
  await watch(
    run,
    watched
      .filter((one) => !all.includes(one))
      .slice(-4)
      .map(({ id }) => id),
    { limit: 3_000 },
  );
  await awaitDebits(run);
  const before = readBalance(await run.send('/balance'), plan.from);
  const first = await pay(run);
  const amount = toMicro(plan.amount) ?? 0n;
  const [id] = idOf(first);
  if (id === undefined || before === undefined) return;
  const isDebited = readBalance(await run.send('/balance'), plan.from) !== before;
  // A payment of nearly the whole balance could use the wallet up.
  if (isDebited || !hasFailed) return watch(run, [id], { limit: plan.timeout });
  const share = await findFeeShare(run, before);
  const rest = before - share - amount / 2n;
  const rounded = rest - (rest % (amount > 4n * MILLION ? MILLION : CENT));
  const second = await pay(run, { amount: Number(writeMicro(rounded)), beneficiary_account: plan.failing });
  await run.send('/balance');
  await watch(run, [id, ...idOf(second)], { limit: plan.timeout });
  await awaitDebits(run);
}

/** Returns the fee that a payment of nearly the whole balance would add to its amount. */
async function findFeeShare(run: Run, balance: Micro): Promise<Micro> {
  const { from, to } = run.plan;
  const [call] = await quoteEach(run, { from, to }, [balance / CENT]);
  const { send_amount, fee, rate, receive_amount } = call?.response.data ?? {};
  const [send, cost, price, receive] = [send_amount, fee, rate, receive_amount].map(toMicro);
  if (send === undefined || cost === undefined || price === undefined || receive === undefined) return 0n;
  const quote = { send, fee: cost, rate: price, receive };
  return distance(quote, send) < distance(quote, send - cost) ? cost : 0n;
}

const FAR_PAGES = [9_998, 9_999];
const MOST_PAGES = 40;

async function askLists(run: Run): Promise<void> {
  const { send } = run;
  const list = async (query: string): Promise<Call> => send(`/transactions${query}`, { isOutage: true });
  const whole = rowsOf((await list('?per_page=100')).response)?.length ?? 0;
  await list('');
  const size = Math.max(1, Math.ceil(whole / 3));
  await walk(run, 1);
  if (size > 1) await walk(run, size);
  const names = [
    'per_page=many',
    'per_page=0',
    'per_page=101',
    'page=0',
    'status=no_such_status',
    'type=no_such_type',
  ];
  for (const query of [
    `per_page=1&${OTHER_PARAMETER}=1`,
    ...names,
    ...FAR_PAGES.map((page) => `page=${page}`),
  ])
    await list(`?${query}`);
  await list('');
  await list('?per_page=100');
}

/** Reads the first page of a size and those after it: by its links, as page 2, and by other ways that services have. */
async function walk({ send }: Run, size: number): Promise<void> {
  const list = async (query: string): Promise<Call> => send(`/transactions?${query}`, { isOutage: true });
  let page = await list(`per_page=${size}`);
  const first = JSON.stringify(rowsOf(page.response)?.[0]);
  const isOther = ({ response }: Call): boolean => {
    const [row] = rowsOf(response) ?? [];
    return row !== undefined && JSON.stringify(row) !== first;
  };
  const limit = size === 1 ? 2 : MOST_PAGES;
  for (let number = 2; number <= limit; number += 1) {
    const reading = page.response.accepted ? readHistory(page.response) : { problem: '' };
    if ('problem' in reading || reading.raw.length < size) return;
    const next = reading.next && String(new URLSearchParams({ per_page: String(size), ...reading.next }));
    if (number > 2 && next === undefined) return;
    const zero = size === 1 ? await list('per_page=1&page=1') : undefined;
    const guesses = [
      next ?? `per_page=${size}&page=${number}`,
      ...(number === 2 && zero && !isOther(zero) ? listGuesses(page, size) : []),
    ];
    const given = page;
    for (const query of guesses) {
      page = await list(query);
      if (isOther(page)) break;
    }
    if (page === given || !isOther(page)) return;
  }
}

/** Returns queries that lead to the next rows in many services: an offset, or a text of the page as a cursor. */
function listGuesses({ response: { body } }: Call, size: number): string[] {
  const texts: [string, string][] = findLinks(body)
    .filter(([name]) => name.startsWith('next_'))
    .flatMap(([, link]) => [...new URLSearchParams(link.replace(/^[^?]*/, ''))])
    .filter(([name]) => name !== 'per_page');
  const add = (json: unknown): void => {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return;
    for (const [name, value] of Object.entries(json))
      if (typeof value === 'string' && /next|cursor|after|token/i.test(name))
        texts.push([name.replace(/^next_?/i, '') || 'cursor', value], ['cursor', value], ['after', value]);
      else add(value);
  };
  add(body);
  const positions = ['offset', 'skip', 'start'].map((name) => [name, String(size)] as [string, string]);
  return [...texts, ...positions].map((each) =>
    String(new URLSearchParams([['per_page', String(size)], each])),
  );
}

/** Waits for the events of each status, and for the end of the retries. */
async function awaitWebhooks(run: Run): Promise<void> {
  const { recorder, now, sleep, plan, report } = run;
  if (recorder === undefined) return;
  const start = now();
  const firstAt = traffic(run).webhooks[0]?.at ?? start;
  report('the retries of webhooks that were not acknowledged');
  for (;;) {
    const { webhooks } = traffic(run);
    const refused = webhooks.find(({ responseStatus }) => responseStatus >= 300);
    const attempts = webhooks
      .filter((one) => one.id === refused?.id && one.status === refused?.status)
      .map(({ at }) => at);
    const gaps = attempts.slice(1).map((at, index) => at - (attempts[index] ?? at));
    const hasEnded = gaps.length > 1 && now() - (attempts.at(-1) ?? 0) > 3 * Math.max(...gaps);
    const isQuiet = now() - Math.max(start - plan.webhookTimeout, ...webhooks.map(({ at }) => at)) > 1_500;
    if (isQuiet && (hasEnded || now() - firstAt > plan.webhookTimeout)) break;
    await sleep(Math.min(500, 100 + (now() - start) / 30));
  }
  // Its time is the end of the wait.
  await run.send('/balance');
}

/** The most requests that are sent at once: more can exhaust the sockets of this machine. */
const AT_ONCE = 100;

/** Sends requests at once, up to the burst of the plan, until a response reveals a limit. */
async function askBurst(run: Run): Promise<void> {
  const body = orderOf(run);
  const targets = [
    (): Promise<Call> => run.sendOnce('/balance'),
    (): Promise<Call> => run.sendOnce('/quotes', { body }),
  ];
  for (const request of targets)
    for (let sent = 0; sent < run.plan.burst; sent += AT_ONCE) {
      const requests = Array.from({ length: Math.min(AT_ONCE, run.plan.burst - sent) }, () => request());
      const settled = await Promise.allSettled(requests);
      const limited = settled.flatMap((one) =>
        one.status === 'fulfilled' && one.value.response.status === 429 ? [one.value] : [],
      );
      if (limited.length > 0 || run.plan.signal.aborted) return;
    }
}
