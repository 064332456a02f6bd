import { type Micro, toMicro } from '@service/internal';
import { readBalance } from '../balances.ts';
import { type ProbeContext, requireData } from '../context.ts';
import { Inconclusive } from '../finding.ts';

/** The status of an observation while reads of the payment respond with 404. */
const HIDDEN = '404';

/** A status and a balance that were read while the status did not change. */
export interface Observation {
  /** The status of the payment, or `HIDDEN`. */
  readonly status: string;
  readonly balance: Micro;
  /** Number of consecutive reads with this result. */
  readonly reads: number;
}

/** A payment that was watched in this run. */
export interface WatchedPayment extends PaymentHistory {
  readonly id: string;
  /** The beneficiary account, if the payment had one. */
  readonly account: string | undefined;
  /** The sent amount; undefined if it is not known. */
  readonly amount: Micro | undefined;
  /** The start of the watch, just after the response to the create, in milliseconds. */
  readonly createdAt: number;
  readonly readings: readonly StatusReading[];
  /** The reads of the wallet; empty if it was not read. */
  readonly balances: readonly BalanceReading[];
}

/** One read of the balance of the wallet. */
export interface BalanceReading {
  readonly balance: Micro;
  /** The start and the end of the read, in milliseconds. */
  readonly since: number;
  readonly at: number;
}

/** The observations of a payment. */
export interface PaymentHistory {
  readonly observations: readonly Observation[];
  /** All statuses that were read, even once, in their order. */
  readonly statuses: readonly string[];
  /** The longest time in which another status may have passed unobserved, in milliseconds. */
  readonly gap: number;
}

const FIRST_PAUSE = 100;
const MAX_PAUSE = 2_000;

/** Returns the delay before the next read, in milliseconds. It grows with the elapsed time. */
export function pauseAfter(elapsed: number): number {
  return Math.min(MAX_PAUSE, FIRST_PAUSE + elapsed / 30);
}

/** Time after a create within which a 404 counts as read lag, in milliseconds. */
const READ_LAG = 10_000;

/** When to stop watching a payment. */
export interface WatchOptions {
  /** The last statuses. */
  readonly until: readonly string[];
  /**
   * Maximum time after the completion, in milliseconds.
   *
   * @default the timeout of the plan, since the create
   */
  readonly patience?: number;
  /** The beneficiary account of the payment. */
  readonly account?: string;
  /**
   * Whether the wallet is read too. Without it, the balances are 0 and the payment is read more often.
   *
   * @default true
   */
  readonly hasBalance?: boolean;
  /**
   * Time of the response to the create, in milliseconds.
   *
   * @default the present time
   */
  readonly createdAt?: number;
}

/**
 * Reads a payment and its wallet repeatedly, until a status of `until` or the timeout of the plan. A balance
 * counts only if the status is the same before and after it. A 404 within the read lag is read again, with the
 * balance.
 */
export async function watchPayment(
  context: ProbeContext,
  id: string,
  options: WatchOptions,
): Promise<WatchedPayment> {
  const { plan, now, sleep } = context;
  const { until, patience = plan.timeout, account, hasBalance = true, createdAt: start = now() } = options;
  const { balances, readWallet } = createWalletReads(context, hasBalance);
  const observations: Observation[] = [];
  const readings: StatusReading[] = [];
  let amount: Micro | undefined;
  const read = async (): Promise<string> => {
    const reading = await readStatus(context, id, {
      createdAt: start,
      onHidden: async () => addObservation(observations, HIDDEN, await readWallet()),
    });
    readings.push(reading);
    amount ??= reading.amount;
    return reading.status;
  };
  for (;;) {
    const status = await read();
    const balance = await readWallet();
    const isSteady = !hasBalance || status === (await read());
    const elapsed = now() - start;
    if (isSteady) addObservation(observations, status, balance);
    const completedAt = readings.find((one) => one.status === 'completed')?.at ?? now();
    const isOver = elapsed > plan.timeout || now() - completedAt > patience;
    if ((isSteady && until.includes(status)) || isOver) {
      const history = { readings, observations, ...summarize(readings) };
      const watched = { id, account, amount, createdAt: start, balances, ...history };
      context.watched.push(watched);
      return watched;
    }
    await sleep(pauseAfter(elapsed));
  }
}

interface WalletReads {
  /** The reads so far. */
  readonly balances: BalanceReading[];
  /** Reads the balance; 0 if the wallet is not read. */
  readonly readWallet: () => Promise<Micro>;
}

function createWalletReads(context: ProbeContext, hasBalance: boolean): WalletReads {
  const balances: BalanceReading[] = [];
  return {
    balances,
    readWallet: async () => {
      if (!hasBalance) return 0n;
      const reading = await timeBalance(context);
      balances.push(reading);
      return reading.balance;
    },
  };
}

/** One read of a payment. */
export interface StatusReading {
  readonly status: string;
  /** The sent amount of the payment; undefined if it is not known. */
  readonly amount?: Micro | undefined;
  /** The start and the end of the read, in milliseconds. */
  readonly since: number;
  readonly at: number;
  /** The time for which reads were answered with 404 before it, since the create. */
  readonly hidden: number;
  /** The start of the last read before it that was answered with 404, in milliseconds. */
  readonly hiddenAt?: number | undefined;
}

function summarize(readings: readonly StatusReading[]): Pick<PaymentHistory, 'statuses' | 'gap'> {
  const gaps = readings.map(({ status, at, hidden }, index) => {
    const last = readings[index - 1];
    // No status can come before the first one, however late reads show it.
    if (last === undefined) return status === 'pending' ? 0 : hidden;
    return last.status === status ? hidden : at - last.since;
  });
  return { statuses: [...new Set(readings.map(({ status }) => status))], gap: Math.max(...gaps) };
}

function addObservation(observations: Observation[], status: string, balance: Micro): void {
  const last = observations.at(-1);
  const isChange = last?.status !== status || last.balance !== balance;
  if (isChange) observations.push({ status, balance, reads: 1 });
  else observations.splice(-1, 1, { ...last, reads: last.reads + 1 });
}

interface StatusOptions {
  readonly createdAt: number;
  /** Called after each 404. */
  readonly onHidden: () => Promise<void>;
}

/** Reads the status of a payment; reads again after a 404. */
async function readStatus(
  context: ProbeContext,
  id: string,
  { createdAt, onHidden }: StatusOptions,
): Promise<StatusReading> {
  const { send, now, sleep, onReadLag, shown } = context;
  let hiddenAt: number | undefined;
  for (let hidden = 0; ; hidden = now() - createdAt) {
    const since = now();
    const response = await send(`/payments/${id}`);
    if (response.status === 404 && since - createdAt < READ_LAG) {
      hiddenAt = since;
      await onHidden();
      await sleep(FIRST_PAUSE + (since - createdAt) / 10);
      continue;
    }
    const { status, send_amount } = requireData(response, 'GET /payments/{payment_id}');
    if (typeof status !== 'string') throw new Inconclusive('the payment has no status');
    if (hidden > 0) onReadLag(hidden);
    if (!shown.some((one) => one.id === id && one.status === status))
      shown.push({ id, status, at: now(), createdAt, response });
    return { status, amount: toMicro(send_amount), since, at: now(), hidden, hiddenAt };
  }
}

/** Reads the balance of the wallet of the plan, with the time of the read. */
export async function timeBalance(context: ProbeContext): Promise<BalanceReading> {
  const since = context.now();
  const balance = await readBalance(context);
  return { balance, since, at: context.now() };
}

const STEP = 200;
const MAX_STEP = 10_000;

/** Waits until a condition holds, at most for the webhook timeout of the plan. */
export async function waitUntil(
  { plan, sleep, now }: ProbeContext,
  isMet: () => boolean,
  start: number = now(),
): Promise<void> {
  const end = start + plan.webhookTimeout;
  while (!isMet() && now() < end) await sleep(Math.min(STEP + (now() - start) / 30, MAX_STEP));
}
