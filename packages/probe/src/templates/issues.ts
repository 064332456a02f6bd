import { isRecord, type IssueKind, type Template } from '@service/internal';
import { learnTemplate } from './learn.ts';
import type { Sample } from './sample.ts';
import { responseKey } from './values.ts';

/** The response to a request with one problem. */
export interface IssueSample {
  readonly kind: IssueKind;
  /** The name of the invalid field; `''` for the whole body. */
  readonly field: string;
  readonly sample: Sample;
}

/** The template of the responses, and the details of each kind of problem. */
export interface LearnedIssues {
  readonly body: Template;
  readonly issues: Readonly<Partial<Record<IssueKind, readonly Template[]>>>;
  readonly unexplained: readonly string[];
}

/**
 * Learns where responses have the details of invalid fields, as a list or as an object with a name for each field, and the
 * details for each kind of problem. Returns undefined if no place has them in most responses: a request can be refused for
 * another reason, such as a long text that the service accepts.
 */
export function learnIssues(all: readonly IssueSample[]): LearnedIssues | undefined {
  const path = findPlace(all.filter(({ field }) => field !== ''));
  if (path === undefined) return undefined;
  const samples = all.filter(({ field, sample: { json } }) => field === '' || hasPlace(json, field, path));
  const ofFields = samples.filter(({ field }) => field !== '');
  const isList = ofFields.every(({ sample }) => Array.isArray(readPath(sample.json, path)));
  const isSingle = !isList && ofFields.some((each) => !Array.isArray(readDetails(each, path)));
  const issues = samples.flatMap((each): [IssueKind, Template[]][] => {
    const details = isList ? readPath(each.sample.json, path) : readDetails(each, path);
    if (details === undefined || (isList && !Array.isArray(details))) return [];
    const items = Array.isArray(details) ? (details as unknown[]) : [details];
    return [[each.kind, items.map((item) => toTemplate(item, each.field))]];
  });
  const { template, unexplained } = learnTemplate(
    ofFields.map(({ sample: { json, known } }) => ({ json: replace(json, path), known })),
    { numbers: 'number', key: responseKey },
  );
  const common = findCommon(issues.filter(([kind]) => kind !== 'body').map(([, each]) => each));
  if (common !== undefined) {
    const place = isList ? ['{each fields}', common] : { '{each fields}': isSingle ? common : [common] };
    return { body: put(template, path, place), issues: {}, unexplained };
  }
  const place: Template = isList
    ? ['{each issues}', '{issue}']
    : { '{each fields}': isSingle ? '{issue}' : '{issues}' };
  const [, usual = []] = issues[0] ?? [];
  return {
    body: put(template, path, place),
    issues: Object.fromEntries([...issues, ['other', usual]]),
    unexplained,
  };
}

/** Returns the path that most samples have for the details of their field. */
function findPlace(samples: readonly IssueSample[]): Path | undefined {
  const places = samples.flatMap(({ field, sample: { json } }) => findPlaces(json, field));
  const counted = places.map((path) => ({ path, count: places.filter((each) => isSame(each, path)).length }));
  const [most] = counted.toSorted(
    (one, other) => other.count - one.count || one.path.length - other.path.length,
  );
  return most !== undefined && most.count > samples.length / 2 ? most.path : undefined;
}

function hasPlace(json: unknown, field: string, path: Path): boolean {
  return findPlaces(json, field).some((each) => isSame(each, path));
}

/**
 * Returns the template of all kinds of problems, if they have one detail each and differ in one sentence only. A code, such
 * as `too_long`, is particular to its kind.
 */
function findCommon(kinds: readonly (readonly Template[])[]): Template | undefined {
  const [first] = kinds.map(([only]) => only);
  if (first === undefined || kinds.some((templates) => templates.length !== 1)) return undefined;
  const leaves = kinds.map(([only]) => new Map(listLeaves(only ?? null)));
  const names = [...new Set(leaves.flatMap((each) => [...each.keys()]))];
  const different = names.filter((name) => new Set(leaves.map((each) => each.get(name))).size > 1);
  const [name] = different;
  if (name === undefined || different.length > 1) return undefined;
  const isText = leaves.every((each) => /\S \S/.test(String(each.get(name))));
  return isText ? setLeaf(first, name, '') : undefined;
}

function listLeaves(json: Template, path = ''): [path: string, value: unknown][] {
  if (typeof json !== 'object' || json === null) return [[path, json]];
  return Object.entries(json).flatMap(([name, value]) => listLeaves(value, `${path}.${name}`));
}

function setLeaf(json: Template, path: string, at: string): Template {
  if (at === path) return '{problem}';
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).map(
    ([name, value]) => [name, setLeaf(value, path, `${at}.${name}`)] as const,
  );
  return Array.isArray(json) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

type Path = readonly string[];

const isSame = (one: Path, other: Path): boolean => one.join('.') === other.join('.');

/** Returns the paths of lists whose elements all name a field, and of objects with only this field, the shortest first. */
function findPlaces(json: unknown, field: string): Path[] {
  const places: Path[] = [];
  const queue: [Path, unknown][] = [[[], json]];
  for (const [path, value] of queue) {
    if (typeof value !== 'object' || value === null) continue;
    const names = Object.keys(value);
    const isList = Array.isArray(value) && value.every((each) => JSON.stringify(each).includes(field));
    const isObject = isRecord(value) && names.every((name) => name === field);
    if (names.length > 0 && (isList || isObject)) places.push(path);
    if (isRecord(value)) for (const name of names) queue.push([[...path, name], value[name]]);
  }
  return places;
}

function readPath(json: unknown, path: Path): unknown {
  return path.reduce((value: unknown, name) => (isRecord(value) ? value[name] : undefined), json);
}

function readDetails({ sample, field }: IssueSample, path: Path): unknown {
  const place = readPath(sample.json, path);
  return isRecord(place) ? place[field] : undefined;
}

const MARK = 'details of the fields';

function replace(json: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined || !isRecord(json)) return MARK;
  return { ...json, [name]: replace(json[name], rest) };
}

function put(template: Template, [name, ...rest]: Path, place: Template): Template {
  if (name === undefined || !isRecord(template)) return place;
  const fields = template as Readonly<Record<string, Template>>;
  return { ...fields, [name]: put(fields[name] ?? null, rest, place) };
}

/** Replaces the name of the field in all texts. */
function toTemplate(json: unknown, field: string): Template {
  if (typeof json === 'string') return nameField(json.replaceAll('{', '{{'), field);
  if (Array.isArray(json)) return json.map((each) => toTemplate(each, field));
  if (!isRecord(json)) return json as Template;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, toTemplate(value, field)]));
}

function nameField(text: string, field: string): string {
  if (field === '') return text;
  const words = field.replaceAll('_', ' ');
  const named = text.replaceAll(new RegExp(`\\b${field}\\b`, 'g'), '{field}');
  return words === field ? named : named.replaceAll(words, '{field spaced}');
}
