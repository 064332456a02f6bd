import { isRecord } from './json.ts';
import {
  type Placeholder,
  readCases,
  readEach,
  readPlaceholder,
  splitText,
  type Template,
} from './template.ts';

/** A value of a template in a JSON value. */
export interface MatchedValue extends Placeholder {
  /** The JSON in place of the placeholder; null where the field is absent. */
  readonly value: unknown;
}

/** The values of a template in a JSON value. */
export interface TemplateMatch {
  readonly values: readonly MatchedValue[];
  /** The number of fields that are absent, and of words that differ. */
  readonly differences: number;
}

/**
 * Reads the values of a template from the JSON that it writes: the inverse of `fillTemplate`. Ignores repetitions. Of cases, the
 * one that fits best applies.
 */
export function matchTemplate(template: Template, json: unknown): TemplateMatch {
  const values: MatchedValue[] = [];
  let differences = 0;
  const match = (part: Template, value: unknown): void => {
    if (typeof part === 'string') {
      const found = matchText(part, value);
      values.push(...found.values);
      differences += found.differences;
      return;
    }
    const chosen = readCases(part);
    if (chosen !== undefined) {
      const [best] = Object.values(chosen.cases)
        .map((each) => matchTemplate(each, value))
        .toSorted((one, other) => one.differences - other.differences);
      values.push(...(best?.values ?? []));
      differences += value === undefined && !('else' in chosen.cases) ? 0 : (best?.differences ?? 0);
    } else if (typeof part === 'object' && part !== null) {
      const fields = Object.entries(part);
      if (readEach((part as readonly unknown[])[0]) !== undefined) return;
      for (const [name, inner] of fields)
        if (readEach(name) === undefined) match(inner, readMember(value, name));
    }
  };
  match(template, json);
  return { values, differences };
}

/** Returns an own member of an object or an element of a list. */
export function readMember(value: unknown, name: string): unknown {
  const isOwn = (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, name);
  return isOwn ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function matchText(template: string, value: unknown): TemplateMatch {
  const only = readPlaceholder(template);
  if (only !== undefined) {
    const isMissing = value === undefined && !only.words.includes('omit');
    return { values: [{ ...only, value: value ?? null }], differences: isMissing ? 1 : 0 };
  }
  const parts = splitText(template);
  if (parts.every((part) => typeof part === 'string')) {
    const text = parts.join('');
    // A text with digits can be that of one response, such as the number of a batch.
    return { values: [], differences: /\d/.test(text) || text === value ? 0 : 1 };
  }
  const values = typeof value === 'string' ? findValues(template, value, true) : undefined;
  const absent = parts.flatMap((part) => (typeof part === 'string' ? [] : [{ ...part, value: null }]));
  return { values: values ?? absent, differences: values === undefined ? 1 : 0 };
}

/**
 * Reads the values of a text with several parts from the text that it writes. With `isWhole` false, other text can
 * surround it. Returns undefined if it does not contain that text.
 */
export function findValues(
  template: string,
  text: string,
  isWhole: boolean,
): readonly MatchedValue[] | undefined {
  const parts = splitText(template);
  const pattern = parts
    .map((part) =>
      typeof part === 'string' ? part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&') : isWhole ? ANY : PART,
    )
    .join('');
  const found = new RegExp(isWhole ? `^${pattern}$` : pattern).exec(text);
  if (found === null) return undefined;
  return parts
    .filter((part) => typeof part !== 'string')
    .map((part, index) => ({ ...part, value: found[index + 1] ?? null }));
}

const ANY = '([^]*?)';
/** A value in a header. `Link` has it between angle brackets. */
const PART = '([^<>]*)';
