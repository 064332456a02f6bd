import type { Duration, ReadLag } from '@service/internal';
import { createTestPayment, type ProbeContext, readId, requireData } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import { roundWithin, toDuration } from './durations.ts';
import { pauseAfter, readBalance } from './watch.ts';

/** Maximum time to wait for a new payment in reads, in milliseconds. */
const MAX_LAG = 10_000;

type Read = keyof ReadLag;

const reads: readonly Read[] = ['payments', 'balance', 'transactions'];

/** When a read first showed the payment, in milliseconds since the create; undefined if another reason is possible. */
type FirstSeen = Map<Read, readonly [after: number, until: number] | undefined>;

/**
 * Creates the first payment of the run and reads it, the balance and the list until all of them show it. A change of the
 * balance or the list that comes later than a status change, and not with it, can also be a late debit.
 */
export async function probeReadLag(context: ProbeContext): Promise<Finding[]> {
  const { send, now, sleep } = context;
  const before = await readBalance(context);
  const data = requireData(await createTestPayment(context), 'POST /payments');
  const [id, start] = [readId(data.id), now()];
  const seen: FirstSeen = new Map();
  let last: { readonly at: number; readonly status: unknown } = { at: 0, status: data.status };
  while (seen.size < reads.length && now() - start <= MAX_LAG) {
    const payment = await send(`/payments/${id}`);
    const balance = await readBalance(context);
    const list = await send('/transactions?per_page=20');
    const shown = {
      payments: payment.accepted,
      balance: balance !== before,
      transactions: list.text.includes(id),
    };
    const at = now() - start;
    const status = payment.accepted ? payment.data.status : data.status;
    const isFirst = last.at === 0;
    const isVisible = seen.get('payments')?.[0] === 0;
    const limits = [last.at, at] as const;
    if (payment.accepted && !seen.has('payments')) seen.set('payments', isFirst ? [0, at] : limits);
    // While reads do not show the present status, a change can also be a late debit.
    const isOwnLag = isFirst || (isVisible && status === data.status);
    const late = isVisible && status !== last.status ? ([0, at] as const) : undefined;
    for (const read of ['balance', 'transactions'] as const)
      if (shown[read] && !seen.has(read)) seen.set(read, isOwnLag ? limits : late);
    last = { at, status };
    if (seen.size < reads.length) await sleep(pauseAfter(at));
  }
  return [evaluateLag(seen)];
}

function evaluateLag(seen: FirstSeen): Finding {
  const texts = reads.map((read) => `${read} ${describeRead(seen, read)}`);
  const evidence = `a new payment in ${texts.join(', ')}`;
  const lags = reads.flatMap((read): [Read, Duration][] => {
    const [after = 0, until = 0] = seen.get(read) ?? [];
    return after === 0 ? [] : [[read, toDuration(roundWithin(after, until))]];
  });
  return reads.every((read) => seen.get(read) !== undefined)
    ? found('readLag', Object.fromEntries(lags), evidence)
    : unknown('readLag', evidence);
}

function describeRead(seen: FirstSeen, read: Read): string {
  if (!seen.has(read)) return `not within ${MAX_LAG / 1_000} s`;
  const [after, until] = seen.get(read) ?? [];
  if (after === undefined || until === undefined) return 'later than a status change';
  return after === 0 ? 'at once' : `after ${Math.round(after)} to ${Math.round(until)} ms`;
}
