import { type Micro, toMicro, toRecord } from '@service/internal';
import { readBalance } from '../balances.ts';
import { createTestPayment, type Experiment, type ProbeContext, readId, requireData } from '../context.ts';
import { type Finding, found, Inconclusive, other, unknown } from '../finding.ts';
import { explainMissingWebhook, type RecordedWebhook, requireRecorder } from '../recorder.ts';
import { toDuration } from './durations.ts';
import { pauseAfter, waitUntil, watchPayment } from './watch.ts';

/** The experiment about webhooks that are not acknowledged: retries, their delays and bodies. */
export const retries: readonly Experiment[] = [
  { settings: ['ack', 'retrySchedule', 'redelivery'], pays: true, run: probeRetries },
];

/** Measures which responses lead to a retry of a webhook, the delays, and the body of the retry. */
async function probeRetries(context: ProbeContext): Promise<Finding[]> {
  const ids = await createUnacknowledged(context);
  const [with204, with500] = await awaitRetries(context, ids);
  checkNoRedelivery(context);
  const retried = with204.retries.length === 0 ? with500 : with204;
  const [retry] = retried.retries;
  if (retry === undefined) {
    const limit = `within ${context.plan.webhookTimeout / 1_000} s`;
    const { copies } = retried.first;
    const evidence =
      copies === 0
        ? `a webhook that got 500 was not retried ${limit}`
        : `a webhook that got 500 came ${copies} more ${copies === 1 ? 'time' : 'times'}, each within 1 s, as a copy or a retry, and not later ${limit}`;
    return [
      unknown('retrySchedule', evidence, copies === 0 ? ['none'] : undefined),
      unknown('ack', evidence),
      unknown('redelivery', evidence),
    ];
  }
  const ack =
    with204 === retried
      ? found('ack', 200, 'a webhook that got 204 was retried')
      : found('ack', '2xx', 'a webhook that got 204 was not retried, one that got 500 was');
  return [ack, evaluateSchedule(retried, context), evaluateRedelivery(retried.first, retry)];
}

/**
 * Checks that no acknowledged webhook was delivered again: otherwise a second delivery does not show a retry.
 *
 * @throws {Inconclusive} when one was.
 */
function checkNoRedelivery(context: ProbeContext): void {
  const acknowledged = new Set<string>();
  for (const { id, status, responseStatus } of requireRecorder(context).webhooks) {
    const name = `${id} ${status}`;
    if (acknowledged.has(name)) throw new Inconclusive('acknowledged webhooks were delivered again');
    if (responseStatus === 200) acknowledged.add(name);
  }
}

interface Attempts {
  readonly first: RecordedWebhook;
  /** The retries that arrived. */
  readonly retries: readonly RecordedWebhook[];
  /** The time after the last attempt without another one, in milliseconds. */
  readonly silence: number;
}

/** The responses to the first webhooks of the payments. */
const responses = [204, 500] as const;

/** Creates payments whose first webhook gets a response that may lead to a retry, and waits until they are final. */
async function createUnacknowledged(context: ProbeContext): Promise<readonly string[]> {
  const recorder = requireRecorder(context);
  return context.lockWallet(async () => {
    const before = await readBalance(context);
    const created: { readonly id: string; readonly createdAt: number }[] = [];
    try {
      for (const status of responses) {
        // The first webhook can arrive before the response to the create.
        recorder.respondToNew(status);
        const id = readId(requireData(await createTestPayment(context), 'POST /payments').id);
        recorder.respondTo(id, status);
        created.push({ id, createdAt: context.now() });
      }
    } finally {
      recorder.respondToNew(200);
    }
    await Promise.all(
      created.map(({ id, createdAt }) =>
        watchPayment(context, id, { until: ['completed', 'failed'], createdAt }),
      ),
    );
    await awaitDebits(context, before, (toMicro(context.plan.amount) ?? 0n) * BigInt(responses.length));
    return created.map(({ id }) => id);
  });
}

/** Maximum time to wait for a balance that lags, in milliseconds. */
const MAX_LAG = 10_000;

/** Waits until the balance shows the debits of payments, so that the next measurement does not see them. */
export async function awaitDebits(context: ProbeContext, before: Micro, debits: Micro): Promise<void> {
  const { now, sleep } = context;
  const start = now();
  while (before - (await readBalance(context)) < debits && now() - start <= MAX_LAG)
    await sleep(pauseAfter(now() - start));
}

/** Waits for the retries of the first webhook of each payment. */
async function awaitRetries(
  context: ProbeContext,
  ids: readonly string[],
): Promise<readonly [Attempts, Attempts]> {
  const recorder = requireRecorder(context);
  const ofPayment = (id: string): RecordedWebhook[] => recorder.webhooks.filter((one) => one.id === id);
  const readAttempts = (id: string): Attempts => {
    const [first, ...others] = ofPayment(id);
    if (first === undefined) throw new Inconclusive(explainMissingWebhook(recorder));
    const again = others.filter((one) => one.status === first.status);
    return { first, retries: again, silence: context.now() - (again.at(-1) ?? first).at };
  };
  const [one = '', two = ''] = ids;
  try {
    await waitUntil(context, () => ids.every((id) => ofPayment(id).length > 0));
    const start = Math.max(readAttempts(one).first.at, readAttempts(two).first.at);
    const isOver = (): boolean => {
      const [with204, with500] = [readAttempts(one), readAttempts(two)];
      // A webhook that was not retried may have been acknowledged.
      return hasResult(with204.retries.length === 0 ? with500 : with204);
    };
    await waitUntil(context, isOver, start);
    return [readAttempts(one), readAttempts(two)];
  } finally {
    for (const id of ids) recorder.respondTo(id, 200);
  }
}

/** Returns whether further retries would not change the finding. */
function hasResult({ first, retries: again, silence }: Attempts): boolean {
  const gaps = listGaps([first, ...again]);
  return hasDefaultStart(gaps) || hasEnded(gaps, silence);
}

function listGaps(attempts: readonly RecordedWebhook[]): number[] {
  return attempts.slice(1).map(({ at }, index) => at - (attempts[index]?.at ?? at));
}

/** Number of delays that are needed to see the end of a schedule. */
const MIN_GAPS = 2;

/** The shortest time without a retry that shows the end of a schedule, in multiples of its longest delay. */
const END_FACTOR = 3;

/** Returns whether retries have ended: none came for much longer than any delay before. */
function hasEnded(gaps: readonly number[], silence: number): boolean {
  return gaps.length >= MIN_GAPS && silence >= END_FACTOR * Math.max(...gaps);
}

/**
 * The bounds of the first two delays of the default schedule, 5 s and 5 min (docs/contract.md#webhooks), in
 * milliseconds.
 */
const FIRST_RETRY = [4_000, 8_000] as const;
const SECOND_RETRY = [285_000, 330_000] as const;

/** Returns whether the first two delays are those of the default schedule. */
function hasDefaultStart([first = 0, second = 0]: readonly number[]): boolean {
  return isWithin(first, FIRST_RETRY) && isWithin(second, SECOND_RETRY);
}

function isWithin(delay: number, [least, most]: readonly [number, number]): boolean {
  return delay >= least && delay <= most;
}

/**
 * Evaluates a schedule by its delays. A list is found only with its end: a schedule with the same delay for every retry
 * can also start with 5 s.
 */
function evaluateSchedule({ first, retries: again, silence }: Attempts, { plan }: ProbeContext): Finding {
  const gaps = listGaps([first, ...again]);
  const seconds = gaps.map((gap) => `${(gap / 1_000).toFixed(1)} s`).join(', then ');
  const evidence = `an unacknowledged webhook was retried after ${seconds}`;
  if (hasDefaultStart(gaps)) return found('retrySchedule', 'default', evidence);
  const end = `${evidence}, and not again within ${Math.round(silence / 1_000)} s`;
  const delays = gaps.map((gap) => toDuration(Math.max(100, Math.round(gap / 100) * 100)));
  if (hasEnded(gaps, silence)) return found('retrySchedule', delays, end);
  const more = `${end}; a higher \`webhookTimeout\` shows whether more follow`;
  if (gaps.length >= MIN_GAPS) return found('retrySchedule', delays, more);
  const isDefault = isWithin(gaps[0] ?? 0, FIRST_RETRY);
  return isDefault && plan.webhookTimeout < SECOND_RETRY[1]
    ? unknown('retrySchedule', `${end}; the next default delay is 5 min: pass \`webhookTimeout: 360_000\``, [
        'default',
      ])
    : unknown('retrySchedule', more, [delays]);
}

function evaluateRedelivery(first: RecordedWebhook, retry: RecordedWebhook): Finding {
  if (first.text === retry.text) return found('redelivery', 'same', 'the retry has the same bytes');
  const evidence = `the retry has the body ${retry.text}`;
  const { created_at: before, ...one } = toRecord(JSON.parse(first.text));
  const { created_at: after, ...two } = toRecord(JSON.parse(retry.text));
  const isRenewed = before !== after && JSON.stringify(one) === JSON.stringify(two);
  return isRenewed ? found('redelivery', 'newCreatedAt', evidence) : other('redelivery', evidence);
}
