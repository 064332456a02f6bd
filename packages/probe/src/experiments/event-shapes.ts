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

async function probeEventShape({ recorder }: ProbeContext): Promise<Finding[]> {
  const webhooks = recorder?.webhooks ?? [];
  const missing = 'requires webhooks: pass `webhooks`';
  if (webhooks.length === 0) return [unknown('eventShape', missing), unknown('eventHeaders', missing)];
  return evaluateWebhooks(webhooks);
}

/** Compares the bodies and the headers of webhooks with the documented ones. */
export function evaluateWebhooks(webhooks: readonly RecordedWebhook[]): Finding[] {
  const events = webhooks.map((webhook) => ({ webhook, json: toRecord(parseJson(webhook.text)) }));
  const ids = learnEventIds(events);
  const firstAttempts = events.filter(({ webhook: { attempt } }) => attempt === 1);
  const keys = firstAttempts.map(({ webhook }) => ids?.keyOf.get(webhook));
  const bodies = firstAttempts.map(({ json }) => json);
  return [evaluateEvents(bodies, ids && { keys, form: ids.form }), evaluateEventHeaders(webhooks, ids)];
}

/** The ids of events in the order of their bodies, and their form. */
interface EventKeys {
  readonly keys: readonly (string | undefined)[];
  readonly form: string;
}

/** Compares the bodies of webhooks with the documented one. */
function evaluateEvents(bodies: readonly JsonObject[], ids?: EventKeys): Finding {
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
  const samples = bodies.map((json, index) => toSample(json, ids?.keys[index]));
  const { template, unexplained } = learnTemplate(samples, {
    ...formsOf({ ...bodies[0], ...toRecord(bodies[0]?.data) }),
    key: eventKey,
  });
  const keyed = ids === undefined ? template : replaceKey(template, ids.form);
  const isNamed = bodies.every(({ event, data }) => event === `payment.${String(toRecord(data).status)}`);
  const named = isNamed ? { ...(keyed as ObjectTemplate), event: 'payment.{status}' } : keyed;
  const others = unexplained.filter((name) => !isNamed || name !== 'event');
  return found('eventShape', named as ObjectTemplate, addUnexplained(evidence, others));
}

/** Returns a webhook and the values that it may show. */
function toSample(json: JsonObject, key: string | undefined): Sample {
  const data = toRecord(json.data);
  const at = readTimestamp(json.created_at) ?? 0;
  const texts = ['id', 'status', 'mode'].map((name) => [name, textOf(data[name])] as const);
  return {
    json,
    known: {
      ...readQuote(data),
      ...Object.fromEntries(texts),
      at: { kind: 'time', at },
      ...(key !== undefined && { event_key: textOf(key) }),
    },
  };
}
