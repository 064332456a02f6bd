// The payments of a run.
import { CENT, type Micro, toMicro, writeMicro } from '@service/internal';
import type { RawRequest } from './client.ts';
import { noDecimals, ONE } from './learn/quotes.ts';
import { isSameRefusal } from './learn/refusals.ts';
import { isEnded, RETURN_WAIT, watchPayments } from './learn/statuses.ts';
import { bisect, orderOf, quoteEach, type Run, traffic, USUAL } from './run.ts';
import { readQuote } from './templates/values.ts';
import { type Call, readBalance } from './traffic.ts';

/** Returns a purpose that no other payment has. */
const createPurpose = (word: string): string => `${word} ${crypto.randomUUID().slice(0, 8)}`;

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

const idOf = ({ response }: Call): string[] => {
  const { id } = response.accepted ? response.data : {};
  return typeof id === 'string' && /^[\w-]+$/.test(id) ? [id] : [];
};

const isFailure = (status: string): boolean => status === 'failed';

/** Returns the delay before the next read, in milliseconds. It grows with the elapsed time. */
const pauseAfter = (elapsed: number, first: number): number => Math.min(2_000, first + elapsed / 60);

interface Watch {
  /** Whether the balance and the list are read, too. */
  readonly hasWallet?: boolean;
  /** Returns whether a status ends it. */
  readonly until?: (status: string) => boolean;
  /** The longest time, by default that of the plan, and the longest one after the payment completed, in milliseconds. */
  readonly limit?: number;
  readonly patience?: number;
  /** The time at which all reads end. */
  readonly end: number;
  /** The delay before the second read, in milliseconds: other ones show a change at other times. */
  readonly pause?: number;
  /** The longest time for which the balance and the list can lag, in milliseconds. */
  readonly lag?: number;
}

/** The time after the last status in which the balance and the list can show it, and the longest lag of a read. */
const [SETTLING, MAX_LAG] = [600, 10_000];
/** The time for payments like others that did not end, in milliseconds. */
const MIN_TIME = 3_000;

/**
 * Reads payments until all have ended. Reads of the wallet go on until they show the debit, or for the longest lag. Returns
 * the time after which they showed it, in milliseconds.
 */
async function watch(run: Run, ids: readonly string[], options: Watch): Promise<number> {
  const { hasWallet = false, until = isEnded, patience = Infinity, end, pause = 100 } = options;
  const { send, now, sleep, plan } = run;
  const start = now();
  const earlier = watchPayments(traffic(run)).filter(({ readings }) => readings.length > 0);
  // Where earlier ones did not end, these would not end in time either.
  const isHopeful = earlier.length === 0 || earlier.some(({ statuses }) => statuses.some(isEnded));
  const { limit = isHopeful ? plan.timeout : MIN_TIME, lag = MAX_LAG } = options;
  const ended = new Map<string, number>();
  const before = hasWallet ? readBalance(traffic(run).balances.at(-1), plan.from) : undefined;
  let [debitedAfter, listedAfter] = [Infinity, Infinity];
  let debited: Micro | undefined;
  let isFailed = false;
  let completedAt = Infinity;
  const [first = ''] = ids;
  for (let hasPassed = false; ;) {
    for (const id of ids) {
      if (ended.has(id) && !hasWallet) continue;
      const { response } = await send(`/payments/${id}`, { isOutage: true });
      if (until(String(response.data.status))) ended.set(id, ended.get(id) ?? now());
      isFailed = response.data.status === 'failed';
      if (response.data.status === 'completed') completedAt = Math.min(completedAt, now());
      // The status and the balance count together only if the status did not change meanwhile.
      if (hasWallet) {
        const balance = readBalance(await send('/balance'), plan.from);
        if (balance !== before) debitedAfter = Math.min(debitedAfter, now() - start);
        if (balance !== before) debited ??= balance;
        // The balance shows a refund no later after it than the debit after the create.
        if (debited !== undefined && balance !== debited) isFailed = false;
        if (listedAfter < Infinity) continue;
        const { response: list } = await send('/transactions?per_page=20');
        if (list.text.includes(first)) listedAfter = now() - start;
      }
    }
    const elapsed = now() - start;
    const isLate = elapsed > limit || now() - completedAt > patience;
    const isListed = listedAfter < Infinity;
    const shownAfter = Math.max(debitedAfter, isListed ? listedAfter : 0);
    if (now() > end || (isLate && ended.size < ids.length)) return shownAfter;
    if (ended.size === ids.length) {
      const since = now() - Math.max(...ended.values());
      const settling = SETTLING + (isFailed && debitedAfter < Infinity ? debitedAfter : 0);
      const isSettled = debitedAfter < Infinity && since > settling;
      const isOver = since > Math.max(lag, settling) || (isSettled && isListed && hasPassed);
      if (!hasWallet || isOver) return shownAfter;
      if (isSettled) hasPassed = since > settling + SETTLING || isListed;
    }
    await sleep(pauseAfter(elapsed, pause));
  }
}

/** Creates payments whose first webhook is not acknowledged: the retries take the longest time of a run. */
export async function startRetries(run: Run): Promise<void> {
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
export async function followPayments(run: Run): Promise<void> {
  const { plan, report, after } = run;
  await settle(run, 11);
  // An amount that no other payment has.
  const amount = Number(plan.amount) + 5;
  let lag = MAX_LAG;
  const follow = async (
    changes: { readonly amount?: number; readonly beneficiary_account?: string; readonly purpose?: string },
    options: Partial<Watch> & Pick<Watch, 'end'>,
  ) => {
    await run.send('/transactions?per_page=20');
    const { amount: asked = amount } = changes;
    await run.send('/quotes', { body: { ...orderOf(run), amount: asked }, isOutage: true });
    await run.send('/balance');
    const ids = idOf(await pay(run, { ...changes, amount: asked }));
    // Later reads lag no longer than those of a payment since its create.
    if (ids.length > 0)
      lag = Math.min(lag, SETTLING + (await watch(run, ids, { hasWallet: true, lag, ...options })));
  };
  await follow({}, { pause: 70, limit: plan.timeout, end: after(27) });
  report(`a payment to ${plan.failing}, until it fails`);
  await follow({ beneficiary_account: plan.failing, amount: amount + 1 }, { end: after(38) });
  report(`a payment to ${plan.returning}, until it fails after it completed`);
  const patience = RETURN_WAIT + 1_000;
  await follow(
    { beneficiary_account: plan.returning, amount: amount + 2, purpose: createPurpose('Returning') },
    { patience, until: isFailure, pause: 85, end: after(47) },
  );
}

/** Reads the new payments, or all open ones, until all have ended, and then the balance until it shows their debits. */
async function settle(run: Run, seconds: number, isOfAll = false): Promise<void> {
  const { send, now, sleep, plan, after } = run;
  const open = watchPayments(traffic(run)).filter(({ readings, statuses }) =>
    isOfAll ? !statuses.some(isEnded) : readings.length === 0,
  );
  await watch(
    run,
    open.map(({ id }) => id),
    { end: after(seconds) },
  );
  const read = async (): Promise<unknown> => readBalance(await send('/balance'), plan.from);
  const end = Math.min(after(seconds + 2), now() + MAX_LAG);
  for (let [last, start] = [await read(), now()]; now() - start < 1_000 && now() < end;) {
    await sleep(200);
    const next = await read();
    if (next !== last) [last, start] = [next, now()];
  }
}

/** The amounts of payments, in multiples of that of the plan, and the part of the balance that they can use. */
const [FACTORS, SHARE] = [[100n, 1_000n], 4n] as const;

/** Follows payments with and without optional fields, another one that fails, and payments of several amounts. */
export async function followAmounts(run: Run): Promise<void> {
  const { plan, report } = run;
  const isWhole = noDecimals.includes(plan.from);
  const [more, less] = isWhole ? [3, 7] : [3.17, 7.41];
  const details = {
    beneficiary_name: `${plan.name} with all fields`,
    beneficiary_bank: 'Probe Bank',
    beneficiary_account: 'PROBE-ACCOUNT-1',
    beneficiary_country: 'DE',
    purpose: createPurpose('Probe'),
  };
  const plus = (value: number): number => Number((Number(plan.amount) + value).toFixed(2));
  await quoteAndPay(run, { amount: plus(more), ...details });
  await quoteAndPay(run, { amount: plus(less) });
  await quoteAndPay(run, {
    amount: plus(more + 1),
    beneficiary_account: plan.failing,
    purpose: createPurpose('Failing'),
  });
  let left = (readBalance(await run.send('/balance'), plan.from) ?? 0n) / SHARE;
  for (const factor of FACTORS) {
    const amount = (toMicro(plan.amount) ?? 0n) * factor;
    if (amount > left) continue;
    left -= amount;
    await quoteAndPay(run, { amount: Number(writeMicro(amount)) });
  }
  if (plan.unavailable !== undefined)
    for (const _ of [1, 2]) await pay(run, { beneficiary_account: plan.unavailable });
  report('payments of several amounts, until they complete');
  await settle(run, 50);
}

/** Returns a whole amount of more than the balance; undefined if the wallet has enough money for every amount. */
async function findLackingAmount(run: Run): Promise<number | undefined> {
  const balance = readBalance(await run.send('/balance'), run.plan.from);
  const lacking = (balance ?? 0n) / ONE + 1_000n;
  if (balance === undefined || lacking > USUAL / 100n) return undefined;
  const { from, to } = run.plan;
  // The refusal can show the fee.
  await quoteEach(run, { from, to }, [lacking * 100n]);
  return Number(lacking);
}

const LONGEST = 10_000;

/** Attempts payments above the balance, so that a service that accepts their fields creates none. */
export async function askRefusals(run: Run): Promise<void> {
  const amount = await findLackingAmount(run);
  if (amount === undefined) return;
  await pay(run, { amount });
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

export async function askKeys(run: Run): Promise<void> {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  for (const more of [0, 0, 0, 1, 2]) {
    const { response } = await pay(run, { amount: Number(run.plan.amount) + more }, { headers });
    if (!response.accepted && traffic(run).payments.length === 0) return;
  }
  await pay(run);
}

const USUAL_TEXT = 255;

export async function askTexts(run: Run): Promise<void> {
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
export async function askHold(run: Run): Promise<void> {
  const { plan } = run;
  // The debit of another payment would count as that of these.
  await settle(run, 52, true);
  const hasFailed = watchPayments(traffic(run)).some(
    ({ account, statuses }) => account === plan.failing && statuses.includes('failed'),
  );
  const before = readBalance(await run.send('/balance'), plan.from);
  const isMade = idOf(await pay(run)).length > 0;
  const isDebited = readBalance(await run.send('/balance'), plan.from) !== before;
  // A payment of nearly the whole balance could use the wallet up.
  if (isMade && before !== undefined && !isDebited && hasFailed) {
    const amount = toMicro(plan.amount) ?? 0n;
    let rest = before;
    for (const _ of [1, 2]) rest = before - (await findFeeShare(run, rest)) - amount / 2n;
    const rounded = rest - (rest % (amount > 4n * ONE ? ONE : CENT));
    await quoteAndPay(run, { amount: Number(writeMicro(rounded)), beneficiary_account: plan.failing });
    await run.send('/balance');
  }
  await settle(run, 56);
}

/** Returns the fee that a payment of nearly the whole balance would add to its amount. */
async function findFeeShare(run: Run, balance: Micro): Promise<Micro> {
  const { from, to } = run.plan;
  const [call] = await quoteEach(run, { from, to }, [balance / CENT]);
  const { debit, send_amount: send } = readQuote(call?.response.data ?? {});
  return debit?.kind === 'amount' && send?.kind === 'amount' ? debit.micro - send.micro : 0n;
}
