import type { Bench } from './bench.ts';
import { demand } from './bench.ts';
import { Inconclusive } from './finding.ts';
import { type Micro, toMicro } from './micro.ts';
import { toRecord } from './wire.ts';

/** Holds what was seen of a payment and its wallet between two looks that gave the same status. */
export type Glance = {
  readonly status: string;
  readonly balance: Micro;
  /** Counts how often in a row this was seen. */
  readonly looks: number;
};

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/**
 * Watches a payment and the wallet that pays it, until it has one of the statuses or the patience of the plan is over. A
 * balance counts only when the status was the same before and after it.
 */
export async function watch(bench: Bench, id: string, until: readonly string[]): Promise<readonly Glance[]> {
  const { plan, now, sleep, signal } = bench;
  const start = now();
  const glances: Glance[] = [];
  for (;;) {
    const status = await readStatus(bench, id);
    const balance = await readBalance(bench);
    const isSteady = status === (await readStatus(bench, id));
    const at = now() - start;
    if (isSteady) note(glances, status, balance);
    if ((isSteady && until.includes(status)) || at > plan.patience) return glances;
    await sleep(Math.min(LONGEST_PAUSE, FIRST_PAUSE + at / 20), signal);
  }
}

function note(glances: Glance[], status: string, balance: Micro): void {
  const last = glances.at(-1);
  const isNews = last?.status !== status || last.balance !== balance;
  if (isNews) glances.push({ status, balance, looks: 1 });
  else glances.splice(-1, 1, { ...last, looks: last.looks + 1 });
}

async function readStatus({ ask }: Bench, id: string): Promise<string> {
  const { status } = demand(await ask(`/payments/${id}`), 'GET /payments/{payment_id}');
  if (typeof status === 'string') return status;
  throw new Inconclusive('the payment has no status');
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
