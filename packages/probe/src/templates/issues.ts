import { isRecord, type IssueKind, type Template } from '@service/internal';
import { isSameJson } from './known.ts';
import { learnTemplate } from './learn.ts';
import {
  findPlace,
  hasPlace,
  listLeaves,
  normalizeNames,
  type Path,
  type PlacedFields,
  readPath,
  writePath,
} from './places.ts';
import type { Sample } from './sample.ts';
import { responseKey } from './values.ts';

/** The response to a request with one problem. */
export interface IssueSample {
  readonly kind: IssueKind;
  /** The name of the invalid field; `''` for the whole body. */
  readonly field: string;
  /** The value of the field; undefined for an absent field. */
  readonly value: unknown;
  /** The body of the request, or its query. */
  readonly request: unknown;
  readonly sample: Sample;
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
export function learnIssues(
  all: readonly IssueSample[],
  several: PlacedFields | undefined,
): LearnedIssues | undefined {
  const named = all.filter(({ field }) => field !== '');
  const path = findPlace(
    named.map(({ field, sample: { json } }) => ({ json, field })),
    several,
  );
  if (path === undefined) return undefined;
  const samples = all.filter((each) => hasDetails(each, path));
  const ofFields = samples.filter(({ field }) => field !== '');
  const isList = ofFields.every(({ sample }) => Array.isArray(readPath(sample.json, path)));
  const isSingle = !isList && ofFields.some((each) => !Array.isArray(readDetails(each, path)));
  const items = samples.flatMap((each): Details[] => {
    const details = isList ? readPath(each.sample.json, path) : readDetails(each, path);
    if (details === undefined || (isList && !Array.isArray(details))) return [];
    return [{ of: each, items: Array.isArray(details) ? (details as unknown[]) : [details] }];
  });
  const values = findValuePaths(items);
  const issues = items.map(({ of, items: own }): [IssueKind, Template[]] => [
    of.kind,
    own.map((item) => toTemplate(item, { of, values })),
  ]);
  const common = findCommon(issues.filter(([kind]) => kind !== 'body').map(([, each]) => each));
  const item = common ?? '{issue}';
  const inFields = isSingle ? item : common === undefined ? '{issues}' : [common];
  const list = [common === undefined ? '{each issues}' : '{each fields}', item];
  const place = isList ? list : { '{each fields}': inFields };
  const [, usual = []] = issues[0] ?? [];
  if (common !== undefined) return { path, place, issues: {} };
  return { path, place, issues: dropSimilar(Object.fromEntries([...issues, ['other', usual]])) };
}

/** Returns whether a response has the details of its field, or is about the whole body. */
export function hasDetails({ field, sample: { json } }: IssueSample, path: Path): boolean {
  return field === '' ? readPath(json, path) !== undefined : hasPlace(json, field, path);
}

/** Learns the template of responses to invalid requests, with the details in their place. */
export function learnProblemBody(
  samples: readonly IssueSample[],
  learned: LearnedIssues | undefined,
): { readonly template: Template; readonly unexplained: readonly string[] } {
  const named = samples.filter(({ field }) => field !== '');
  const own = named.length > 0 ? named : samples;
  const path =
    learned !== undefined && own.every((each) => hasDetails(each, learned.path)) ? learned.path : undefined;
  const { template, unexplained } = learnTemplate(
    own.map(({ field, value, sample: { json, known } }) => ({
      json: path === undefined ? json : writePath(json, path, MARK),
      known: {
        ...known,
        field: { kind: 'text', text: field },
        ...(value !== undefined && { value: { kind: 'json', json: value } }),
      },
    })),
    { numbers: 'number', key: responseKey },
  );
  return {
    template: path === undefined ? template : (writePath(template, path, learned?.place ?? null) as Template),
    unexplained,
  };
}

/** The text in the place of details. Responses without it are of another kind. */
export const MARK = 'details_of_fields';

/** Leaves out the details of absent fields that are those of all absent fields. */
function dropSimilar(
  issues: Readonly<Partial<Record<IssueKind, readonly Template[]>>>,
): LearnedIssues['issues'] {
  const all = Object.entries(issues).filter(
    ([kind, templates]) => !kind.endsWith('_missing') || !isSameJson(templates, issues.missing),
  );
  return Object.fromEntries(all);
}

interface Details {
  readonly of: IssueSample;
  readonly items: readonly unknown[];
}

/** The fewest different values of invalid fields that show where details repeat them. */
const MIN_VALUES = 3;

/** Returns the paths in details that have the value of the field, whatever it is. */
function findValuePaths(details: readonly Details[]): ReadonlySet<string> {
  const given = details.filter(
    ({ of: { field, value }, items }) => field !== '' && value !== undefined && items.length > 0,
  );
  const paths = (given[0]?.items ?? []).flatMap((item) => listPaths(item));
  const found = paths.filter((path) => {
    const shown = given.filter(({ items }) => items.every((item) => readPath(item, path) !== undefined));
    const isSame = shown.every(({ of, items }) =>
      items.every((item) => isSameJson(readPath(item, path), of.value)),
    );
    return isSame && new Set(shown.map(({ of }) => JSON.stringify(of.value))).size >= MIN_VALUES;
  });
  return new Set(found.map((path) => path.join('.')));
}

function listPaths(json: unknown, path: Path = []): Path[] {
  if (typeof json !== 'object' || json === null) return [path];
  return [path, ...Object.entries(json).flatMap(([name, value]) => listPaths(value, [...path, name]))];
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
  return isText ? (writePath(first, name === '' ? [] : name.split('.'), '{problem}') as Template) : undefined;
}

function readDetails({ sample, field }: IssueSample, path: Path): unknown {
  const place = readPath(sample.json, path);
  if (!isRecord(place)) return undefined;
  return Object.entries(place).find(([name]) => normalizeNames(name) === field)?.[1];
}

interface DetailContext {
  readonly of: IssueSample;
  /** The paths of the value of the field. */
  readonly values: ReadonlySet<string>;
}

/** Replaces the name of the field in all texts, its value, and the body of its request. */
function toTemplate(json: unknown, context: DetailContext, path: Path = []): Template {
  const { of, values } = context;
  const { field, value, request } = of;
  if (values.has(path.join('.')) && isSameJson(json, value)) return '{value}';
  if (isRecord(json) && isSameJson(json, request)) return '{request}';
  if (typeof json === 'string') return nameField(json.replaceAll('{', '{{'), field);
  if (typeof json !== 'object' || json === null) return json as Template;
  const parts = Object.entries(json).map(
    ([name, part]) => [name, toTemplate(part, context, [...path, name])] as const,
  );
  return Array.isArray(json) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

/** The forms of the name of a field in texts. */
const nameForms: readonly (readonly [form: string, write: (field: string) => string])[] = [
  ['{field}', (field) => field],
  ['{field camel}', (field) => field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())],
  ['{field spaced}', (field) => field.replaceAll('_', ' ')],
  ['{field spaced capital}', (field) => capitalize(field.replaceAll('_', ' '))],
];

function capitalize(text: string): string {
  return text.replace(/^\w/, (letter) => letter.toUpperCase());
}

function nameField(text: string, field: string): string {
  if (field === '') return text;
  const [plain, ...others] = nameForms.map(([form, write]) => ({ form, name: write(field) }));
  const forms = [plain, ...others.filter(({ name }) => name !== field)];
  return forms.reduce(
    (named, each) =>
      each === undefined
        ? named
        : named.replaceAll(new RegExp(`(?<![A-Za-z0-9{])${each.name}(?![A-Za-z0-9}])`, 'g'), each.form),
    text,
  );
}
