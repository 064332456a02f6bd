import { toRecord } from '../json.ts';
import { type ProbeContext, requireData, createTestPayment, readId } from './context.ts';
import { type Finding, found, Inconclusive, other, unknown } from './finding.ts';
import { type RecordedWebhook, explainMissingWebhook, type WebhookRecorder } from './webhook-recorder.ts';

/** Measures which responses lead to a retry of a webhook, the delays, and the body of the retry. */
export async function probeRetries(context: ProbeContext): Promise<Finding[]> {
  checkNoRedelivery(context);
  const with204 = await deliverWith(context, 204);
  const retried = with204.retry === undefined ? await deliverWith(context, 500) : with204;
  checkNoRedelivery(context);
  if (retried.retry === undefined) {
    const evidence = `a webhook that got 500 was not retried within ${context.plan.webhookPatience / 1_000} s`;
    return [
      unknown('retrySchedule', evidence, ['none']),
      unknown('ack', evidence),
      unknown('redelivery', evidence),
    ];
  }
  const ack =
    with204 === retried
      ? found('ack', 200, 'a webhook that got 204 was retried')
      : found('ack', '2xx', 'a webhook that got 204 was not retried, one that got 500 was');
  return [ack, evaluateSchedule(retried, context), evaluateRedelivery(retried.first, retried.retry)];
}

/**
 * Returns the webhook recorder.
 *
 * @throws {Inconclusive} when this process receives no webhooks.
 */
export function requireRecorder({ recorder }: ProbeContext): WebhookRecorder {
  if (recorder !== undefined) return recorder;
  throw new Inconclusive('requires webhooks: pass --sandbox or --listen');
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
  /** The first and the second retry, if they arrived. */
  readonly retry: RecordedWebhook | undefined;
  readonly secondRetry: RecordedWebhook | undefined;
}

/**
 * Creates a payment, responds to its first webhook and the first retry with a status, and waits for two
 * retries.
 */
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
    const retries = (): RecordedWebhook[] =>
      ofPayment()
        .slice(1)
        .filter((one) => one.status === first.status);
    await waitUntil(context, () => retries().length > 0);
    const [retry] = retries();
    if (retry && isDefault(retry.at - first.at, FIRST_RETRY))
      await waitUntil(context, () => retries().length > 1);
    return { first, retry, secondRetry: retries()[1] };
  } finally {
    recorder.respondToNew(200);
    recorder.repeatFor(undefined);
  }
}

const STEP = 200;
const MAX_STEP = 10_000;

/** Waits until a condition holds, at most for the webhook timeout of the plan. */
export async function waitUntil(
  { plan, sleep, signal, now }: ProbeContext,
  isMet: () => boolean,
): Promise<void> {
  const start = now();
  const end = start + plan.webhookPatience;
  while (!isMet() && now() < end) await sleep(Math.min(STEP + (now() - start) / 30, MAX_STEP), signal);
}

/**
 * The bounds of the first two delays of the default schedule, 5 s and 5 min (docs/contract.md#webhooks), in
 * milliseconds.
 */
const FIRST_RETRY = [4_000, 8_000] as const;
const SECOND_RETRY = [285_000, 330_000] as const;

function isDefault(delay: number, [least, most]: readonly [number, number]): boolean {
  return delay >= least && delay <= most;
}

/**
 * Evaluates a schedule by two delays: a schedule with the same delay for every retry can also start with 5 s.
 */
function evaluateSchedule({ first, retry = first, secondRetry }: Attempts, { plan }: ProbeContext): Finding {
  const delays = [retry.at - first.at, ...(secondRetry ? [secondRetry.at - retry.at] : [])];
  const seconds = delays.map((delay) => `${(delay / 1_000).toFixed(1)} s`).join(', then ');
  const evidence = `an unacknowledged webhook was retried after ${seconds}`;
  const [firstDelay = 0, secondDelay] = delays;
  if (!isDefault(firstDelay, FIRST_RETRY)) return other('retrySchedule', evidence);
  if (secondDelay === undefined) {
    const limit = `${plan.webhookPatience / 1_000} s`;
    const advice = 'the next default delay is 5 min: pass --webhook-timeout 6m';
    return unknown('retrySchedule', `${evidence}, and not again within ${limit}; ${advice}`, ['default']);
  }
  return isDefault(secondDelay, SECOND_RETRY)
    ? found('retrySchedule', 'default', evidence)
    : other('retrySchedule', evidence);
}

function evaluateRedelivery(first: RecordedWebhook, retry: RecordedWebhook): Finding {
  if (first.text === retry.text) return found('redelivery', 'same', 'the retry has the same bytes');
  const evidence = `the retry has the body ${retry.text}`;
  const { created_at: before, ...one } = toRecord(JSON.parse(first.text));
  const { created_at: after, ...two } = toRecord(JSON.parse(retry.text));
  const isRenewed = before !== after && JSON.stringify(one) === JSON.stringify(two);
  return isRenewed ? found('redelivery', 'newCreatedAt', evidence) : other('redelivery', evidence);
}
