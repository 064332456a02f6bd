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
  const late = listLate(events, watched);
  const isDelayed = areDelayed(events.filter((event) => !late.includes(event)).flatMap(toDelays(watched)));
  const evidence = `of ${events.length} events, ${copies} came twice and ${late.length} after a later one`;
  const delay = isDelayed ? summarizeTimes(events.flatMap(toDelays(watched))) : undefined;
  if (isDelayed && delay === undefined)
    return [unknown('deliveryFaults', `${evidence}; the delays of webhooks were not determined`)];
  const value: DeliveryFaults = {
    ...(copies > 0 && { duplicates: toProbability(copies, events.length) }),
    // Delays of different lengths change the order too.
    ...(late.length > 0 && !isDelayed && { reorder: toProbability(late.length, events.length) }),
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

/** Returns the events that came after the event of a later status of their payment. */
function listLate(events: readonly RecordedWebhook[], watched: readonly WatchedPayment[]): RecordedWebhook[] {
  return events.filter(({ id, status }, index) => {
    const statuses = watched.find((payment) => payment.id === id)?.statuses ?? [];
    const later = new Set(statuses.slice(statuses.indexOf(status) + 1));
    const before = events.slice(0, index).filter((event) => event.id === id);
    return statuses.includes(status) && before.some((event) => later.has(event.status));
  });
}

/** Creates a function that returns the time between the status change of an event and its webhook, if a read shows it. */
function toDelays(watched: readonly WatchedPayment[]): (event: RecordedWebhook) => Interval[] {
  return ({ id, status, at }) => {
    const payment = watched.find((one) => one.id === id);
    const changes = payment === undefined ? [] : listChanges(payment.createdAt, payment.readings);
    const change = changes.find((one) => one.status === status);
    return change === undefined ? [] : [[Math.max(0, at - change.to), at - change.from]];
  };
}

/** Webhooks that follow a status change within this time are not late, in milliseconds. */
const MIN_DELAY = 500;

/** Returns whether most webhooks come later than a read shows the change. */
function areDelayed(delays: readonly Interval[]): boolean {
  return delays.filter(([shortest]) => shortest >= MIN_DELAY).length * 2 > delays.length;
}
