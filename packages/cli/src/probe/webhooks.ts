import type { Profile } from '@service/mock';
import { type ProbeContext, requireData, type Experiment, createTestPayment, readId } from './context.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { type RecordedWebhook, explainMissingWebhook } from './webhook-recorder.ts';
import { probeRetries, requireRecorder, waitUntil } from './retries.ts';
import { watchPayment } from './watch.ts';

/** The experiments about webhooks: events, acknowledgement, retry delays and the body of a retry. */
export const webhooks: readonly Experiment[] = [
  { settings: ['events'], pays: true, run: probeEvents },
  { settings: ['ack', 'retrySchedule', 'redelivery'], pays: true, run: probeRetries },
];

const knownStatuses: readonly Profile['events'][number][] = [
  'pending',
  'processing',
  'under_review',
  'completed',
  'failed',
];

async function probeEvents(context: ProbeContext): Promise<Finding[]> {
  const observed = new Set<string>();
  const sent = new Set<string>();
  for (const changes of [{}, { beneficiary_account: context.plan.failing }]) {
    const { id } = requireData(await createTestPayment(context, changes), 'POST /payments');
    const { statuses } = await watchPayment(context, readId(id), ['completed', 'failed']);
    for (const status of statuses) observed.add(status);
    for (const { status } of await awaitEvents(context, readId(id), statuses)) sent.add(status);
  }
  const evidence = `statuses: ${[...observed].join(', ')}; events: ${[...sent].join(', ') || 'none'}`;
  if (sent.size === 0)
    return [unknown('events', `${explainMissingWebhook(requireRecorder(context))}; ${evidence}`)];
  const unlisted = [...sent].find((status) => !knownStatuses.some((known) => known === status));
  if (unlisted !== undefined) return [other('events', evidence)];
  const events = knownStatuses.filter((status) => sent.has(status));
  const isComplete = observed.has('completed') && observed.has('failed');
  return [isComplete ? found('events', events, evidence) : unknown('events', evidence)];
}

/** Waits for the events of a payment: until every observed status has one, or none arrived for a while. */
async function awaitEvents(
  context: ProbeContext,
  id: string,
  statuses: readonly string[],
): Promise<readonly RecordedWebhook[]> {
  const recorder = requireRecorder(context);
  const ofPayment = (): RecordedWebhook[] => recorder.webhooks.filter((one) => one.id === id);
  const isComplete = (): boolean =>
    statuses.every((status) => ofPayment().some((one) => one.status === status));
  for (let count = -1; count < ofPayment().length;) {
    count = ofPayment().length;
    await waitUntil(context, () => isComplete() || ofPayment().length > count);
    if (isComplete()) break;
  }
  return ofPayment();
}
