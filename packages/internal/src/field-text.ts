import { toRecord } from './json.ts';

/** Matches names with values, such as `similar strict, unknown public` or `USD/EUR 0.92, EUR/USD 1.08`, but no list of codes. */
const FIELD_TEXT = /^(?:[a-z]\w*|[A-Z]{3}(?:\/[A-Z]{3})?(?= \d)) [^,]+(?:, \S+ [^,]+)*$/;

/**
 * Reads the fields of an object from one text, such as `'similar strict, unknown public'`; `numbers` are the names of those that
 * can be numbers. Undefined for any other value.
 */
export function readFieldText(
  value: unknown,
  numbers: readonly string[] = [],
): Readonly<Record<string, string | number>> | undefined {
  if (typeof value !== 'string' || !FIELD_TEXT.test(value)) return undefined;
  const fields = value.split(', ').map((field) => {
    const end = field.indexOf(' ');
    const [name, text] = [field.slice(0, end), field.slice(end + 1)];
    return [name, numbers.includes(name) && /^\d+$/.test(text) ? Number(text) : text] as const;
  });
  return Object.fromEntries(fields);
}

/** Writes an object of texts and numbers as one text that reads back. Returns any other value as it is. */
export function writeFieldText(value: unknown): unknown {
  const fields = Object.entries(toRecord(value)).map(([name, field]) => [name, String(field)] as const);
  const text = fields.map((field) => field.join(' ')).join(', ');
  const isSame = JSON.stringify(readFieldText(text)) === JSON.stringify(Object.fromEntries(fields));
  const isPlain = Object.values(toRecord(value)).every((field) => /^(?:string|number)$/.test(typeof field));
  return isSame && isPlain ? text : value;
}
