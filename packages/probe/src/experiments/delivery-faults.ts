import type { DeliveryFaults } from '@service/internal';
import type { ProbeContext } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import type { RecordedWebhook } from '../recorder.ts';
import { formatRange, type Interval, listChanges, summarizeTimes } from './durations.ts';
import type { WatchedPayment } from './watch.ts';

/** Minimum number of events behind a finding. */
const MIN_EVENTS = 6;

/** Evaluates the first deliveries of all events so far: copies, their order, and the time after the status change. */
export async function evaluateDeliveryFaults({ recorder, watched }: ProbeContext): Promise<Finding[]> {
  if (recorder === undefined) return [unknown('deliveryFaults', 'requires webhooks: pass `webhooks`')];
  const events = listFirstDeliveries(recorder.webhooks);
  if (events.length < MIN_EVENTS)
    return [unknown('deliveryFaults', `${events.length} events, which is not enough for a probability`)];
  // A second delivery of an event without acknowledgement can be a retry.
  const copies = events.filter((event) => event.copies > 0 && event.responseStatus === 200).length;
  const late = countLate(events, watched);
  const delay = measureDelay(events, watched);
  const evidence = `of ${events.length} events, ${copies} came twice and ${late} after a later one`;
  const value: DeliveryFaults = {
    ...(copies > 0 && { duplicates: toProbability(copies, events.length) }),
    ...(late > 0 && { reorder: toProbability(late, events.length) }),
    ...(delay !== undefined && { delay }),
  };
  if (Object.keys(value).length === 0) return [found('deliveryFaults', 'none', evidence)];
  const timing = delay === undefined ? '' : `; webhooks came ${formatRange(delay)} after the status change`;
  return [found('deliveryFaults', value, evidence + timing)];
}

function toProbability(count: number, all: number): number {
  return Math.round((count / all) * 100) / 100;
}

/** Returns the first delivery of each event. */
function listFirstDeliveries(webhooks: readonly RecordedWebhook[]): RecordedWebhook[] {
  const known = new Set<string>();
  return webhooks.filter(({ id, status }) => {
    const isNew = !known.has(`${id} ${status}`);
    known.add(`${id} ${status}`);
    return isNew;
  });
}

/** Counts the events that came after the event of a later status of their payment. */
function countLate(events: readonly RecordedWebhook[], watched: readonly WatchedPayment[]): number {
  return events.filter(({ id, status }, index) => {
    const statuses = watched.find((payment) => payment.id === id)?.statuses ?? [];
    const later = new Set(statuses.slice(statuses.indexOf(status) + 1));
    const before = events.slice(0, index).filter((event) => event.id === id);
    return statuses.includes(status) && before.some((event) => later.has(event.status));
  }).length;
}

/** Webhooks that follow a status change within this time are not late, in milliseconds. */
const MIN_DELAY = 500;

/** Returns the time between a status change and its webhook, if most webhooks come later than a read shows the change. */
function measureDelay(
  events: readonly RecordedWebhook[],
  watched: readonly WatchedPayment[],
): DeliveryFaults['delay'] {
  const delays = watched.flatMap(({ id, createdAt, readings }) =>
    listChanges(createdAt, readings).flatMap(({ status, from, to }): Interval[] => {
      const event = events.find((one) => one.id === id && one.status === status);
      return event === undefined ? [] : [[Math.max(0, event.at - to), event.at - from]];
    }),
  );
  const late = delays.filter(([shortest]) => shortest >= MIN_DELAY);
  return late.length * 2 > delays.length ? summarizeTimes(delays) : undefined;
}
