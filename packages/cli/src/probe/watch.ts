import { toRecord } from '../json.ts';
import type { Bench } from './bench.ts';
import { demand } from './bench.ts';
import { Inconclusive } from './finding.ts';
import { type Micro, toMicro } from './micro.ts';

/** Holds what was seen of a payment and its wallet between two looks that gave the same status. */
export type Glance = {
  readonly status: string;
  readonly balance: Micro;
  /** Counts how often in a row this was seen. */
  readonly looks: number;
};

/** Holds what was seen of a payment while it was watched. */
export type Watched = {
  readonly glances: readonly Glance[];
  /** Lists every status that was seen, if only once, in the order in which they came. */
  readonly statuses: readonly string[];
  /** Holds the most milliseconds in which another status may have come and gone between two that were seen. */
  readonly gap: number;
};

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/** Returns how long to pause before the next look, in milliseconds: the longer, the longer it has taken. */
export function pauseAfter(elapsed: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE + elapsed / 30);
}

/** Milliseconds after a create within which a 404 means that reads do not show the payment yet. */
const READ_LAG = 10_000;

/**
 * Watches a payment and the wallet that pays it, until it has one of the statuses or the patience of the plan is over. A
 * balance counts only when the status was the same before and after it. A 404 is asked again within the read lag.
 */
export async function watch(bench: Bench, id: string, until: readonly string[]): Promise<Watched> {
  const { plan, now, sleep, signal } = bench;
  const start = now();
  const glances: Glance[] = [];
  const sights: Sight[] = [];
  const look = async (): Promise<string> => {
    const sight = await readStatus(bench, id, start);
    sights.push(sight);
    return sight.status;
  };
  for (;;) {
    const status = await look();
    const balance = await readBalance(bench);
    const isSteady = status === (await look());
    const elapsed = now() - start;
    if (isSteady) note(glances, status, balance);
    if ((isSteady && until.includes(status)) || elapsed > plan.patience) return { glances, ...sumUp(sights) };
    await sleep(pauseAfter(elapsed), signal);
  }
}

/** One reading of a payment: its start and end, the status, and the milliseconds of 404 responses before it. */
type Sight = {
  readonly status: string;
  readonly since: number;
  readonly at: number;
  readonly hidden: number;
};

function sumUp(sights: readonly Sight[]): Pick<Watched, 'statuses' | 'gap'> {
  const gaps = sights.map(({ status, at, hidden }, index) => {
    const last = sights[index - 1];
    return last === undefined || last.status === status ? hidden : at - last.since;
  });
  return { statuses: [...new Set(sights.map(({ status }) => status))], gap: Math.max(...gaps) };
}

function note(glances: Glance[], status: string, balance: Micro): void {
  const last = glances.at(-1);
  const isNews = last?.status !== status || last.balance !== balance;
  if (isNews) glances.push({ status, balance, looks: 1 });
  else glances.splice(-1, 1, { ...last, looks: last.looks + 1 });
}

/** Reads the status of a payment that was created at a time, again after a 404. */
async function readStatus(bench: Bench, id: string, createdAt: number): Promise<Sight> {
  const { ask, now, sleep, signal, onReadLag } = bench;
  for (let hidden = 0; ; hidden = now() - createdAt) {
    const since = now();
    const sighting = await ask(`/payments/${id}`);
    if (sighting.status === 404 && since - createdAt < READ_LAG) {
      await sleep(FIRST_PAUSE + (since - createdAt) / 10, signal);
      continue;
    }
    const { status } = demand(sighting, 'GET /payments/{payment_id}');
    if (typeof status !== 'string') throw new Inconclusive('the payment has no status');
    if (hidden > 0) onReadLag(hidden);
    return { status, since, at: now(), hidden };
  }
}

/** Reads what the wallet of the plan holds; one that is not listed holds nothing. */
export async function readBalance({ ask, plan }: Bench): Promise<Micro> {
  const { balances } = demand(await ask('/balance'), 'GET /balance');
  if (!Array.isArray(balances)) throw new Inconclusive('the balances are no list');
  const wallet = balances.map(toRecord).find(({ currency }) => currency === plan.from);
  if (wallet === undefined) return 0n;
  const balance = toMicro(wallet.balance);
  if (balance === undefined) throw new Inconclusive('a balance cannot be read');
  return balance;
}
