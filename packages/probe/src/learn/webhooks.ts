// The events of payments, their bodies, and what happens without an acknowledgement.
import { documentedEvent, type JsonObject, type ObjectTemplate, toRecord } from '@service/internal';
import { type Part, found, learned, other, partly, unknown } from '../finding.ts';
import { readTimestamp, type Sample } from '../templates/known.ts';
import { learnTemplate } from '../templates/learn.ts';
import { addStatuses, readQuote, type SeenStatus, textOf } from '../templates/values.ts';
import type { Traffic, Webhook } from '../traffic.ts';
import { documentedStatuses, listShown, statusesAt, toDuration } from './statuses.ts';

/** Learns the settings of webhooks. */
export function learnWebhooks(traffic: Traffic): Part[] {
  const { webhooks } = traffic;
  if (webhooks.length === 0)
    return (['ack', 'retrySchedule', 'events', 'eventShape'] as const).map((name) =>
      unknown(
        name,
        'no webhook was received: pass `webhooks`, and check the URL and the secret of the endpoint',
      ),
    );
  return [...learnRetries(traffic), evaluateEvents(traffic), evaluateEventShape(traffic)];
}

/** The time within which a second delivery is a copy rather than a retry, in milliseconds. */
const COPY_WINDOW = 200;
/** The silence that shows the end of a schedule, in multiples of its longest delay. */
const END_FACTOR = 3;
/** The bounds of the first two delays of the default schedule (docs/contract.md#webhooks), in milliseconds. */
const [FIRST_RETRY, SECOND_RETRY] = [
  [4_000, 8_000],
  [285_000, 330_000],
] as const;

/** Returns the attempts to deliver the first event that got such a status, without copies. */
export function listAttempts(webhooks: readonly Webhook[], is: (status: number) => boolean): Webhook[] {
  const first = webhooks.find(({ responseStatus, attempt }) => attempt === 1 && is(responseStatus));
  const all = webhooks.filter((one) => one.id === first?.id && one.status === first.status);
  return all.filter(({ at }, index) => at - (all[index - 1]?.at ?? -Infinity) >= COPY_WINDOW);
}

/** Returns whether a webhook has no acknowledgement whatever the service takes for one. */
export const isRefused = (status: number): boolean => status >= 300;

/** Returns the delays between attempts, in milliseconds. */
export function listGaps(attempts: readonly Webhook[]): number[] {
  return attempts.slice(1).map(({ at }, index) => at - (attempts[index]?.at ?? at));
}

const hasCopies = (webhooks: readonly Webhook[]): boolean =>
  webhooks.some((one) => one.attempt > 1 && one.responseStatus === 200);

/** Evaluates the webhooks that got another answer than 200. */
function learnRetries(traffic: Traffic): Part[] {
  const refused = listAttempts(traffic.webhooks, isRefused);
  const last = refused.at(-1);
  if (last === undefined)
    return (['ack', 'retrySchedule'] as const).map((name) =>
      unknown(name, 'no webhook was left without an acknowledgement'),
    );
  const silence = Math.max(...traffic.calls.map(({ end }) => end)) - last.at;
  const isCopying = hasCopies(traffic.webhooks);
  if (refused.length > 1)
    return [evaluateAck(traffic), evaluateSchedule(listGaps(refused), silence, isCopying)];
  const seconds = Math.round(silence / 1_000);
  const evidence = `a webhook that got ${last.responseStatus} was not retried within ${seconds} s`;
  const isLate = isCopying || findLateness(traffic) > FIRST_RETRY[0];
  return [
    unknown('ack', evidence),
    isLate
      ? unknown('retrySchedule', evidence, ['none'])
      : partly('retrySchedule', [`retries after more than ${seconds} s`], evidence, 'none'),
  ];
}

/** Evaluates the retries of a webhook that got a success other than 200. */
function evaluateAck({ webhooks }: Traffic): Part {
  const [first, ...more] = listAttempts(webhooks, (status) => status > 200 && status < 300);
  if (first === undefined) return unknown('ack', 'no webhook got 204');
  const evidence = `a webhook that got ${first.responseStatus} was`;
  if (more.length > 0 && hasCopies(webhooks))
    return unknown('ack', `${evidence} sent again, as others that got 200`);
  return more.length > 0
    ? found('ack', 200, `${evidence} retried`)
    : found('ack', '2xx', `${evidence} not retried, one that got 500 was`);
}

const isWithin = (delay: number, [least, most]: readonly [number, number]): boolean =>
  delay >= least && delay <= most;

/** Evaluates a schedule by its delays. A schedule with the same delay for every retry can also start with 5 s. */
function evaluateSchedule(gaps: readonly number[], silence: number, isCopying: boolean): Part {
  const shown = gaps.map((gap) => `${(gap / 1_000).toFixed(1)} s`).join(', then ');
  const evidence = `an unacknowledged webhook was retried after ${shown}, and not again within ${Math.round(silence / 1_000)} s`;
  const [first = 0, second = 0] = gaps;
  if (isWithin(first, FIRST_RETRY) && isWithin(second, SECOND_RETRY))
    return found('retrySchedule', 'default', evidence);
  if (isCopying)
    return unknown('retrySchedule', `${evidence}; some of them can be copies, which the service sends`);
  const delays = gaps.map((gap) => toDuration(Math.max(100, Math.round(gap / 100) * 100)));
  const hasEnded = silence >= END_FACTOR * Math.max(...gaps);
  const longer = hasEnded ? '' : '; a higher `webhookTimeout` shows whether more follow';
  if (gaps.length > 1) return found('retrySchedule', delays, evidence + longer);
  const next = '; the next default delay is 5 min: pass `webhookTimeout: 360_000`';
  const [more, value] = isWithin(first, FIRST_RETRY) ? [next, 'default'] : [longer, delays];
  return unknown('retrySchedule', evidence + more, [value]);
}

/** Returns the fields of a webhook that differ in its retry. */
function listRenewed(webhooks: readonly Webhook[]): string[] {
  const retry = webhooks.find(({ attempt }) => attempt > 1);
  const first = webhooks.find((one) => one.id === retry?.id && one.status === retry.status);
  const fields = Object.keys({ ...first?.body, ...retry?.body });
  return fields.filter((name) => JSON.stringify(first?.body[name]) !== JSON.stringify(retry?.body[name]));
}

/**
 * Determines the statuses that send a webhook. A status sends none if a later one of its payment did, or long ago; the last
 * status of a payment can still be on its way.
 */
function evaluateEvents(traffic: Traffic): Part {
  const { webhooks, payments, calls, facts } = traffic;
  const { webhookTimeout: limit = Infinity } = facts;
  const end = calls.at(-1)?.end ?? 0;
  const sent = new Set(webhooks.map(({ status }) => status));
  const all = payments.map((payment) => ({
    statuses: statusesAt(payment),
    events: payment.events.map(({ status }) => status),
    isOld: end - payment.create.end > limit,
  }));
  const observed = [...new Set(all.flatMap(({ statuses }) => statuses))];
  const isSilent = (status: string): boolean =>
    all.some(({ statuses, events, isOld }) => {
      const isPassed = events.some((name) => statuses.indexOf(name) > statuses.indexOf(status));
      return statuses.includes(status) && !events.includes(status) && (isPassed || isOld);
    });
  const evidence = `statuses: ${observed.join(', ')}; events: ${[...sent].join(', ')}`;
  const isComplete = observed.includes('completed') && observed.includes('failed');
  if (!isComplete || !observed.every((status) => sent.has(status) || isSilent(status)))
    return unknown('events', `${evidence}; requires payments that complete and fail, and their last events`);
  const late = findLateness(traffic);
  if (late > Math.min(limit, MAX_LATE) && observed.some((status) => !sent.has(status))) {
    const reason = `an event came ${Math.round(late / 1_000)} s late, so another one can be missing`;
    return unknown('events', `${evidence}; ${reason}: raise \`webhookTimeout\``);
  }
  const stray = [...sent].filter((status) => !observed.includes(status));
  if (stray.length > 0) return other('events', `${evidence}; no payment was in ${stray.join(', ')}`);
  return found(
    'events',
    documentedStatuses.filter((status) => sent.has(status)),
    evidence,
  );
}

/** The lateness from which another event can be missing, in milliseconds. */
const MAX_LATE = 10_000;

/** Returns the longest time between an event and its webhook, in milliseconds, by the clock of the service. */
function findLateness({ webhooks, payments }: Traffic): number {
  const times = webhooks.map(({ id, body, at, attempt }) => {
    const create = payments.find((one) => one.id === id)?.create;
    const created = readTimestamp(create?.response.data.created_at);
    const event = readTimestamp(body.created_at);
    if (attempt > 1 || create === undefined || created === undefined || event === undefined) return 0;
    return at - create.end - (event - created);
  });
  return Math.max(0, ...times);
}

/** The value from which the ids of events follow. */
const eventKey = { name: 'event_key' } as const;

/** Compares the bodies of webhooks with the documented one. */
function evaluateEventShape(traffic: Traffic): Part {
  const first = traffic.webhooks.filter(({ attempt }) => attempt === 1);
  const bodies = first.map(({ body }) => body);
  const [names, dataNames] = [bodies, bodies.map(({ data }) => toRecord(data))].map((all) => [
    ...new Set(all.flatMap((each) => Object.keys(each))),
  ]);
  const evidence = `fields: ${[...(names ?? []), ...(dataNames ?? [])].join(', ')}`;
  const renewed = listRenewed(traffic.webhooks);
  const missing = renewed.filter((name) => name !== 'created_at').map((name) => `${name} of a retry`);
  const isDocumented =
    names?.every((name) => name in documentedEvent) &&
    dataNames?.every((name) => name in toRecord(documentedEvent.data));
  if (isDocumented && renewed.length === 0) return found('eventShape', 'documented', evidence);
  const all = first.map((webhook) => toSample(webhook, traffic));
  const own = all.filter(({ isOwn }) => isOwn);
  const forms = { ...traffic.forms, key: eventKey };
  const { template, unexplained } = learnTemplate(own.length > 1 ? own : all, forms);
  const shape = renewed.includes('created_at')
    ? (JSON.parse(JSON.stringify(template).replaceAll(/\{at(?=[ }])/g, '{renewed_at')) as ObjectTemplate)
    : template;
  return learned('eventShape', shape, evidence, [...unexplained, ...missing]);
}

/** Returns a webhook and the values that it may show. */
function toSample(
  { body, id, status }: Webhook,
  { payments, webhooks }: Traffic,
): Sample & { readonly json: JsonObject; readonly isOwn: boolean } {
  const data = toRecord(body.data);
  const at = readTimestamp(body.created_at) ?? 0;
  const payment = payments.find((one) => one.id === id);
  const start = payment?.known.created_at;
  const createdAt = start?.kind === 'time' ? start.at : 0;
  const timeOf = (one: JsonObject): number => (readTimestamp(one.created_at) ?? 0) - createdAt;
  const ofEvents = webhooks
    .filter((one) => one.id === id && one.attempt === 1)
    .map((one) => ({ status: one.status, after: timeOf(one.body) }));
  const shown = (payment ? listShown(payment) : []).filter((one) =>
    ofEvents.every((sent) => sent.status !== one.status),
  );
  const own = { status, after: timeOf(body) };
  const earlier = [...ofEvents, ...shown].filter((one) => one.status !== status && one.after <= own.after);
  const seen: SeenStatus[] = [...earlier.toSorted((a, b) => a.after - b.after), own];
  return {
    json: body,
    isOwn: payment !== undefined,
    known: {
      ...(payment && addStatuses(payment.known, seen)),
      ...readQuote(data),
      ...Object.fromEntries(['id', 'status', 'mode'].map((name) => [name, textOf(data[name])])),
      at: { kind: 'time', at },
    },
  };
}
