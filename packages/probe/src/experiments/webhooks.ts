import { statuses } from '@service/internal';
import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, other, unknown } from '../finding.ts';
import { explainMissingWebhook, type RecordedWebhook, requireRecorder } from '../recorder.ts';
import { evaluateDeliveryFaults } from './delivery-faults.ts';
import { listChanges } from './durations.ts';
import { probeExtraStatuses } from './extra-statuses.ts';
import { waitUntil } from './watch.ts';

/** The experiments about the webhooks of the payments that earlier experiments have watched. */
export const events: readonly Experiment[] = [
  { settings: ['events'], pays: true, run: probeEvents },
  { settings: ['extraStatuses'], pays: true, run: probeExtraStatuses },
  { settings: ['deliveryFaults'], pays: true, run: evaluateDeliveryFaults },
];

/** Waits for an event of each observed status of the watched payments. */
async function probeEvents(context: ProbeContext): Promise<Finding[]> {
  const { watched, plan } = context;
  const recorder = requireRecorder(context);
  const observed = new Set(watched.flatMap((payment) => payment.statuses));
  const listEvents = (): RecordedWebhook[] =>
    recorder.webhooks.filter(({ id }) => watched.some((payment) => payment.id === id));
  const listSent = (): Set<string> => new Set(listEvents().map(({ status }) => status));
  const isComplete = (): boolean => [...observed].every((status) => listSent().has(status));
  // Each new event gives the others more time.
  for (let last = -1; last < listSent().size && !isComplete();) {
    last = listSent().size;
    const since = Math.max(
      ...watched.map(({ readings }) => readings.at(-1)?.at ?? 0),
      ...listEvents().map(({ at }) => at),
    );
    await waitUntil(context, () => isComplete() || listSent().size > last, since);
  }
  const sent = listSent();
  const evidence = `statuses: ${[...observed].join(', ')}; events: ${[...sent].join(', ') || 'none'}`;
  if (sent.size === 0) return [unknown('events', `${explainMissingWebhook(recorder)}; ${evidence}`)];
  if (!isComplete() && listEvents().some((event) => isLate(event, context))) {
    const limit = `${plan.webhookTimeout / 1_000} s`;
    return [
      unknown('events', `${evidence}; another one came after more than ${limit}: raise \`webhookTimeout\``),
    ];
  }
  const unlisted = [...sent].find(
    (status) => !observed.has(status) && !statuses.some((known) => known === status),
  );
  if (unlisted !== undefined) return [other('events', evidence)];
  const value = statuses.filter((status) => sent.has(status));
  const isWhole = observed.has('completed') && observed.has('failed');
  return [isWhole ? found('events', value, evidence) : unknown('events', evidence)];
}

/** Returns whether an event came later after its status than the probe waits for one. */
function isLate({ id, status, at, attempt }: RecordedWebhook, { watched, plan }: ProbeContext): boolean {
  const payment = watched.find((one) => one.id === id);
  const change =
    payment && listChanges(payment.createdAt, payment.readings).find((one) => one.status === status);
  return attempt === 1 && change !== undefined && at - change.to > plan.webhookTimeout;
}
