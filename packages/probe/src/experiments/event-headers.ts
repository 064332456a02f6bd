import {
  headerText,
  isRecord,
  isRefusedHeader,
  type JsonObject,
  parseJson,
  type Template,
  toRecord,
} from '@service/internal';
import { type Finding, found, unknown } from '../finding.ts';
import type { RecordedWebhook } from '../recorder.ts';
import { learnKeyForm } from '../templates/ids.ts';
import { readTimestamp, readTimestampForm } from '../templates/known.ts';

/** The ids of events in the bodies of webhooks. */
export interface EventIds {
  readonly keyOf: ReadonlyMap<RecordedWebhook, string>;
  /** The template of an id, such as `evt_{event_key lower}` or `{id}-{status}`. */
  readonly form: string;
}

interface Event {
  readonly webhook: RecordedWebhook;
  readonly json: JsonObject;
}

const ID_NAME = /^(?:id|uuid|key|(?:event|delivery|webhook|notification)_?(?:id|uuid)?)$/;

/** Learns the field with an id that each event has, and its form. Undefined without one. */
export function learnEventIds(events: readonly Event[]): EventIds | undefined {
  const names = Object.keys(events[0]?.json ?? {}).filter((name) => ID_NAME.test(name) && name !== 'event');
  const name = names.find((each) => isUnique(events, each));
  if (name === undefined) return undefined;
  const keyOf = new Map(events.map(({ webhook, json }) => [webhook, String(json[name])]));
  const named = new Set([...keyOf].map(([webhook, text]) => nameValues(text, webhook, undefined)));
  const [form = ''] = named;
  if (named.size === 1) return { keyOf, form };
  const texts = [...new Set(keyOf.values())];
  const learned = learnKeyForm(texts, eventKey);
  return { keyOf, form: learned ?? toKeyForm(texts) };
}

/** Returns the form of ids that have different lengths: their prefix, and the case of their letters. */
function toKeyForm(texts: readonly string[]): string {
  const prefixes = new Set(texts.map((text) => /^[A-Za-z]+[_-]/.exec(text)?.[0] ?? ''));
  const [prefix = ''] = prefixes.size === 1 ? prefixes : [];
  const rests = texts.map((text) => text.slice(prefix.length)).join('');
  const word = rests === rests.toLowerCase() ? ' lower' : rests === rests.toUpperCase() ? ' upper' : '';
  return `${prefix.replaceAll('{', '{{')}{event_key${word}}`;
}

/** The value from which the ids of events follow. */
export const eventKey = { name: 'event_key', length: 24 } as const;

/** Returns whether different events have different texts in a field. */
function isUnique(events: readonly Event[], name: string): boolean {
  const texts = events.map(({ json }) => json[name]);
  const keys = new Set(events.map(({ webhook: { id, status } }) => `${id} ${status}`));
  return (
    texts.every((text) => typeof text === 'string') && new Set(texts).size === keys.size && keys.size > 1
  );
}

/** Replaces the id of an event in a learned template by its form. */
export function replaceKey(template: Template, form: string): Template {
  if (typeof template === 'string') return template.replaceAll('{event_key}', form);
  if (Array.isArray(template)) return template.map((each: Template) => replaceKey(each, form));
  if (!isRecord(template)) return template;
  const fields = Object.entries(template as Readonly<Record<string, Template>>);
  return Object.fromEntries(fields.map(([name, value]) => [name, replaceKey(value, form)]));
}

/** Headers of HTTP, of tunnels between the service and this machine, and the documented signature. */
const ignored =
  /^(?:accept.*|cdn-.*|cf-.*|content-.*|date|forwarded|ngrok-.*|priority|sec-fetch-.*|trace(?:parent|state)|via|x-forwarded-.*|x-real-ip)$/;

/** The header that the mock sends by itself. */
const OWN_AGENT = /^service-webhooks\//;

/** Learns the additional headers of webhooks, from the values that each of them has. */
export function evaluateEventHeaders(
  webhooks: readonly RecordedWebhook[],
  ids: EventIds | undefined,
): Finding {
  const keys = webhooks.map((webhook) => ids?.keyOf.get(webhook));
  const recorded = webhooks.flatMap(({ headers, ...webhook }, index) =>
    headers === undefined ? [] : [{ headers, webhook, key: keys[index] }],
  );
  const [first] = recorded;
  if (first === undefined) return unknown('eventHeaders', 'the headers of webhooks are not recorded');
  const names = [...first.headers.keys()].filter(
    (name) =>
      !ignored.test(name) &&
      !isRefusedHeader(name, true) &&
      !(name === 'user-agent' && OWN_AGENT.test(first.headers.get(name) ?? '')) &&
      recorded.every(({ headers }) => headerText.test(headers.get(name) ?? 'é')),
  );
  const learned = names.flatMap((name): [string, string][] => {
    const templates = recorded.map(({ headers, webhook, key }) =>
      nameValues(headers.get(name) ?? '', webhook, key),
    );
    if (new Set(templates).size === 1) return [[name, templates[0] ?? '']];
    const texts = recorded.map(({ headers, webhook }) => ({ text: headers.get(name) ?? '', webhook }));
    const form = learnDeliveryIds(texts) ?? learnTime(texts);
    return form === undefined ? [] : [[name, form]];
  });
  const value = Object.fromEntries(
    learned.map(([name, text]) => [
      name,
      ids === undefined ? text : text.replaceAll('{event_key}', ids.form),
    ]),
  );
  const unexplained = names.filter((name) => !(name in value));
  const evidence = `headers: ${learned.map(([name]) => name).join(', ') || 'no others'}`;
  return found(
    'eventHeaders',
    value,
    unexplained.length === 0 ? evidence : `${evidence}; not explained: ${unexplained.join(', ')}`,
  );
}

/** The greatest difference between the time of an event and that of its first attempt, in milliseconds. */
const TIME_TOLERANCE = 5_000;

/** Learns the form of the times at which the attempts were sent. Undefined for a text that is no such time. */
function learnTime(
  recorded: readonly {
    readonly text: string;
    readonly webhook: Pick<RecordedWebhook, 'text' | 'attempt'>;
  }[],
): string | undefined {
  const forms = recorded.map(({ text, webhook }) => {
    const created = readTimestamp(toRecord(parseJson(webhook.text)).created_at);
    const [form, at] = readTime(text) ?? [];
    const isNear = Math.abs((at ?? Number.NaN) - (created ?? Number.NaN)) <= TIME_TOLERANCE;
    return isNear || (webhook.attempt > 1 && (at ?? 0) > (created ?? Number.NaN)) ? form : undefined;
  });
  const [form] = forms;
  return form !== undefined && forms.every((each) => each === form) ? `{sent_at ${form}}` : undefined;
}

function readTime(text: string): readonly [form: string, at: number] | undefined {
  if (/^\d{10}$/.test(text)) return ['unix', Number(text) * 1_000];
  if (/^\d{13}$/.test(text)) return ['unix_ms', Number(text)];
  if (text.endsWith(' GMT')) return ['http', Date.parse(text)];
  const form = readTimestampForm(text);
  return form && [`digits=${form.digits} zone=${form.zone}`, readTimestamp(text) ?? Number.NaN];
}

interface RecordedText {
  readonly text: string;
  readonly webhook: Pick<RecordedWebhook, 'id' | 'status'>;
}

/** The ids of deliveries that the mock writes by itself. */
const OWN_DELIVERY = /^dlv_test_[0-9A-Za-z]{24}$/;

/** Learns the form of random ids: of each event, which its attempts share, or of each attempt. Undefined for other texts. */
function learnDeliveryIds(recorded: readonly RecordedText[]): string | undefined {
  const eventOf = new Map(recorded.map(({ text, webhook: { id, status } }) => [text, `${id} ${status}`]));
  const texts = [...eventOf.keys()];
  const events = new Set(recorded.map(({ webhook: { id, status } }) => `${id} ${status}`));
  const isShared = recorded.every(
    ({ text, webhook: { id, status } }) => eventOf.get(text) === `${id} ${status}`,
  );
  if (!isShared || events.size < 2) return undefined;
  if (texts.length === events.size)
    return texts.every((text) => OWN_DELIVERY.test(text))
      ? '{delivery}'
      : learnKeyForm(texts, { name: 'delivery' });
  return texts.length === recorded.length ? learnKeyForm(texts, { name: 'attempt_key' }) : undefined;
}

/** Replaces the values of a webhook in a header. The attempt is a number that stands alone. */
function nameValues(
  text: string,
  { id, status, attempt }: Pick<RecordedWebhook, 'id' | 'status' | 'attempt'>,
  key: string | undefined,
): string {
  const named = text.replaceAll('{', '{{').replaceAll(id, '{id}');
  const keyed = key === undefined ? named : named.replaceAll(key, '{event_key}');
  return keyed
    .replaceAll(new RegExp(`\\b${status}\\b`, 'g'), '{status}')
    .replaceAll(
      new RegExp(`(?<![\\w/.])${attempt}(?!\\w)(?![.]\\d)|(?<=\\}[.:-])${attempt}(?!\\w)`, 'g'),
      '{attempt}',
    );
}
