import { statuses, toRecord } from '@service/internal';
import { createTestPayment, type Experiment, type ProbeContext, readId, requireData } from '../context.ts';
import { type Finding, found, Inconclusive, other, unknown } from '../finding.ts';
import { explainMissingWebhook, type RecordedWebhook, type WebhookRecorder } from '../recorder.ts';
import { evaluateDeliveryFaults } from './delivery-faults.ts';
import { toDuration } from './durations.ts';
import { watchPayment } from './watch.ts';

/** The experiments about webhooks: events, acknowledgement, retry delays and the body of a retry. */
export const webhooks: readonly Experiment[] = [
  { settings: ['events'], pays: true, run: probeEvents },
  { settings: ['ack', 'retrySchedule', 'redelivery'], pays: true, run: probeRetries },
  { settings: ['deliveryFaults'], pays: true, run: evaluateDeliveryFaults },
];

async function probeEvents(context: ProbeContext): Promise<Finding[]> {
  const observed = new Set<string>();
  const sent = new Set<string>();
  const missing = new Set<string>();
  const ids = new Set<string>();
  for (const changes of [{}, { beneficiary_account: context.plan.failing }]) {
    const id = readId(requireData(await createTestPayment(context, changes), 'POST /payments').id);
    ids.add(id);
    const { statuses: passed } = await watchPayment(context, id, { until: ['completed', 'failed'] });
    for (const status of passed) observed.add(status);
    const expected = passed.filter((status) => !missing.has(status));
    for (const { status } of await awaitEvents(context, id, expected)) sent.add(status);
    // Waits only once for an event that the service does not send.
    if (sent.size > 0) for (const status of expected) if (!sent.has(status)) missing.add(status);
  }
  const evidence = `statuses: ${[...observed].join(', ')}; events: ${[...sent].join(', ') || 'none'}`;
  const isLate = ({ id, status }: RecordedWebhook): boolean => ids.has(id) && !sent.has(status);
  if (sent.size > 0 && requireRecorder(context).webhooks.some(isLate)) {
    const limit = `${context.plan.webhookTimeout / 1_000} s`;
    return [
      unknown('events', `${evidence}; another one came after more than ${limit}: raise \`webhookTimeout\``),
    ];
  }
  if (sent.size === 0)
    return [unknown('events', `${explainMissingWebhook(requireRecorder(context))}; ${evidence}`)];
  const unlisted = [...sent].find((status) => !statuses.some((known) => known === status));
  if (unlisted !== undefined) return [other('events', evidence)];
  const events = statuses.filter((status) => sent.has(status));
  const isComplete = observed.has('completed') && observed.has('failed');
  return [isComplete ? found('events', events, evidence) : unknown('events', evidence)];
}

/** Waits for the events of a payment: until every observed status has one, or none arrived for a while. */
async function awaitEvents(
  context: ProbeContext,
  id: string,
  expected: readonly string[],
): Promise<readonly RecordedWebhook[]> {
  const recorder = requireRecorder(context);
  const ofPayment = (): RecordedWebhook[] => recorder.webhooks.filter((one) => one.id === id);
  const isComplete = (): boolean =>
    expected.every((status) => ofPayment().some((one) => one.status === status));
  for (let count = -1; count < ofPayment().length;) {
    count = ofPayment().length;
    await waitUntil(context, () => isComplete() || ofPayment().length > count);
    if (isComplete()) break;
  }
  return ofPayment();
}

/** Measures which responses lead to a retry of a webhook, the delays, and the body of the retry. */
async function probeRetries(context: ProbeContext): Promise<Finding[]> {
  checkNoRedelivery(context);
  const with204 = await deliverWith(context, 204);
  const retried = with204.retries.length === 0 ? await deliverWith(context, 500) : with204;
  checkNoRedelivery(context);
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
 * Returns the webhook recorder.
 *
 * @throws {Inconclusive} when this process receives no webhooks.
 */
function requireRecorder({ recorder }: ProbeContext): WebhookRecorder {
  if (recorder !== undefined) return recorder;
  throw new Inconclusive('requires webhooks: pass `webhooks`');
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

/** Creates a payment, responds to its first webhook and all retries with a status, and waits for the retries. */
async function deliverWith(context: ProbeContext, status: number): Promise<Attempts> {
  const recorder = requireRecorder(context);
  recorder.respondToNew(status);
  try {
    const id = readId(requireData(await createTestPayment(context), 'POST /payments').id);
    const ofPayment = (): RecordedWebhook[] => recorder.webhooks.filter((one) => one.id === id);
    await waitUntil(context, () => ofPayment().length > 0);
    recorder.respondToNew(200);
    const [first] = ofPayment();
    if (first === undefined) throw new Inconclusive(explainMissingWebhook(recorder));
    recorder.repeatFor(first);
    const attempts = (): RecordedWebhook[] => ofPayment().filter((one) => one.status === first.status);
    const silence = (): number => context.now() - (attempts().at(-1)?.at ?? 0);
    const gaps = (): number[] => listGaps(attempts());
    // A webhook that was not retried may have been acknowledged.
    await waitUntil(context, () => hasDefaultStart(gaps()) || hasEnded(gaps(), silence()));
    return { first, retries: attempts().slice(1), silence: silence() };
  } finally {
    recorder.respondToNew(200);
    recorder.repeatFor(undefined);
  }
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

const STEP = 200;
const MAX_STEP = 10_000;

/** Waits until a condition holds, at most for the webhook timeout of the plan. */
async function waitUntil({ plan, sleep, now }: ProbeContext, isMet: () => boolean): Promise<void> {
  const start = now();
  const end = start + plan.webhookTimeout;
  while (!isMet() && now() < end) await sleep(Math.min(STEP + (now() - start) / 30, MAX_STEP));
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
function evaluateSchedule({ first, retries, silence }: Attempts, { plan }: ProbeContext): Finding {
  const gaps = listGaps([first, ...retries]);
  const seconds = gaps.map((gap) => `${(gap / 1_000).toFixed(1)} s`).join(', then ');
  const evidence = `an unacknowledged webhook was retried after ${seconds}`;
  if (hasDefaultStart(gaps)) return found('retrySchedule', 'default', evidence);
  const end = `${evidence}, and not again within ${Math.round(silence / 1_000)} s`;
  if (hasEnded(gaps, silence))
    return found(
      'retrySchedule',
      gaps.map((gap) => toDuration(Math.max(100, Math.round(gap / 100) * 100))),
      end,
    );
  const isDefault = gaps.length === 1 && isWithin(gaps[0] ?? 0, FIRST_RETRY);
  return isDefault && plan.webhookTimeout < SECOND_RETRY[1]
    ? unknown('retrySchedule', `${end}; the next default delay is 5 min: pass \`webhookTimeout: 360_000\``, [
        'default',
      ])
    : unknown('retrySchedule', `${end}; a higher \`webhookTimeout\` shows whether more follow`);
}

function evaluateRedelivery(first: RecordedWebhook, retry: RecordedWebhook): Finding {
  if (first.text === retry.text) return found('redelivery', 'same', 'the retry has the same bytes');
  const evidence = `the retry has the body ${retry.text}`;
  const { created_at: before, ...one } = toRecord(JSON.parse(first.text));
  const { created_at: after, ...two } = toRecord(JSON.parse(retry.text));
  const isRenewed = before !== after && JSON.stringify(one) === JSON.stringify(two);
  return isRenewed ? found('redelivery', 'newCreatedAt', evidence) : other('redelivery', evidence);
}
