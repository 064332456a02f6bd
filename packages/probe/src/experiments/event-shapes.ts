import { type JsonObject, type ObjectTemplate, parseJson, toRecord } from '@service/internal';
import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import { type DefaultForms, readTimestamp } from '../templates/known.ts';
import { addUnexplained, learnTemplate } from '../templates/learn.ts';
import { addStatuses, paymentCases, type SeenStatus } from '../templates/states.ts';
import type { Sample } from '../templates/sample.ts';
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

async function probeEventShape({ recorder, created, shown, made }: ProbeContext): Promise<Finding[]> {
  const webhooks = recorder?.webhooks ?? [];
  const missing = 'requires webhooks: pass `webhooks`';
  if (webhooks.length === 0) return [unknown('eventShape', missing), unknown('eventHeaders', missing)];
  const forms = made[0]?.forms ?? formsOf(shown[0]?.response.data);
  return evaluateWebhooks(webhooks, { created, shown }, forms.timestamps);
}

/** Compares the bodies and the headers of webhooks with the documented ones. `timestamps` is the form of times of payments. */
export function evaluateWebhooks(
  webhooks: readonly RecordedWebhook[],
  payments: SeenPayments = { created: new Map(), shown: [] },
  timestamps?: DefaultForms['timestamps'],
): Finding[] {
  const events = webhooks.map((webhook) => ({ webhook, json: toRecord(parseJson(webhook.text)) }));
  const ids = learnEventIds(events);
  const firstAttempts = events.filter(({ webhook: { attempt } }) => attempt === 1);
  const keys = firstAttempts.map(({ webhook }) => ids?.keyOf.get(webhook));
  const samples = firstAttempts.map((event, index) =>
    toSample(event, keys[index], { ...payments, events: firstAttempts }),
  );
  return [evaluateEvents(samples, ids?.form, timestamps), evaluateEventHeaders(webhooks, ids)];
}

/** The payments of the experiments, and the first reads of their statuses. */
type SeenPayments = Pick<ProbeContext, 'created' | 'shown'>;

/** An event, its values, and whether they include those of the request of its payment. */
interface EventSample extends Sample {
  readonly json: JsonObject;
  readonly isOwn: boolean;
}

/** Compares the bodies of webhooks with the documented one. */
function evaluateEvents(
  all: readonly EventSample[],
  idForm: string | undefined,
  timestamps: DefaultForms['timestamps'],
): Finding {
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
  const forms = formsOf({ ...bodies[0], ...toRecord(bodies[0]?.data) });
  const { template, unexplained } = learnTemplate(samples, {
    ...forms,
    timestamps: timestamps ?? forms.timestamps,
    key: eventKey,
    cases: paymentCases,
  });
  const keyed = idForm === undefined ? template : replaceKey(template, idForm);
  const isNamed = bodies.every(({ event, data }) => event === `payment.${String(toRecord(data).status)}`);
  const named = isNamed ? { ...(keyed as ObjectTemplate), event: 'payment.{status}' } : keyed;
  const others = unexplained.filter((name) => !isNamed || name !== 'event');
  return found('eventShape', named as ObjectTemplate, addUnexplained(evidence, others));
}

interface ReceivedEvent {
  readonly webhook: RecordedWebhook;
  readonly json: JsonObject;
}

/** Returns a webhook and the values that it may show. */
function toSample(
  event: ReceivedEvent,
  key: string | undefined,
  payments: SeenPayments & { readonly events: readonly ReceivedEvent[] },
): EventSample {
  const { json } = event;
  const data = toRecord(json.data);
  const at = readTimestamp(json.created_at) ?? 0;
  const texts = ['id', 'status', 'mode'].map((name) => [name, textOf(data[name])] as const);
  const own = payments.created.get(String(data.id))?.known;
  return {
    json,
    isOwn: own !== undefined,
    known: {
      ...(own && addStatuses(own, listStatuses(event, payments))),
      ...readQuote(data),
      ...Object.fromEntries(texts),
      at: { kind: 'time', at },
      ...(key !== undefined && { event_key: textOf(key) }),
    },
  };
}

/** Returns the statuses of a payment up to that of an event, from its events and from reads. */
function listStatuses(
  { webhook: { id, status }, json }: ReceivedEvent,
  { created, shown, events }: SeenPayments & { readonly events: readonly ReceivedEvent[] },
): SeenStatus[] {
  const start = created.get(id)?.known.created_at;
  const createdAt = start?.kind === 'time' ? start.at : 0;
  const until = readTimestamp(json.created_at) ?? 0;
  const ofEvents = events
    .filter(({ webhook }) => webhook.id === id)
    .map((one) => ({ status: one.webhook.status, at: readTimestamp(one.json.created_at) ?? 0, createdAt }));
  const reads = shown
    .filter((one) => one.id === id && ofEvents.every((sent) => sent.status !== one.status))
    .map((one) => ({ status: one.status, at: createdAt + one.at - one.createdAt, createdAt }));
  const earlier = [...ofEvents, ...reads].filter((one) => one.status !== status && one.at <= until);
  return [...earlier.toSorted((a, b) => a.at - b.at), { status, at: until, createdAt }];
}
