import { type ObjectTemplate, type Template, toRecord } from '@service/internal';
import type { Place, Sample } from './sample.ts';
import { ofRequest, writeKnown } from './score.ts';

/** The template of a field, and whether it says which samples lack the field. */
export interface FieldTemplate {
  readonly template: Template;
  readonly isComplete: boolean;
}

/** Learns the template of a field of some samples. */
type LearnField = (samples: readonly Sample[], place: Place) => FieldTemplate;

/**
 * Learns a field whose template depends on one of the values of its place, such as the status of a payment. Undefined if none
 * explains all samples.
 */
export function learnCases(
  samples: readonly Sample[],
  place: Place,
  learnField: LearnField,
): Template | undefined {
  const { forms, key } = place;
  const { cases = [], isCase = false } = forms;
  const grouped = cases.flatMap((name, index) => {
    const groups = groupBy(samples, name, key);
    // Values that differ in all samples would also seem to depend on any other one.
    const isUsable = groups && groups.length > 1 && (groups.length < samples.length || isCase);
    return isUsable ? [{ name, groups, others: cases.slice(index + 1) }] : [];
  });
  // The samples of one case can differ in another value.
  for (const isNested of cases.length > 1 ? [false, true] : [false])
    for (const { name, groups, others } of grouped) {
      const inner = { ...place, forms: { ...forms, isCase: true, cases: isNested ? others : [] } };
      const learned = groups.map(([text, group]) => [text, learnCase(group, inner, learnField)] as const);
      if (learned.every(([, each]) => each !== undefined))
        return { [`{case ${name}}`]: joinCases(learned as [string, CaseTemplate][]) };
    }
  return undefined;
}

/** Groups samples by a value, or by whether they have the text of a request. Undefined if a sample has no such value. */
function groupBy(samples: readonly Sample[], name: string, key: string): [string, Sample[]][] | undefined {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const known = sample.known[name];
    if (known === undefined) return undefined;
    // Numbers of pages are equal by chance.
    const isNumber = typeof toRecord(sample.json)[key] === 'number';
    if (known.kind === 'flag' && isNumber) return undefined;
    const isAbsent = known.kind === 'text' && known.text === null;
    const text = isAbsent ? 'null' : ofRequest.has(name) ? 'else' : writeKnown(known);
    groups.set(text, [...(groups.get(text) ?? []), sample]);
  }
  return [...groups];
}

/** A template; `ABSENT` for a field that is absent. */
type CaseTemplate = Template | typeof ABSENT;

const ABSENT = Symbol('absent');

function learnCase(
  samples: readonly Sample[],
  place: Place,
  learnField: LearnField,
): CaseTemplate | undefined {
  if (samples.every(({ json }) => !Object.hasOwn(json as object, place.key))) return ABSENT;
  const unexplained = new Set<string>();
  const { template, isComplete } = learnField(samples, { ...place, unexplained });
  if (isComplete && unexplained.size === 0) return template;
  return learnCases(samples, place, learnField);
}

/**
 * Joins the templates of cases. The most frequent one, and of several the shortest one, is that of all other cases. A field that
 * some cases lack is absent in all others.
 */
function joinCases(learned: readonly (readonly [string, CaseTemplate])[]): ObjectTemplate {
  const shown = learned.flatMap(([text, template]) =>
    template === ABSENT ? [] : [[text, template] as const],
  );
  if (shown.length < learned.length || learned.some(([text]) => text === 'else'))
    return Object.fromEntries(shown);
  const write = JSON.stringify;
  const countOf = (text: string): number => shown.filter(([, each]) => write(each) === text).length;
  const [rest = ''] = shown
    .map(([, template]) => write(template))
    .toSorted((a, b) => countOf(b) - countOf(a) || a.length - b.length);
  const own = shown.filter(([, template]) => write(template) !== rest);
  return { ...Object.fromEntries(own), else: JSON.parse(rest) as Template };
}
