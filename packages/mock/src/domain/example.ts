import { type Example, memoize, splitText } from '@service/internal';
import { AMOUNT_SCALE, checkSize, Decimal, type Json, JsonText, timestampOf, toJson } from './json.ts';
import type { Profile } from './profile.ts';

/** A value in the place of a placeholder. Undefined omits its field. */
export type Value = Json | Date;

/** Returns the value of a placeholder. */
export type ReadValue = (name: string, forms: readonly string[]) => Value;

/** The forms of numbers and times that a profile selects for values without a form. */
export type ValueOptions = Pick<Profile, 'timestamps' | 'numbers'>;

/** Fills an example. */
type Fill = (read: ReadValue, options: ValueOptions) => Json;

/** Replaces the placeholders of an example by their values. */
export function fillExample(example: Example, read: ReadValue, options: ValueOptions): Json {
  return prepareExample(example)(read, options);
}

/** Replaces the placeholders of a text. Null without one of its values. */
export function fillText(text: string, read: ReadValue, options: ValueOptions): string | null {
  const value = fillExample(text, read, options) ?? null;
  return value === null || typeof value === 'string' ? value : toJson(value);
}

/** Returns the function that fills an example. */
function prepareExample(example: Example): Fill {
  if (typeof example === 'string') return compileText(example);
  if (typeof example !== 'object' || example === null) return () => example;
  return compileObject(example);
}

const compileObject = memoize((example: Example & object): Fill => {
  if (Array.isArray(example)) {
    const items = (example as readonly Example[]).map(prepareExample);
    return (read, options) => items.map((fill) => fill(read, options) ?? null);
  }
  const fields = Object.entries(example).map(([name, value]) => [name, prepareExample(value)] as const);
  return (read, options) => Object.fromEntries(fields.map(([name, fill]) => [name, fill(read, options)]));
});

/** A text that is one placeholder keeps the type of its value. Any other text is null without one of its values. */
function compileText(text: string): Fill {
  if (!text.includes('{')) return () => text;
  const parts = splitText(text);
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object')
    return (read, options) => formatValue(read(only.name, only.forms), only.forms, options);
  return (read, options) => {
    const values = parts.map((part) =>
      typeof part === 'string' ? part : formatValue(read(part.name, part.forms), part.forms, options),
    );
    const isComplete = values.every((value) => value !== null && value !== undefined);
    return isComplete ? values.map(String).join('') : null;
  };
}

function formatValue(value: Value, forms: readonly string[], options: ValueOptions): Json {
  if (forms.length === 0) return value instanceof Date ? timestampOf(options.timestamps)(+value) : value;
  if (value instanceof Date) return forms.includes('unix') ? Math.floor(+value / 1000) : +value;
  if (value instanceof Decimal) return formatDecimal(value, forms);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  const word = forms.find((form) => form.startsWith(`${value}=`))?.slice(value.length + 1);
  return word ?? (forms.includes('upper') ? value.toUpperCase() : value);
}

function formatDecimal(value: Decimal, forms: readonly string[]): Json {
  const has = (form: string): boolean => forms.includes(form);
  const isNegated = (has('positive') && value.units < 0n) || (has('negative') && value.units > 0n);
  const units = isNegated ? -value.units : value.units;
  const scale = has('cents') ? value.scale - AMOUNT_SCALE : value.scale;
  const decimal = new Decimal(units, scale, has('cents') || has('number') ? 'number' : undefined);
  return has('text') || has('fixed') ? decimal.toString(has('fixed')) : decimal;
}

/**
 * Writes a list of filled examples as JSON, one after the other.
 *
 * @throws {ResponseSizeError} before the text is larger than a response may be
 */
export function writeExamples(fills: readonly (() => Json)[], { numbers }: ValueOptions): JsonText {
  let rows = '';
  for (const fill of fills) rows = checkSize(`${rows}${rows && ','}${toJson(fill(), numbers)}`);
  return new JsonText(`[${rows}]`);
}
