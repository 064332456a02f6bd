// The requests of a run. What depends on earlier answers is asked again with a function of the exchanges so far.
import { defaultCurrencies, toRecord } from '@service/internal';
import type { RawRequest, RawResponse } from './client.ts';
import { NoResponse } from './finding.ts';
import { readHistory, rowsOf } from './history.ts';
import { DEFAULT_WEBHOOK_TIMEOUT } from './options.ts';
import { planFees } from './learn/fees.ts';
import { OTHER_PARAMETER } from './learn/history.ts';
import { planRounding } from './learn/money.ts';
import { noDecimals, type Plan, SAMPLE } from './learn/quotes.ts';
import { isRefused, listAttempts, listGaps } from './learn/webhooks.ts';
import { bisect, LARGEST, orderOf, quoteEach, type Run, traffic, USUAL } from './run.ts';
import {
  askHold,
  askKeys,
  askRefusals,
  askTexts,
  followAmounts,
  followPayments,
  startRetries,
} from './script-payments.ts';
import { listLeaves } from './templates/json.ts';
import type { Call, Traffic } from './traffic.ts';

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
  ['fees of amounts of each size', (run) => askAmounts(run, planFees, MAX_ROUNDS)],
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
  const { plan, calls } = run;
  const key = calls[0]?.exchange.request.headers.authorization?.replace('Bearer ', '') ?? '';
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

const raw = (
  text: string,
  headers: NonNullable<RawRequest['headers']> = {},
): readonly [string, RawRequest] => ['/quotes', { raw: text, headers }];

async function askQuotes(run: Run): Promise<void> {
  const { plan, send } = run;
  const order = orderOf(run);
  const quote = (changes: object): readonly [string, RawRequest] => [
    '/quotes',
    { body: { ...order, ...changes } },
  ];
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

/** The most rounds of amounts for fees, and for the rounding. */
const [MAX_ROUNDS, ROUNDING_ROUNDS] = [40, 5];

/** Asks amounts until the quotes so far need no others. */
async function askAmounts(run: Run, plan: (traffic: Traffic) => Plan[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const next = plan(traffic(run));
    if (next.length === 0) return;
    for (const { amounts, ...pair } of next) await quoteEach(run, pair, amounts);
  }
}

async function askRounding(run: Run): Promise<void> {
  await askAmounts(run, planRounding, ROUNDING_ROUNDS);
  const { from, to } = run.plan;
  // Large amounts reveal hidden digits of the rate, which move a half.
  await quoteEach(run, { from, to }, [99_999_999_999n, 1_000_000_000n]);
}

/** Looks for the smallest and the largest amount of a quote. */
async function askLimits(run: Run): Promise<void> {
  const { from, to, amount } = run.plan;
  const unit = noDecimals.includes(from) ? 100n : 1n;
  const toUnit = (cents: bigint): bigint => cents - (cents % unit);
  const accepts = async (cents: bigint): Promise<boolean> =>
    (await quoteEach(run, { from, to }, [cents])).some(({ response }) => response.accepted);
  const known = toUnit(BigInt(Math.round(Number(amount) * 100)));
  if (!(await accepts(unit))) await bisect(unit, known, { accepts, unit });
  const [usual, largest] = [toUnit(USUAL), toUnit(LARGEST)];
  const isUsual = await accepts(usual);
  if (isUsual && (await accepts(largest))) return;
  const [rejected, accepted] = isUsual ? [largest, usual + unit] : [usual, known];
  if (!isUsual || (await accepts(accepted))) await bisect(rejected, accepted, { accepts, unit });
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

/** Reads the first page of a size and those after it: by their links or cursors, or else by their numbers. */
async function walk({ send }: Run, size: number): Promise<void> {
  const list = async (query: string): Promise<Call> => send(`/transactions?${query}`, { isOutage: true });
  let page = await list(`per_page=${size}`);
  const first = JSON.stringify(rowsOf(page.response)?.[0]);
  const isFirst = ({ response }: Call): boolean => JSON.stringify(rowsOf(response)?.[0]) === first;
  // The first page can have the number 0.
  if (size === 1) await list('per_page=1&page=1');
  const limit = size === 1 ? 2 : MOST_PAGES;
  for (let number = 2; number <= limit; number += 1) {
    const reading = page.response.accepted ? readHistory(page.response) : { problem: '' };
    if ('problem' in reading || reading.raw.length < size || (number > 2 && !reading.next)) return;
    const next = String(
      new URLSearchParams({ per_page: String(size), ...(reading.next ?? { page: String(number) }) }),
    );
    const isGuess = reading.next === undefined || 'page' in reading.next;
    const other = isGuess ? findPlace(page.response, size) : undefined;
    page = await list(next);
    // A new row can have moved the first one to this page.
    if (isFirst(page)) page = await list(next);
    if (other !== undefined && (isFirst(page) || !page.response.accepted))
      page = await list(`per_page=${size}&${other}`);
    if (isFirst(page) || rowsOf(page.response)?.length === 0) return;
  }
}

/** Returns the query parameter of the page after a page that says in a field of that name where it is. */
function findPlace({ data }: RawResponse, size: number): string | undefined {
  const places = listLeaves(data).map(([path, value]) => [path.replace(/^.*\./, ''), value] as const);
  const [name, at] = places.find(([each, value]) => PLACE.test(each) && typeof value === 'number') ?? [];
  return name && `${name}=${Number(at) + (/page/i.test(name) ? 1 : size)}`;
}

const PLACE = /^(?:page_?(?:num|number|no|index)|skip|offset|start)$/i;

/** Waits for the events of each status, and for the end of the retries. */
async function awaitWebhooks(run: Run): Promise<void> {
  const { recorder, now, sleep, plan, after, report } = run;
  if (recorder === undefined) return;
  const start = now();
  const firstAt = traffic(run).webhooks[0]?.at ?? start;
  report('the retries of webhooks that were not acknowledged');
  for (;;) {
    const { webhooks } = traffic(run);
    const refused = listAttempts(webhooks, isRefused);
    const gaps = listGaps(refused);
    const hasEnded = gaps.length > 1 && now() - (refused.at(-1)?.at ?? 0) > 3 * Math.max(...gaps);
    const isQuiet = now() - Math.max(start - plan.webhookTimeout, ...webhooks.map(({ at }) => at)) > 1_500;
    const isOver = plan.webhookTimeout <= DEFAULT_WEBHOOK_TIMEOUT && now() > after(59);
    if (isOver || (isQuiet && (hasEnded || now() - firstAt > plan.webhookTimeout))) break;
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
