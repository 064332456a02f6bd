/**
 * JSON in which a text such as `'{send_amount}'` is replaced by a value, with words that select its form:
 * `'{send_amount cents}'`. A text can have more than one: `'/payments/{id}'`. `'{{'` is a brace.
 *
 * A list that starts with `'{each rows}'`, and an object with the one name `'{each fields}'`, are repeated for each
 * item. The object `{ '{case status}': { failed: 'x', else: 'y' } }` is the template for the value of `status`, and omits
 * its field where it has none.
 */
export type Template = string | number | boolean | null | readonly Template[] | ObjectTemplate;

/** A JSON object with placeholders, such as `{ id: '{id}' }`, in the place of a body. */
export interface ObjectTemplate {
  readonly [name: string]: Template;
}

/** A part of a text that is replaced by a value. */
export interface Placeholder {
  readonly name: string;
  /** The form of the value. */
  readonly words: readonly string[];
}

const TOKEN = /\{\{|\{([^{}]+)\}/g;

/** Splits a text into literal parts and placeholders. */
export function splitText(text: string): readonly (string | Placeholder)[] {
  const parts: (string | Placeholder)[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(match[1] === undefined ? '{' : toPlaceholder(match[1]));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Splits the template of a header into its links, each of which is left out without a value (RFC 8288, section 3). */
export function splitHeader(name: string, text: string): readonly string[] {
  return name.toLowerCase() === 'link' ? text.split(/,\s*(?=<)/) : [text];
}

function toPlaceholder(text: string): Placeholder {
  // A word can have quoted spaces: `else="no purpose"`.
  const parts = text.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  const [name = '', ...words] = parts.map((part) => part.replaceAll('"', ''));
  return { name, words };
}

/** Returns the name of the list that a text repeats, or undefined. */
export function readEach(text: unknown): string | undefined {
  return typeof text === 'string' ? /^\{each (\w+)\}$/.exec(text)?.[1] : undefined;
}

/** The templates of an object by the texts of one of its values. `else` is that of all others. */
interface TemplateCases {
  /** The name of the value, such as `status`. */
  readonly name: string;
  readonly cases: ObjectTemplate;
}

/** Reads an object whose template depends on a value, or returns undefined. */
export function readCases(template: Template): TemplateCases | undefined {
  if (typeof template !== 'object' || template === null || isList(template)) return undefined;
  const [[key, cases] = ['']] = Object.entries(template);
  const name = /^\{case (\w+)\}$/.exec(key)?.[1];
  return name === undefined ? undefined : { name, cases: cases as ObjectTemplate };
}

function isList(value: object): value is readonly Template[] {
  return Array.isArray(value);
}

/** Returns the placeholders of a template with their paths. Those of repetitions and cases have the names `each` and `case`. */
export function listPlaceholders(template: Template, path = ''): (Placeholder & { readonly path: string })[] {
  if (typeof template === 'string')
    return splitText(template).flatMap((part) => (typeof part === 'string' ? [] : [{ ...part, path }]));
  if (typeof template !== 'object' || template === null) return [];
  if (isList(template)) return template.flatMap((item, index) => listPlaceholders(item, `${path}[${index}]`));
  return Object.entries(template).flatMap(([name, value]) => [
    ...(/^\{(?:each|case) /.test(name) ? listPlaceholders(name, path) : []),
    ...listPlaceholders(value, `${path}.${name}`),
  ]);
}
