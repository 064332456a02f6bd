import { isRecord, type IssueKind, type Template, toRecord } from '@service/internal';
import { groupBy } from '../group.ts';
import { listLeaves, type Path, readPath, writePath } from './json.ts';
import { isSameJson } from './known.ts';
import { RANDOM } from './learn-value.ts';
import type { LearnedTemplate } from './learn.ts';
import { learnBody, type RefusedSample } from './refusal.ts';
import { textOf } from './values.ts';

/** The response to a request with a problem. */
export interface IssueSample {
  readonly kind: IssueKind;
  /** Whether the request has no other problem. */
  readonly isOnly: boolean;
  /** The name of the invalid field; `''` for the whole body. */
  readonly field: string;
  /** The value of the field; undefined for an absent field. */
  readonly value: unknown;
  /** The body of the request, or its query. */
  readonly request: unknown;
  readonly sample: RefusedSample;
}

/** The details of each kind of problem, and their place in the responses. */
export interface LearnedIssues {
  readonly path: Path;
  readonly issues: Readonly<Partial<Record<IssueKind, readonly Template[]>>>;
  /** The template of the place. */
  readonly place: Template;
}

/**
 * Learns where responses have the details of invalid fields, as a list or as an object with a name for each field, and the
 * details for each kind of problem. Returns undefined if no place has them in most responses: a request can be refused for
 * another reason, such as a long text that the service accepts.
 */
export function learnIssues(all: readonly IssueSample[]): LearnedIssues | undefined {
  const single = all.filter(({ isOnly }) => isOnly);
  const named = single.filter(({ field }) => field !== '');
  const path = findPlace(
    named.map(({ field, sample: { json } }) => ({ json, field })),
    all.filter(({ isOnly }) => !isOnly).map(({ sample: { json } }) => json),
  );
  if (path === undefined) return undefined;
  const placed = single.filter((each) => hasDetails(each, path));
  const partOf = ({ sample }: IssueSample): unknown => readPath(sample.json, path);
  const isList = placed.every((each) => each.field === '' || Array.isArray(partOf(each)));
  const read = (
    of: IssueSample,
  ): { readonly kind: IssueKind; readonly own: unknown; readonly items: Template[] }[] => {
    const own = isList ? readItems(partOf(of), of) : readField(partOf(of), of.field);
    if (own === undefined || (isList && !Array.isArray(own))) return [];
    return [{ kind: of.kind, own, items: [own].flat().map((item) => toTemplate(item, of)) }];
  };
  const details = placed.flatMap(read);
  const others = all.filter(({ isOnly }) => !isOnly).flatMap(read);
  const isSingle = details.some(({ own }) => !Array.isArray(own));
  const place = isList
    ? ['{each issues}', '{issue}']
    : { '{each fields}': isSingle ? '{issue}' : '{issues}' };
  // The mock also refuses for reasons that no run shows, such as an amount below the least one.
  const alike = [...groupBy(details, ({ items }) => JSON.stringify(items)).values()];
  const [[usual] = []] = alike.toSorted((one, other) => other.length - one.length);
  const issues = [...others, ...details].map(({ kind, items }) => [kind, items] as const);
  const isUsual = new Set(details.map(({ kind }) => kind)).size >= MIN_KINDS;
  const other = isUsual ? [['other', usual?.items ?? []] as const] : [];
  return { path, place, issues: Object.fromEntries([...issues, ...other]) };
}

/** The fewest kinds of problems that show the details of others. */
export const MIN_KINDS = 3;

/** Returns whether a response has the details of its field, or is about the whole body. */
function hasDetails({ field, sample: { json } }: IssueSample, path: Path): boolean {
  return field === '' ? readPath(json, path) !== undefined : hasPlace(json, field, path);
}

/** Returns the items of a list about a field. A response to one problem has only those. */
function readItems(place: unknown, { field, isOnly }: IssueSample): unknown {
  return isOnly || !Array.isArray(place)
    ? place
    : place.filter((item) => listNamed(item, [field]).length > 0);
}

function readField(place: unknown, field: string): unknown {
  const fields = Object.entries(isRecord(place) ? place : {});
  return fields.find(([name]) => isName(name, field))?.[1];
}

/** Replaces the name of the field in all texts, its value, and the body of its request. */
function toTemplate(json: unknown, of: IssueSample): Template {
  if (Boolean(json) && isSameJson(json, of.value)) return '{value}';
  if (isRecord(json) && isSameJson(json, of.request)) return '{request}';
  if (typeof json === 'string') return nameField(json.replaceAll('{', '{{'), of.field);
  if (Array.isArray(json)) return json.map((part) => toTemplate(part, of));
  if (!isRecord(json)) return json as Template;
  return Object.fromEntries(Object.entries(json).map(([name, part]) => [name, toTemplate(part, of)]));
}

/** Replaces the name of a field in a text, in each form that services write. */
function nameField(text: string, field: string): string {
  if (field === '') return text;
  const spaced = field.replaceAll('_', ' ');
  const forms = [
    ['{field}', field],
    ['{field camel}', field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())],
    ['{field spaced}', spaced],
    ['{field spaced capital}', spaced.replace(/^\w/, (letter) => letter.toUpperCase())],
  ] as const;
  return forms.reduce(
    (named, [form, name], index) =>
      index > 0 && name === field
        ? named
        : named.replaceAll(new RegExp(`(?<![A-Za-z0-9{])${name}(?![A-Za-z0-9}])`, 'g'), form),
    text,
  );
}

/** Learns the template of responses to invalid requests, with the details in their place. */
export function learnProblemBody(
  samples: readonly IssueSample[],
  learned: LearnedIssues | undefined,
): LearnedTemplate {
  const named = samples.filter(({ field }) => field !== '');
  const own = named.length > 0 ? named : samples;
  const path = learned && own.every((each) => hasDetails(each, learned.path)) ? learned.path : undefined;
  const { template, unexplained } = learnBody(
    own.map(({ field, value, sample: { json, known } }) => ({
      json: path === undefined ? json : writePath(json, path, MARK),
      known: {
        ...known,
        field: textOf(field),
        ...(value !== undefined && { value: { kind: 'json', json: value } }),
      },
    })),
  );
  if (path === undefined) return { template, unexplained };
  return { template: writePath(template, path, learned?.place ?? null) as Template, unexplained };
}

/** The text in the place of details. Responses without it are of another kind. */
const MARK = 'details_of_fields';

/** Returns responses in groups with the same status and the same codes outside of the details, the largest group first. */
export function groupProblems(samples: readonly IssueSample[], path: Path | undefined): IssueSample[][] {
  const groups = groupBy(samples, (each) =>
    JSON.stringify([each.sample.known.status, listCodes(each, path)]),
  );
  return [...groups.values()].toSorted((one, other) => other.length - one.length);
}

/** Returns the texts of a response that are no sentences, and not of the request. */
function listCodes(issue: IssueSample, path: Path | undefined): unknown[] {
  const { field, value, sample } = issue;
  const { json, known } = sample;
  const isPlaced = path !== undefined && hasDetails(issue, path);
  const texts = new Set(
    Object.entries(known).flatMap(([name, each]) =>
      each.kind === 'text' && each.text !== null && name !== 'type' ? [each.text] : [],
    ),
  );
  return listLeaves(isPlaced ? writePath(json, path, MARK) : json).flatMap(([name, leaf]): unknown[] => {
    const text = String(leaf);
    const isOther = isSameJson(leaf, value) || texts.has(text) || RANDOM.test(text.replaceAll(/[-:.]/g, ''));
    if (isOther || /\s/.test(text)) return [];
    return [[name, field === '' ? text : normalizeNames(text).replaceAll(field, '{field}')]];
  });
}

/** Returns a text with the names of fields in the form of the document: `From currency` and `fromCurrency` have the same. */
function normalizeNames(text: string): string {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
}

/** Returns whether a key is the name of a field, rather than a path to it such as `$.amount`. */
function isName(key: string, field: string): boolean {
  return /^[A-Za-z]/.test(key) && normalizeNames(key) === field;
}

/** Returns the fields that a part of a response names, in their order. */
function listNamed(json: unknown, fields: readonly string[]): string[] {
  const text = `_${normalizeNames(JSON.stringify(json) ?? '')}_`;
  const at = (field: string): number => text.indexOf(`_${field}_`);
  return fields.filter((field) => at(field) >= 0).toSorted((one, two) => at(one) - at(two));
}

/**
 * Returns the path that most responses have for the details of their field: one with several details in a response to several
 * problems, or else the shortest.
 */
function findPlace(
  samples: readonly { readonly json: unknown; readonly field: string }[],
  ofSeveral: readonly unknown[],
): Path | undefined {
  const paths = samples.flatMap(({ json, field }) => findPlaces(json, field));
  const groups = [...groupBy(paths, (each) => each.join('.')).values()].toSorted(
    (one, other) => other.length - one.length || (one[0]?.length ?? 0) - (other[0]?.length ?? 0),
  );
  const usual = groups.flatMap(([path = [], ...more]) =>
    more.length + 1 > samples.length / 2 ? [path] : [],
  );
  const hasSeveral = (path: Path): boolean =>
    ofSeveral.some((json) => Object.keys(toRecord(readPath(json, path))).length > 1);
  return usual.find(hasSeveral) ?? usual[0];
}

/** Returns whether a response has details of its field in a place. */
function hasPlace(json: unknown, field: string, path: Path): boolean {
  return findPlaces(json, field).some((each) => each.join('.') === path.join('.'));
}

/** Returns the paths of lists whose elements all name a field, and of objects with only this field, the shortest first. */
function findPlaces(json: unknown, field: string): Path[] {
  const places: Path[] = [];
  const queue: [Path, unknown][] = [[[], json]];
  for (const [path, value] of queue) {
    if (typeof value !== 'object' || value === null) continue;
    const names = Object.keys(value);
    const isList = Array.isArray(value) && value.every((each) => listNamed(each, [field]).length > 0);
    const isObject = isRecord(value) && names.every((name) => isName(name, field));
    if (names.length > 0 && (isList || isObject)) places.push(path);
    for (const name of names) queue.push([[...path, name], (value as Record<string, unknown>)[name]]);
  }
  return places;
}
