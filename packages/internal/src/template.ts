/**
 * JSON in which a text such as `'{send_amount}'` is replaced by a value, with words that select its form:
 * `'{send_amount cents}'`. A text can have more than one: `'/payments/{id}'`. `'{{'` is a brace.
 *
 * A list that starts with `'{each rows}'`, and an object with the one name `'{each fields}'`, are repeated for each
 * item. The object `{ '{case status}': { failed: 'x', else: 'y' } }` is the template for the value of `status`, and omits
 * its field where it has none.
 */
export type Template = string | number | boolean | null | readonly Template[] | ObjectTemplate;

/** A template of an object. */
export interface ObjectTemplate {
  readonly [name: string]: Template;
}

/** A part of a text that is replaced by a value. */
export interface Placeholder {
  readonly name: string;
  /** The form of the value. */
  readonly words: readonly string[];
}

/** The values of a template. */
export interface TemplateScope {
  /** Returns the value of a placeholder in its form. Undefined omits the field. */
  readonly read: (placeholder: Placeholder) => unknown;
  /** Returns the items of a list, with their names. */
  readonly list: (name: string) => readonly TemplateItem[];
  /** Joins the parts of a text, of which none is null. */
  readonly join: (parts: readonly unknown[]) => unknown;
  /** Called for each part of the template that is filled. Can throw, to stop a template that fills too much. */
  readonly count: (template: Template) => void;
}

/** An item of a list: its name in an object, and its values. */
export interface TemplateItem {
  readonly name: string;
  readonly scope: TemplateScope;
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

/** A template in the form in which it is filled. */
type Compiled = (scope: TemplateScope) => unknown;

/** The compiled objects and lists. Only a cache: a template does not change. */
const compiled = new WeakMap<object, Compiled>();

/** Replaces the placeholders of a template. A text with a placeholder of null is null. */
export function fillTemplate(template: Template, scope: TemplateScope): unknown {
  return compile(template)(scope);
}

function compile(template: Template): Compiled {
  const isObject = typeof template === 'object' && template !== null;
  const known = isObject ? compiled.get(template) : undefined;
  if (known !== undefined) return known;
  const fill = compileContent(template);
  const counted: Compiled = (scope) => {
    scope.count(template);
    return fill(scope);
  };
  if (isObject) compiled.set(template, counted);
  return counted;
}

function compileContent(template: Template): Compiled {
  if (typeof template === 'string') return compileText(template);
  if (typeof template !== 'object' || template === null) return () => template;
  if (isList(template)) return compileList(template);
  const [[key, cases] = ['', {}]] = Object.entries(template);
  const [, name] = /^\{case (\w+)\}$/.exec(key) ?? [];
  return name === undefined ? compileObject(template) : compileCases(name, cases as ObjectTemplate);
}

/** Compiles the templates of an object by the texts of one of its values. `else` is that of all others. */
function compileCases(name: string, cases: ObjectTemplate): Compiled {
  return (scope) => {
    const value = scope.read({ name, words: [] });
    const text = typeof value === 'string' || typeof value === 'boolean' ? String(value) || 'null' : 'null';
    const own = Object.hasOwn(cases, text) ? cases[text] : cases.else;
    return own === undefined ? undefined : fillTemplate(own, scope);
  };
}

function compileText(text: string): Compiled {
  if (!text.includes('{')) return () => text;
  const parts = splitText(text);
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object') return (scope) => scope.read(only);
  return (scope) => {
    const values = parts.map((part) => (typeof part === 'string' ? part : scope.read(part)));
    return values.some((value) => value === null || value === undefined) ? null : scope.join(values);
  };
}

function compileList(template: readonly Template[]): Compiled {
  const each = readEach(template[0]);
  const items = (each === undefined ? template : template.slice(1)).map(compile);
  const fillAll = (scope: TemplateScope): unknown[] => items.map((fill) => fill(scope));
  return (scope) => {
    const filled =
      each === undefined ? fillAll(scope) : scope.list(each).flatMap((item) => fillAll(item.scope));
    return filled.filter((item) => item !== undefined);
  };
}

function compileObject(template: ObjectTemplate): Compiled {
  const fields = Object.entries(template).map(
    ([name, value]) => [name, readEach(name), compile(value)] as const,
  );
  // An assignment would set the prototype instead of a field with this name.
  const isPlain = !fields.some(([name, each]) => each !== undefined || name === '__proto__');
  return (scope) => {
    const filled: Record<string, unknown> = {};
    if (isPlain) {
      for (const [name, , fill] of fields) filled[name] = fill(scope);
      return filled;
    }
    const entries = fields.flatMap(([name, each, fill]): [string, unknown][] =>
      each === undefined
        ? [[name, fill(scope)]]
        : scope.list(each).map((item) => [item.name, fill(item.scope)]),
    );
    return Object.fromEntries(entries);
  };
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
