import { isRecord, type Template } from '@service/internal';
import { groupBy } from '../group.ts';
import type { DefaultForms, Place, Sample } from './known.ts';
import { hasWord, learnValue, showsOwn, writeKnown } from './learn-value.ts';

/**
 * Learns the template of responses of one kind: each value that equals a known one in every sample becomes its
 * placeholder, and any other value stays as it is. `key` is the name of the whole value.
 */
export function learnTemplate(samples: readonly Sample[], forms: DefaultForms, key = ''): LearnedTemplate {
  const unexplained = new Set<string>();
  const template = learn(samples, { key, forms, unexplained });
  return { template, unexplained: [...unexplained] };
}

/** A template, and the fields that it writes as in the last sample, although their values differ. */
export interface LearnedTemplate {
  readonly template: Template;
  readonly unexplained: readonly string[];
}

function learn(samples: readonly Sample[], place: Place): Template {
  const [first] = samples;
  if (first === undefined) return null;
  if (samples.every(({ json }) => isRecord(json))) return learnObject(samples, place);
  if (samples.every(({ json }) => Array.isArray(json))) return learnList(samples, place);
  return learnValue(samples, place);
}

function learnObject(samples: readonly Sample[], place: Place): Template {
  const names = new Set(samples.flatMap(({ json }) => Object.keys(json as object)));
  const fields = [...names].flatMap((name) => {
    const template = learnField(samples, { ...place, key: name });
    return template === undefined ? [] : [[name, template] as const];
  });
  return Object.fromEntries(fields);
}

/** Learns a field. Undefined for one that is left out: a value of one sample must not become that of all. */
function learnField(samples: readonly Sample[], place: Place): Template | undefined {
  const unexplained = new Set<string>();
  const { template, isComplete } = learnPresent(samples, { ...place, unexplained });
  if (isComplete && unexplained.size === 0) return template;
  const values = samples.map(({ json, ...rest }) => ({
    ...rest,
    json: (json as Record<string, unknown>)[place.key],
  }));
  // The fields of an object are learned one by one.
  const isObject = values.every(({ json }) => isRecord(json));
  const cases = isObject ? undefined : learnCases(samples, place);
  if (cases !== undefined) return cases;
  for (const name of unexplained) place.unexplained.add(name);
  if (isComplete && typeof template === 'object') return template;
  place.unexplained.add(place.key);
  // A form that no template has, such as six decimals, becomes the usual one.
  return showsOwn(values, place.key) ? `{${place.key}}` : undefined;
}

/** The values on which a field can depend. */
const deciding = 'status payment_status count has_more has_previous previous_status purpose'.split(' ');

/** Returns the value that decides. Pages with rows are of one kind, and so are payments with a text. */
function readCase(sample: Sample, name: string): string {
  const known = sample.known[name];
  const value = writeKnown(known);
  if (name === 'purpose' && known !== undefined) return value === '' ? 'null' : 'else';
  return name === 'count' && !/^0?$/.test(value) ? 'else' : value;
}

/** The template of a field by the values that decide, and the number of samples that it explains. */
interface Cases {
  readonly template: Template;
  readonly explained: number;
}

/**
 * Learns a field that depends on a status or a flag, such as the reason for which a payment failed, or on a status and the one
 * before it. The field is left out for values that do not explain it.
 */
function learnCases(samples: readonly Sample[], place: Place): Template | undefined {
  const all = [[], deciding].flatMap((inner) =>
    deciding.flatMap((name) => {
      const others = inner.slice(inner.indexOf(name) + 1);
      return learnCase(samples, place, name, others) ?? [];
    }),
  );
  const [best] = all.toSorted((one, other) => other.explained - one.explained);
  if (best !== undefined && best.explained < samples.length) place.unexplained.add(place.key);
  return best?.template;
}

/**
 * Learns a field by one value that decides. A value of it is learned if it has two samples with the same template, or none with
 * the field, or by one of the others.
 */
function learnCase(
  samples: readonly Sample[],
  place: Place,
  name: string,
  others: readonly string[],
): Cases | undefined {
  const groups = groupBy(samples, (sample) => readCase(sample, name));
  if (groups.size < 2 || groups.has('')) return undefined;
  const learned = [...groups].map(([value, group]): Partial<Cases> & { readonly value: string } => {
    const present = group.flatMap(({ json, ...rest }) =>
      Object.hasOwn(json as object, place.key)
        ? [{ ...rest, json: (json as Record<string, unknown>)[place.key] }]
        : [],
    );
    if (present.length === 0) return { value, explained: group.length };
    const unexplained = new Set<string>();
    const template = learn(present, { ...place, unexplained });
    const isWhole = present.length === group.length && unexplained.size === 0;
    const isShared = present.length !== 1 || template === null || typeof template === 'boolean';
    if (isWhole && isShared) return { value, template, explained: group.length };
    const nested = others.flatMap((other) => learnCase(group, place, other, []) ?? []);
    return { value, ...nested.toSorted((one, two) => two.explained - one.explained)[0] };
  });
  if (!learned.some(({ template }) => template !== undefined)) return undefined;
  const counts = groupBy(learned, ({ template }) => JSON.stringify(template));
  const sorted = [...counts.values()].toSorted((one, other) => other.length - one.length);
  const other = learned.filter(({ value }) => value === 'else');
  // What is absent with one value is not in the template of all others.
  const absent = sorted.find(([each]) => each?.template === undefined);
  const usual = other.length > 0 ? other : (absent ?? sorted[0] ?? []);
  const cases = learned.filter((each) => !usual.includes(each));
  const rest = usual[0]?.template;
  if (rest !== undefined && cases.some((each) => each.template === undefined)) return undefined;
  const explained = learned.reduce((sum, each) => sum + (each.explained ?? 0), 0);
  if (cases.length === 0 && rest !== undefined) return { template: rest, explained };
  const template = {
    [`{case ${name}}`]: {
      ...Object.fromEntries(cases.map((each) => [each.value, each.template as Template])),
      ...(rest !== undefined && { else: rest }),
    },
  };
  return { template, explained };
}

/**
 * Learns a field from the samples that have it. If others lack it, its value is omitted where it is null; `isComplete` is false
 * if that is not known.
 */
function learnPresent(
  samples: readonly Sample[],
  place: Place,
): { readonly template: Template; readonly isComplete: boolean } {
  const { key } = place;
  const present = samples.filter(({ json }) => Object.hasOwn(json as object, key));
  const learned = learn(
    present.map((sample) => ({ ...sample, json: (sample.json as Record<string, unknown>)[key] })),
    place,
  );
  if (present.length === samples.length) return { template: learned, isComplete: true };
  const [, words] = typeof learned === 'string' ? (/^\{([^{}]+)\}$/.exec(learned) ?? []) : [];
  if (words === undefined) return { template: learned, isComplete: false };
  const [name = ''] = words.split(' ');
  const isNull = ({ known }: Sample): boolean => writeKnown(known[name]) === '';
  return {
    template: `{${words} omit}`,
    isComplete: samples.every((sample) => present.includes(sample) || isNull(sample)),
  };
}

/** Learns a list: one element for each wallet, or elements in places. */
function learnList(samples: readonly Sample[], place: Place): Template {
  const inner = samples.flatMap(pairWallets);
  const isRepeated = inner.length === samples.flatMap(({ json }) => json as unknown[]).length;
  if (isRepeated && inner.length > 0) return ['{each wallets}', learn(inner, { ...place, key: '' })];
  const length = Math.min(...samples.map(({ json }) => (json as unknown[]).length));
  return Array.from({ length }, (_, index) =>
    learn(
      samples.map((sample) => ({ ...sample, json: (sample.json as unknown[])[index] })),
      { ...place, key: '' },
    ),
  );
}

/** Returns the elements of a list that name a wallet, with its values. */
function pairWallets(sample: Sample): Sample[] {
  return (sample.json as readonly unknown[]).flatMap((json) => {
    const wallet = sample.wallets?.find(({ currency }) => hasWord(JSON.stringify(json), currency));
    return wallet === undefined ? [] : [{ ...sample, known: { ...sample.known, ...wallet.known }, json }];
  });
}
