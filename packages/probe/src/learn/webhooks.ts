// The events of payments, their bodies, and what happens without an acknowledgement.
import type { ProfileChoice } from '@service/mock';
import { type JsonObject, type ObjectTemplate, type Template, isRecord, toRecord } from '@service/internal';
import { type Finding, found, learned, other, unknown } from '../finding.ts';
import { learnKeyForm } from '../templates/ids.ts';
import { readTimestamp } from '../templates/known.ts';
import { learnTemplate } from '../templates/learn.ts';
import { addStatuses, paymentCases, type SeenStatus } from '../templates/states.ts';
import type { Sample } from '../templates/sample.ts';
import { formsOf, readQuote, textOf } from '../templates/values.ts';
import type { Traffic, Webhook } from '../traffic.ts';
import { listShown } from './shapes.ts';
import { eventStatuses, statusesAt, toDuration } from './statuses.ts';

/** Learns the settings of webhooks. */
export function learnWebhooks(traffic: Traffic): Finding[] {
  const { webhooks } = traffic;
  if (webhooks.length === 0)
    return (['ack', 'retrySchedule', 'redelivery', 'events', 'eventShape'] as const).map((name) =>
      unknown(
        name,
        'no webhook was received: pass `webhooks`, and check the URL and the secret of the endpoint',
      ),
    );
  return [...learnRetries(traffic), evaluateEvents(traffic), evaluateEventShape(traffic)];
}

/** Times within which a second delivery is a copy rather than a retry, in milliseconds: in general, and of a service that copies. */
const [COPY_WINDOW, COPIES_WINDOW] = [200, 1_000];
/** Number of delays that are needed to see the end of a schedule, and the silence that shows it, in multiples of its longest delay. */
const [MIN_GAPS, END_FACTOR] = [2, 3];
/** The bounds of the first two delays of the default schedule (docs/contract.md#webhooks), in milliseconds. */
const [FIRST_RETRY, SECOND_RETRY] = [
  [4_000, 8_000],
  [285_000, 330_000],
] as const;

/** Evaluates the webhooks that got another answer than 200. */
function learnRetries({ webhooks, calls }: Traffic): Finding[] {
  const repeats = webhooks.flatMap((one, index) => {
    const next = webhooks.slice(index + 1).find(({ id, status }) => id === one.id && status === one.status);
    return one.responseStatus === 200 && next !== undefined ? [next.at - one.at] : [];
  });
  const isRepeated = repeats.some((gap) => gap > COPIES_WINDOW);
  const window = repeats.length > 0 ? COPIES_WINDOW : COPY_WINDOW;
  const end = Math.max(...webhooks.map(({ at }) => at), ...calls.map((call) => call.end));
  const attemptsOf = (status: (status: number) => boolean): Webhook[] => {
    const first = webhooks.find(({ responseStatus, attempt }) => attempt === 1 && status(responseStatus));
    const all = webhooks.filter((one) => one.id === first?.id && one.status === first.status);
    return all.reduce<Webhook[]>(
      (kept, one) => (one.at - (kept.at(-1)?.at ?? -Infinity) >= window ? [...kept, one] : kept),
      [],
    );
  };
  const [accepted, refused] = [
    attemptsOf((status) => status > 200 && status < 300),
    attemptsOf((status) => status >= 300),
  ];
  const names = ['ack', 'retrySchedule', 'redelivery'] as const;
  if (refused.length === 0)
    return names.map((name) => unknown(name, 'no webhook was left without an acknowledgement'));
  const silence = end - (refused.at(-1)?.at ?? end);
  if (refused.length === 1) {
    const evidence = `a webhook that got ${refused[0]?.responseStatus} was not retried within ${Math.round(silence / 1_000)} s`;
    return [
      unknown('ack', evidence),
      unknown('retrySchedule', evidence, ['none']),
      unknown('redelivery', evidence),
    ];
  }
  const gaps = refused.slice(1).map(({ at }, index) => at - (refused[index]?.at ?? at));
  const [status] = accepted.map((one) => one.responseStatus);
  const ack: Finding =
    accepted.length === 0 || isRepeated
      ? unknown(
          'ack',
          accepted.length === 0 ? 'no webhook got 204' : 'acknowledged webhooks were delivered again',
        )
      : accepted.length > 1
        ? found('ack', 200, `a webhook that got ${status} was retried`)
        : found('ack', '2xx', `a webhook that got ${status} was not retried, one that got 500 was`);
  return [ack, evaluateSchedule(gaps, silence), evaluateRedelivery(refused)];
}

const isWithin = (delay: number, [least, most]: readonly [number, number]): boolean =>
  delay >= least && delay <= most;

/** Evaluates a schedule by its delays. A schedule with the same delay for every retry can also start with 5 s. */
function evaluateSchedule(gaps: readonly number[], silence: number): Finding {
  const evidence = `an unacknowledged webhook was retried after ${gaps.map((gap) => `${(gap / 1_000).toFixed(1)} s`).join(', then ')}`;
  const [first = 0, second = 0] = gaps;
  if (isWithin(first, FIRST_RETRY) && isWithin(second, SECOND_RETRY))
    return found('retrySchedule', 'default', evidence);
  const delays = gaps.map((gap) => toDuration(Math.max(100, Math.round(gap / 100) * 100)));
  const until = `${evidence}, and not again within ${Math.round(silence / 1_000)} s`;
  if (gaps.length >= MIN_GAPS)
    return found(
      'retrySchedule',
      delays,
      silence >= END_FACTOR * Math.max(...gaps)
        ? until
        : `${until}; a higher \`webhookTimeout\` shows whether more follow`,
    );
  return isWithin(first, FIRST_RETRY)
    ? unknown(
        'retrySchedule',
        `${until}; the next default delay is 5 min: pass \`webhookTimeout: 360_000\``,
        ['default'],
      )
    : unknown('retrySchedule', `${until}; a higher \`webhookTimeout\` shows whether more follow`, [delays]);
}

function evaluateRedelivery([first, retry]: readonly Webhook[]): Finding {
  const [before, after] = [toRecord(first?.body), toRecord(retry?.body)];
  if (JSON.stringify(before) === JSON.stringify(after))
    return found('redelivery', 'same', 'the retry has the same body');
  const { created_at: one, ...rest } = before;
  const { created_at: two, ...others } = after;
  const isRenewed = one !== two && JSON.stringify(rest) === JSON.stringify(others);
  const evidence = `the retry differs in ${Object.keys(after)
    .filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
    .join(', ')}`;
  return isRenewed ? found('redelivery', 'newCreatedAt', evidence) : other('redelivery', evidence);
}

/**
 * Determines the statuses that send a webhook. A status sends none if a later one of its payment did, or long ago; the last
 * status of a payment can still be on its way.
 */
function evaluateEvents(traffic: Traffic): Finding {
  const { webhooks, payments, calls, facts } = traffic;
  const { webhookTimeout: limit = Infinity } = facts;
  const end = calls.at(-1)?.end ?? 0;
  const sent = new Set(webhooks.map(({ status }) => status));
  const observed = new Set(payments.flatMap(({ id }) => statusesAt(traffic, id, Infinity)));
  const isSilent = (status: string): boolean =>
    payments.some(({ id, create }) => {
      const own = webhooks.filter((one) => one.id === id);
      const statuses = statusesAt(traffic, id, Infinity);
      const isPassed = own.some((one) => statuses.indexOf(one.status) > statuses.indexOf(status));
      return (
        statuses.includes(status) &&
        own.every((one) => one.status !== status) &&
        (isPassed || end - create.end > limit)
      );
    });
  const evidence = `statuses: ${[...observed].join(', ')}; events: ${[...sent].join(', ')}`;
  const unlisted = [...sent].find((status) => !eventStatuses.includes(status) && status !== 'pending');
  const known = unlisted === undefined || ![...observed].includes(unlisted);
  const isDecided = [...observed].every((status) => sent.has(status) || isSilent(status));
  const isComplete = observed.has('completed') && observed.has('failed');
  const lateBy = Math.max(
    0,
    ...webhooks.filter(({ attempt }) => attempt === 1).map((one) => readLateness(one, traffic)),
  );
  const isLate = lateBy > Math.min(limit, 10_000) && [...observed].some((status) => !sent.has(status));
  if (!isDecided || !isComplete || isLate) {
    const late = `an event came ${Math.round(lateBy / 1_000)} s late, so another one can be missing: raise \`webhookTimeout\``;
    return unknown(
      'events',
      `${evidence}; ${isComplete ? late : 'requires payments that complete and fail'}`,
    );
  }
  if (!known) return other('events', `${evidence}; no payment was in ${unlisted}`);
  const value = eventStatuses.filter((status) => sent.has(status));
  return found('events', value as NonNullable<ProfileChoice['events']>, evidence);
}

/** Returns the time between an event and its webhook, in milliseconds, by the clock of the service. */
function readLateness({ id, body, at }: Webhook, { payments }: Traffic): number {
  const payment = payments.find((one) => one.id === id);
  const [created, event] = [
    readTimestamp(payment?.create.response.data.created_at),
    readTimestamp(body.created_at),
  ];
  if (payment === undefined || created === undefined || event === undefined) return 0;
  return at - payment.create.end - (event - created);
}

const eventFields = new Set(['event', 'created_at', 'data']);
const eventDataFields = new Set([
  'id',
  'status',
  'from_currency',
  'to_currency',
  'send_amount',
  'receive_amount',
  'mode',
]);

/** The value from which the ids of events follow. */
const eventKey = { name: 'event_key', length: 24 } as const;

/** Compares the bodies of webhooks with the documented one. */
function evaluateEventShape(traffic: Traffic): Finding {
  const first = traffic.webhooks.filter(({ attempt }) => attempt === 1);
  const bodies = first.map(({ body }) => body);
  const names = [
    ...new Set(bodies.flatMap((body) => [...Object.keys(body), ...Object.keys(toRecord(body.data))])),
  ];
  const evidence = `fields: ${names.join(', ')}`;
  const isDocumented = bodies.every(
    (body) =>
      Object.keys(body).every((name) => eventFields.has(name)) &&
      Object.keys(toRecord(body.data)).every((name) => eventDataFields.has(name)),
  );
  if (isDocumented) return found('eventShape', 'documented', evidence);
  const ids = learnEventIds(first);
  const all = first.map((webhook) => toSample(webhook, ids?.field, traffic));
  const own = all.filter(({ isOwn }) => isOwn);
  const forms = formsOf({ ...bodies[0], ...toRecord(bodies[0]?.data) });
  const created = traffic.payments[0]?.create.response.data;
  const { template, unexplained } = learnTemplate(own.length > 1 ? own : all, {
    ...forms,
    timestamps: created ? formsOf(created).timestamps : forms.timestamps,
    key: eventKey,
    cases: paymentCases,
  });
  const keyed = ids === undefined ? template : replaceKey(template, ids.form);
  const isNamed = bodies.every(({ event, data }) => event === `payment.${String(toRecord(data).status)}`);
  const value = (
    isNamed ? { ...(keyed as ObjectTemplate), event: 'payment.{status}' } : keyed
  ) as ObjectTemplate;
  return learned(
    'eventShape',
    value,
    evidence,
    unexplained.filter((name) => !isNamed || name !== 'event'),
  );
}

const ID_NAME = /^(?:id|uuid|key|(?:event|delivery|webhook|notification)_?(?:id|uuid)?)$/;

/** Learns the field with an id that each event has, and its form. Undefined without one. */
function learnEventIds(
  events: readonly Webhook[],
): { readonly field: string; readonly form: string } | undefined {
  const field = Object.keys(events[0]?.body ?? {})
    .filter((name) => ID_NAME.test(name) && name !== 'event')
    .find((name) => {
      const texts = events.map(({ body }) => body[name]);
      return (
        texts.every((text) => typeof text === 'string') &&
        new Set(texts).size === events.length &&
        texts.length > 1
      );
    });
  if (field === undefined) return undefined;
  const named = new Set(
    events.map(({ body, id, status }) =>
      String(body[field])
        .replaceAll('{', '{{')
        .replaceAll(id, '{id}')
        .replaceAll(new RegExp(`\\b${status}\\b`, 'g'), '{status}'),
    ),
  );
  const [form = ''] = named;
  if (named.size === 1) return { field, form };
  const texts = events.map(({ body }) => String(body[field]));
  return { field, form: learnKeyForm(texts, eventKey) ?? toKeyForm(texts) };
}

/** Returns the form of ids that have different lengths: their prefix, and the case of their letters. */
function toKeyForm(texts: readonly string[]): string {
  const prefixes = new Set(texts.map((text) => /^[A-Za-z]+[_-]/.exec(text)?.[0] ?? ''));
  const [prefix = ''] = prefixes.size === 1 ? prefixes : [];
  const rest = texts.map((text) => text.slice(prefix.length)).join('');
  const word = rest === rest.toLowerCase() ? ' lower' : rest === rest.toUpperCase() ? ' upper' : '';
  return `${prefix.replaceAll('{', '{{')}{event_key${word}}`;
}

/** Replaces the id of an event in a learned template by its form. */
function replaceKey(template: Template, form: string): Template {
  if (typeof template === 'string') return template.replaceAll('{event_key}', form);
  if (Array.isArray(template)) return template.map((each: Template) => replaceKey(each, form));
  if (!isRecord(template)) return template;
  const fields = Object.entries(template as Readonly<Record<string, Template>>);
  return Object.fromEntries(fields.map(([name, value]) => [name, replaceKey(value, form)]));
}

/** Returns a webhook and the values that it may show. */
function toSample(
  webhook: Webhook,
  field: string | undefined,
  { payments, reads, webhooks }: Traffic,
): Sample & { readonly json: JsonObject; readonly isOwn: boolean } {
  const { body, id, status } = webhook;
  const data = toRecord(body.data);
  const at = readTimestamp(body.created_at) ?? 0;
  const payment = payments.find((one) => one.id === id);
  const start = payment?.known.created_at;
  const createdAt = start?.kind === 'time' ? start.at : 0;
  const ofEvents = webhooks
    .filter((one) => one.id === id && one.attempt === 1)
    .map((one) => ({ status: one.status, at: readTimestamp(one.body.created_at) ?? 0, createdAt }));
  const shown = (payment ? listShown(payment, reads) : [])
    .filter((one) => ofEvents.every((sent) => sent.status !== one.status))
    .map((one) => ({ status: one.status, at: createdAt + one.at - one.createdAt, createdAt }));
  const earlier = [...ofEvents, ...shown].filter((one) => one.status !== status && one.at <= at);
  const seen: SeenStatus[] = [...earlier.toSorted((a, b) => a.at - b.at), { status, at, createdAt }];
  return {
    json: body,
    isOwn: payment !== undefined,
    known: {
      ...(payment && addStatuses(payment.known, seen)),
      ...readQuote(data),
      ...Object.fromEntries(['id', 'status', 'mode'].map((name) => [name, textOf(data[name])])),
      at: { kind: 'time', at },
      ...(field !== undefined && { event_key: textOf(body[field]) }),
    },
  };
}
