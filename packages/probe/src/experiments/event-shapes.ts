import { type JsonObject, type ObjectTemplate, parseJson, toRecord } from '@service/internal';
import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import { readTimestamp } from '../templates/known.ts';
import { addUnexplained, learnTemplate, type Sample } from '../templates/learn.ts';
import type { RecordedWebhook } from '../recorder.ts';
import { evaluateEventHeaders, eventKey, learnEventIds, replaceKey } from './event-headers.ts';
import { formsOf, readQuote, textOf } from '../templates/values.ts';

/** The experiment about the bodies and headers of webhooks. It runs after those that cause webhooks. */
export const eventShapes: readonly Experiment[] = [
  { settings: ['eventShape', 'eventHeaders'], run: probeEventShape },
];

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

async function probeEventShape({ recorder, created }: ProbeContext): Promise<Finding[]> {
  const webhooks = recorder?.webhooks ?? [];
  const missing = 'requires webhooks: pass `webhooks`';
  if (webhooks.length === 0) return [unknown('eventShape', missing), unknown('eventHeaders', missing)];
  return evaluateWebhooks(webhooks, created);
}

/** Compares the bodies and the headers of webhooks with the documented ones. */
export function evaluateWebhooks(
  webhooks: readonly RecordedWebhook[],
  created: ProbeContext['created'] = new Map(),
): Finding[] {
  const events = webhooks.map((webhook) => ({ webhook, json: toRecord(parseJson(webhook.text)) }));
  const ids = learnEventIds(events);
  const firstAttempts = events.filter(({ webhook: { attempt } }) => attempt === 1);
  const keys = firstAttempts.map(({ webhook }) => ids?.keyOf.get(webhook));
  const samples = firstAttempts.map(({ json }, index) => toSample(json, keys[index], created));
  return [evaluateEvents(samples, ids?.form), evaluateEventHeaders(webhooks, ids)];
}

/** An event, its values, and whether they include those of the request of its payment. */
interface EventSample extends Sample {
  readonly json: JsonObject;
  readonly isOwn: boolean;
}

/** Compares the bodies of webhooks with the documented one. */
function evaluateEvents(all: readonly EventSample[], idForm: string | undefined): Finding {
  const bodies = all.map(({ json }) => json);
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
  // Events of other payments have fewer values.
  const own = all.filter(({ isOwn }) => isOwn);
  const samples = own.length > 1 ? own : all;
  const { template, unexplained } = learnTemplate(samples, {
    ...formsOf({ ...bodies[0], ...toRecord(bodies[0]?.data) }),
    key: eventKey,
  });
  const keyed = idForm === undefined ? template : replaceKey(template, idForm);
  const isNamed = bodies.every(({ event, data }) => event === `payment.${String(toRecord(data).status)}`);
  const named = isNamed ? { ...(keyed as ObjectTemplate), event: 'payment.{status}' } : keyed;
  const others = unexplained.filter((name) => !isNamed || name !== 'event');
  return found('eventShape', named as ObjectTemplate, addUnexplained(evidence, others));
}

/** Returns a webhook and the values that it may show. */
function toSample(json: JsonObject, key: string | undefined, created: ProbeContext['created']): EventSample {
  const data = toRecord(json.data);
  const at = readTimestamp(json.created_at) ?? 0;
  const texts = ['id', 'status', 'mode'].map((name) => [name, textOf(data[name])] as const);
  const own = created.get(String(data.id))?.known;
  return {
    json,
    isOwn: own !== undefined,
    known: {
      ...own,
      ...readQuote(data),
      ...Object.fromEntries(texts),
      at: { kind: 'time', at },
      ...(key !== undefined && { event_key: textOf(key) }),
    },
  };
}
