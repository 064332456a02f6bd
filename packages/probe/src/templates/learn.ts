import { isRecord, type Template } from '@service/internal';
import { learnKeyForm } from './ids.ts';
import {
  type DefaultForms,
  type Known,
  type KnownValues,
  matchValue,
  readTimestamp,
  readTimestampForm,
} from './known.ts';
import { aliases, MIN_SCORE, scoreOf, writeKnown } from './score.ts';

/** A response, or a part of one, and the values that it may show. */
export interface Sample {
  readonly json: unknown;
  readonly known: KnownValues;
  /** The items that a part of the response may repeat. */
  readonly lists?: Readonly<Record<string, readonly SampleItem[]>>;
}

/** An item of a list: its name, which can be the name of a field, and its values. */
export interface SampleItem {
  readonly name: string;
  readonly known: KnownValues;
}

/**
 * Learns the template of responses of one kind: each value that equals a known one in every sample becomes its
 * placeholder, and any other value stays as it is. `key` is the name of the whole value.
 */
export function learnTemplate(samples: readonly Sample[], forms: DefaultForms, key = ''): LearnedTemplate {
  const unexplained = new Set<string>();
  const template = learn(samples, { key, forms, unexplained });
  return { template, unexplained: [...unexplained] };
}

interface Place {
  /** The name of the field. */
  readonly key: string;
  readonly forms: DefaultForms;
  /** The fields whose values differ without an explanation. */
  readonly unexplained: Set<string>;
}

/** A template, and the fields that it writes as in the last sample, although their values differ. */
export interface LearnedTemplate {
  readonly template: Template;
  readonly unexplained: readonly string[];
}

/** Adds the fields without an explanation to the evidence of a finding. */
export function addUnexplained(evidence: string, unexplained: readonly string[]): string {
  if (unexplained.length === 0) return evidence;
  return `${evidence}; not explained, and written as in the last response: ${unexplained.join(', ')}`;
}

function learn(samples: readonly Sample[], place: Place): Template {
  const [first] = samples;
  if (first === undefined) return null;
  if (samples.every(({ json }) => isRecord(json))) return learnObject(samples, place);
  if (samples.every(({ json }) => Array.isArray(json))) return learnList(samples, place);
  return learnValue(samples, place);
}

function learnObject(samples: readonly Sample[], place: Place): Template {
  const repeated = learnFields(samples, place);
  if (repeated !== undefined) return repeated;
  const names = new Set(samples.flatMap(({ json }) => Object.keys(json as object)));
  const fields = [...names].map((name) => [name, learnField(samples, { ...place, key: name })] as const);
  return Object.fromEntries(fields);
}

/** Learns a field. If some samples lack it, its value is omitted where it is null. */
function learnField(samples: readonly Sample[], place: Place): Template {
  const { key } = place;
  const present = samples.filter(({ json }) => Object.hasOwn(json as object, key));
  const learned = learn(
    present.map((sample) => ({ ...sample, json: (sample.json as Record<string, unknown>)[key] })),
    place,
  );
  if (present.length === samples.length || typeof learned !== 'string') return learned;
  const shown = /^\{[^{}]+\}$/.test(learned) ? learned : findOmitted(samples, place);
  return shown?.replace(/^\{([^{}]+)\}$/, '{$1 omit}') ?? learned;
}

/** Returns the placeholder of a field that exactly the samples without its value lack. */
function findOmitted(samples: readonly Sample[], { key, forms }: Place): string | undefined {
  const [present, absent] = [true, false].map((has) =>
    samples.filter(({ json }) => Object.hasOwn(json as object, key) === has),
  );
  const values = (present ?? []).map((sample) => ({
    ...sample,
    json: (sample.json as Record<string, unknown>)[key],
  }));
  return listShared(values, forms).find((text) => {
    const [, name = ''] = /^\{(\w+)\}$/.exec(text) ?? [];
    return absent?.every(({ known: { [name]: known } }) => known?.kind === 'text' && known.text === null);
  });
}

/** Learns an object with one field for each item of a list. */
function learnFields(samples: readonly Sample[], place: Place): Template | undefined {
  for (const name of listNames(samples)) {
    const isRepeated = samples.every(({ json, lists }) => {
      const items = lists?.[name] ?? [];
      const keys = Object.keys(json as object);
      return keys.length === items.length && items.every((item) => keys.includes(item.name));
    });
    if (!isRepeated || samples.every(({ lists }) => lists?.[name]?.length === 0)) continue;
    const inner = samples.flatMap((sample) =>
      itemsOf(sample, name).map((item) => ({
        ...sample,
        known: { ...sample.known, ...item.known },
        json: (sample.json as Record<string, unknown>)[item.name],
      })),
    );
    return { [`{each ${name}}`]: learn(inner, place) };
  }
  return undefined;
}

/** Learns a list: one element for each item of a list, or elements in places. */
function learnList(samples: readonly Sample[], place: Place): Template {
  for (const name of listNames(samples)) {
    const inner = samples.flatMap((sample) => pairItems(sample, name) ?? []);
    const isRepeated = samples.every(
      (sample) => (sample.json as unknown[]).length === 0 || pairItems(sample, name) !== undefined,
    );
    if (isRepeated && inner.length > 0) return [`{each ${name}}`, learn(inner, { ...place, key: '' })];
  }
  const length = Math.min(...samples.map(({ json }) => (json as unknown[]).length));
  return Array.from({ length }, (_, index) =>
    learn(
      samples.map((sample) => ({ ...sample, json: (sample.json as unknown[])[index] })),
      { ...place, key: '' },
    ),
  );
}

/** Returns the elements of a list with the items that they show, in any order. Undefined if one shows no item. */
function pairItems(sample: Sample, name: string): Sample[] | undefined {
  const items = [...itemsOf(sample, name)];
  const elements = sample.json as readonly unknown[];
  if (elements.length === 0 || items.length === 0) return undefined;
  const paired = elements.map((json) => {
    const item = items.find((each) => showsItem(json, each.name));
    return item && { ...sample, known: { ...sample.known, ...item.known }, json };
  });
  return paired.every((each) => each !== undefined) ? paired : undefined;
}

function showsItem(json: unknown, name: string): boolean {
  return new RegExp(`(?<![\\w])${name.replaceAll(/\W/g, '\\$&')}(?![\\w])`).test(JSON.stringify(json));
}

function itemsOf({ lists }: Sample, name: string): readonly SampleItem[] {
  return lists?.[name] ?? [];
}

function listNames(samples: readonly Sample[]): string[] {
  return [...new Set(samples.flatMap(({ lists = {} }) => Object.keys(lists)))];
}

/** Learns a value: a placeholder that shows it in every sample, a replacement of one, or the value itself. */
function learnValue(samples: readonly Sample[], place: Place): Template {
  const values = samples.map(({ json }) => json);
  const isConstant = values.every((value) => value === values[0]);
  const shared = listShared(samples, place.forms);
  const best = keepNearest(shared, samples)
    .map((text) => ({ text, score: scoreOf(text, place.key, samples) }))
    .toSorted((a, b) => b.score - a.score)[0];
  if (best !== undefined && (!isConstant || best.score >= MIN_SCORE))
    return addKeyForm(best.text, values, place);
  // Rows of the same second have the same time.
  if (isConstant && !isLaterTime(samples)) return toLiteral(values[0]);
  const learned = learnElse(samples, place) ?? learnReplacement(samples, place) ?? learnForm(samples, place);
  if (learned === undefined) place.unexplained.add(place.key);
  return learned ?? toLiteral(values.at(-1));
}

/** Returns the placeholders without those of times that are farther from the shown ones than another known time. */
function keepNearest(shared: readonly string[], samples: readonly Sample[]): readonly string[] {
  const distances = shared.map((text) => {
    const name = /^\{(\w+)/.exec(text)?.[1] ?? '';
    const each = samples.map(({ json, known: { [name]: known } }) => {
      const shown = readTimestamp(json);
      return known?.kind === 'time' && shown !== undefined ? Math.abs(shown - known.at) : 0;
    });
    return Math.max(...each);
  });
  const nearest = Math.min(...distances);
  return shared.filter((_, index) => distances[index] === nearest);
}

/** The longest time between the create of a payment and its later times, in milliseconds. */
const LATER = 600_000;

/** Returns whether all samples show a time after their payments were created. */
function isLaterTime(samples: readonly Sample[]): boolean {
  return samples.every(({ json, known: { created_at: created } }) => {
    const time = readTimestamp(json);
    return (
      readTimestampForm(json) !== undefined &&
      created?.kind === 'time' &&
      time !== undefined &&
      time >= created.at &&
      time - created.at < LATER
    );
  });
}

/** Adds the form of random ids to the placeholder of one. */
function addKeyForm(text: string, values: readonly unknown[], { forms: { key } }: Place): string {
  return (key !== undefined && text === `{${key.name}}` ? learnKeyForm(values, key) : undefined) ?? text;
}

/** Returns the placeholders that show the value in every sample. */
function listShared(samples: readonly Sample[], forms: DefaultForms): string[] {
  const [first, ...others] = samples.map(({ json, known }) =>
    Object.entries(known).flatMap((entry) => [...matchValue(json, entry, forms), ...matchPart(json, entry)]),
  );
  return (first ?? []).filter((text) => others.every((list) => list.includes(text)));
}

const MIN_PART = 8;

/** Returns the text around a known text in a longer one. */
function matchPart(json: unknown, [name, known]: [string, Known]): string[] {
  const text = known.kind === 'text' ? known.text : null;
  if (text === null || typeof json !== 'string' || json.length <= text.length) return [];
  if (text.length < MIN_PART || !json.includes(text)) return [];
  return [json.replaceAll('{', '{{').replaceAll(text, `{${name}}`)];
}

/** Learns a known text that another text replaces where it is absent: another known one, or always the same. */
function learnElse(samples: readonly Sample[], { key }: Place): string | undefined {
  const names = Object.keys(samples[0]?.known ?? {}).filter(
    (name) => aliases[name]?.test(key) ?? name === key,
  );
  for (const name of names) {
    const texts = samples.map(({ json, known: { [name]: known } }) => ({
      json,
      text: known?.kind === 'text' ? known.text : undefined,
    }));
    const absent = new Set(texts.flatMap(({ json, text }) => (text === null ? [json] : [])));
    const [other] = absent;
    const isShown = texts.every(({ json, text }) => text !== undefined && (text === null || text === json));
    if (!isShown || texts.every(({ text }) => text === null) || typeof other !== 'string') continue;
    const known = findInstead(samples, name);
    if (known !== undefined) return `{${name} or=${known}}`;
    if (absent.size === 1 && !/["{}]/.test(other)) return `{${name} else="${other}"}`;
  }
  return undefined;
}

/** Returns the known text that every sample without a value shows instead. */
function findInstead(samples: readonly Sample[], name: string): string | undefined {
  const without = samples.filter(({ known }) => writeKnown(known[name]) === '');
  return Object.keys(without[0]?.known ?? {}).find((each) =>
    without.every(({ json, known: { [each]: other } }) => other?.kind === 'text' && other.text === json),
  );
}

/** Learns a text that replaces each value of a known text, such as `posted` for `completed`. */
function learnReplacement(samples: readonly Sample[], { key }: Place): string | undefined {
  const names = Object.keys(samples[0]?.known ?? {}).filter(
    (name) => samples[0]?.known[name]?.kind === 'text' && (aliases[name]?.test(key) ?? name === key),
  );
  for (const name of names) {
    const pairs = samples.map(({ json, known }) => [writeKnown(known[name]), json] as const);
    const replaced = new Map(pairs);
    const isFunction = pairs.every(([from, to]) => replaced.get(from) === to);
    const words = [...replaced]
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => (/\s/.test(String(to)) ? `${from}="${String(to)}"` : `${from}=${String(to)}`));
    const isText = pairs.every(([from, to]) => /^\w+$/.test(from) && /^[^"{}]+$/.test(String(to)));
    if (isFunction && isText && replaced.size > 1) return `{${[name, ...words].join(' ')}}`;
  }
  return undefined;
}

/** Learns a value that differs and is not known: a time, an id or a number that counts. */
function learnForm(samples: readonly Sample[], { key, forms }: Place): string | undefined {
  const values = samples.map(({ json }) => json);
  const form = readTimestampForm(values[0]);
  const names = Object.keys(samples[0]?.known ?? {});
  if (form !== undefined && values.every((value) => readTimestampForm(value) !== undefined)) {
    const later = learnLater(samples);
    if (later !== undefined) return `{${later} digits=${form.digits} zone=${form.zone}}`;
    // A template may only use the values of its place.
    const name = [key, forms.time, 'updated_at', 'created_at', 'at'].find(
      (each) => each !== undefined && names.includes(each),
    );
    if (name === undefined) return undefined;
    const isDefault = forms.timestamps?.digits === form.digits && forms.timestamps.zone === form.zone;
    return isDefault ? `{${name}}` : `{${name} digits=${form.digits} zone=${form.zone}}`;
  }
  return forms.key && values.length > 1 ? learnKeyForm(values, forms.key) : undefined;
}

/** The least and the greatest difference of times that are apart by the same time, in milliseconds. */
const [MIN_LATER, MAX_SPREAD] = [4_000, 2_000];

/** Learns a time that is later than the response by the same time in all samples, such as the end of a quote. */
function learnLater(samples: readonly Sample[]): string | undefined {
  const distances = samples.map(({ json, known: { now } }) =>
    now?.kind === 'time' ? (readTimestamp(json) ?? Number.NaN) - now.at : Number.NaN,
  );
  const [least, most] = [Math.min(...distances), Math.max(...distances)];
  const isSame = least >= MIN_LATER && most - least <= MAX_SPREAD;
  return isSame ? `now plus=${Math.round((least + most) / 2_000)}s` : undefined;
}

function toLiteral(value: unknown): Template {
  if (typeof value === 'string') return value.replaceAll('{', '{{');
  return (value ?? null) as Template;
}
