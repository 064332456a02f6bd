import type { CallResult } from './compare.ts';
import type { Observation } from './observation.ts';

/** The least number of characters of a random part. */
const LEAST = 12;

/**
 * Replaces the texts of fields by their form, if each of two services draws them at random for each payment: no client can
 * predict them. A field stays if one of the services does not draw its texts, or if both have one of them: the request
 * determines that text.
 */
export function maskRandomTexts(
  one: readonly CallResult[],
  other: readonly CallResult[],
): [CallResult[], CallResult[]] {
  const [ofOne, ofOther] = [findRandomFields(one), findRandomFields(other)];
  const names = new Set(
    [...ofOne].flatMap(([name, texts]) => (isDisjoint(texts, ofOther.get(name)) ? [name] : [])),
  );
  const mask = ({ name, observation }: CallResult): CallResult => ({
    name,
    observation: maskFields(observation, names),
  });
  return [one.map(mask), other.map(mask)];
}

function isDisjoint(one: ReadonlySet<string>, other: ReadonlySet<string> | undefined): boolean {
  return other !== undefined && [...one].every((text) => !other.has(text));
}

/** Returns the texts of the fields that have several ones, each of them with a random part. */
function findRandomFields(results: readonly CallResult[]): ReadonlyMap<string, ReadonlySet<string>> {
  const texts = new Map<string, Set<string>>();
  const add = (value: Observation, name: string): void => {
    if (typeof value === 'string') texts.set(name, (texts.get(name) ?? new Set()).add(value));
    else if (Array.isArray(value)) for (const item of value as readonly Observation[]) add(item, name);
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) add(item, key);
  };
  for (const { observation } of results) add(observation, '');
  const isRandom = (values: ReadonlySet<string>): boolean =>
    values.size > 1 && [...values].every((text) => toRandomForm(text) !== text);
  return new Map([...texts].filter(([, values]) => isRandom(values)));
}

function maskFields(value: Observation, names: ReadonlySet<string>, name = ''): Observation {
  if (typeof value === 'string') return names.has(name) ? toRandomForm(value) : value;
  if (Array.isArray(value))
    return (value as readonly Observation[]).map((item) => maskFields(item, names, name));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, item]) => [key, maskFields(item, names, key)] as const);
  return Object.fromEntries(fields);
}

/** Replaces each random part of a text by its length and its alphabet: digits after letters, or letters and digits. */
function toRandomForm(text: string): string {
  return text.replaceAll(/[A-Za-z]*\d[A-Za-z\d]*/g, (part) => {
    const [, letters = '', digits = ''] = /^([A-Za-z]*)(\d+)$/.exec(part) ?? [];
    if (digits.length >= LEAST) return `${letters}{${digits.length} digits}`;
    if (part.length < LEAST || digits !== '') return part;
    const alphabet = /[a-z]/.test(part) ? (/[A-Z]/.test(part) ? 'mixed' : 'lower') : 'upper';
    return `{${part.length} ${alphabet}}`;
  });
}
