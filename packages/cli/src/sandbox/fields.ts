import { describeUnknown, parseJson, toRecord } from '@service/internal';
import { UsageError } from '../errors.ts';
import type { ControlDocument, Operation, Schema, Values } from './document.ts';

/** The fields that the command reads from other places, and these places. */
const otherPlaces: Readonly<Record<string, string>> = {
  key: 'The API key is read from SERVICE_API_KEY or --key-file.',
  secret: 'A secret on the command line is visible to other users. Pass its file with --secret-file.',
};

/** The schemas of a document, and the files of the caller. */
interface FieldsContext extends Pick<ControlDocument, 'resolve'> {
  readonly readText: (path: string) => Promise<string>;
}

/**
 * Reads the fields of an operation from words: `name=value`, `name.inner=value` for a field of an object, or a value for the next
 * required field. The schema of a field decides whether its value is text. Other values can be JSON. `@file` is the JSON of a file.
 *
 * @throws {UsageError} when a name is unknown or given twice, a file is not JSON, a duration has no unit, or a required field is
 * missing.
 */
export async function readFields(
  operation: Operation,
  words: readonly string[],
  context: FieldsContext,
): Promise<Values> {
  const { command = '', fields } = operation;
  const all: Schema = { properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])) };
  const needed = fields.filter(({ name, isRequired }) => isRequired && !Object.hasOwn(otherPlaces, name));
  const named = new Set(words.flatMap((word) => /^(\w+)(?:\.|=)/.exec(word)?.[1] ?? []));
  const inOrder = needed.filter(({ name }) => !named.has(name)).values();
  let values: Values = {};
  const places: string[] = [];
  for (const word of words) {
    const [, given, text = word] = /^([A-Za-z_$][\w.$]*)=(.*)$/s.exec(word) ?? [];
    const name = given ?? inOrder.next().value?.name;
    if (name === undefined)
      throw new UsageError(
        `${JSON.stringify(word)} is not a field. Write NAME=VALUE. \`service-cli sandbox ${command} --help\` lists the fields.`,
      );
    const path = findPath(name.split('.'));
    const [first = ''] = path;
    if (Object.hasOwn(otherPlaces, first)) throw new UsageError(`${first}: ${otherPlaces[first]}`);
    const place = `${path.join('.')}.`;
    if (places.some((other) => other.startsWith(place) || place.startsWith(other)))
      throw new UsageError(`${name} is given twice.`);
    places.push(place);
    const schema = findSchema(path);
    const value = text.startsWith('@')
      ? parse(await context.readText(text.slice(1)), name)
      : readValue(schema, text, name, context);
    values = setPath(values, path, value);
  }
  // These would change the path of the request.
  const wrong = fields.find(({ name, place }) => place === 'path' && /^\.{1,2}$/.test(String(values[name])));
  if (wrong !== undefined) throw new UsageError(`${wrong.name} must be an id.`);
  // The account is that of the API key by default.
  const missing = needed.filter(({ name }) => name !== 'account' && values[name] === undefined);
  if (missing.length > 0)
    throw new UsageError(
      `${command} needs ${missing.map(({ name }) => `${name}=…`).join(' ')}. \`service-cli sandbox ${command} --help\` lists its fields.`,
    );
  return values;

  /** Returns the path of a name. The fields of a required object need no prefix: `numbers` is `settings.numbers`. */
  function findPath(path: readonly string[]): readonly string[] {
    const [first = ''] = path;
    const owner = needed.find(({ schema }) => Object.hasOwn(schema.properties ?? {}, first));
    return owner === undefined || Object.hasOwn(all.properties ?? {}, first) ? path : [owner.name, ...path];
  }

  function findSchema(path: readonly string[]): Schema {
    return path.reduce((schema, name) => {
      const parts = listAlternatives(schema, context);
      const own = parts.find(({ properties = {} }) => Object.hasOwn(properties, name))?.properties?.[name];
      const other = parts.map((part) => part.additionalProperties).find((part) => typeof part === 'object');
      const isOpen = parts.some(
        ({ properties, additionalProperties }) => !(properties ?? additionalProperties),
      );
      const found = own ?? other ?? (isOpen ? {} : undefined);
      if (found !== undefined) return found;
      const inner = schema === all ? needed.map((field) => field.schema) : [];
      const known = [...parts, ...inner].flatMap(({ properties = {} }) => Object.keys(properties));
      throw new UsageError(`${command}: ${describeUnknown(name, known)}`);
    }, all);
  }
}

/** Returns the schemas of which a value must match one. */
function listAlternatives(schema: Schema, { resolve }: Pick<FieldsContext, 'resolve'>): Schema[] {
  const resolved = resolve(schema);
  return resolved.anyOf?.flatMap((each) => listAlternatives(each, { resolve })) ?? [resolved];
}

/** Reads a value as its schema wants it. A text that fits no schema stays text, which the mock explains. */
function readValue(
  schema: Schema,
  text: string,
  name: string,
  context: Pick<FieldsContext, 'resolve'>,
): unknown {
  const parts = listAlternatives(schema, context);
  const has = (...wanted: readonly string[]): boolean =>
    parts.some(({ type = [] }) => [type].flat().some((each) => wanted.includes(each)));
  const listed = parts.flatMap((part) => part.enum ?? []).find((value) => String(value) === text);
  if (listed !== undefined) return listed;
  if (text === '' && !has('array'))
    throw new UsageError(`The value of ${name} is empty. Is a variable of the shell not set?`);
  const isText = parts.some((part) => part.type?.includes('string') && part.enum === undefined);
  const isAny = parts.some((part) => part.type === undefined && part.enum === undefined);
  const kind = text.startsWith('{') ? 'object' : text.startsWith('[') ? 'array' : undefined;
  if (kind !== undefined && (isAny || has(kind)))
    return isText ? (parseJson(text) ?? text) : parse(text, name);
  const isNumber = parts.some(({ type }) => type === 'number' || type === 'integer');
  if (isNumber && /^-?\d+(?:\.\d+)?$/.test(text)) {
    const isDuration = parts.some(({ pattern = '' }) => pattern.endsWith('(?:ms|s|m|h|d)$'));
    if (!isDuration) return Number(text);
    const units = ['ms', 's', 'm', 'h'].map((unit) => text + unit).join(', ');
    throw new UsageError(`${name} needs a unit. Write ${units} or ${text}d.`);
  }
  if (has('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  if (isAny) return parseJson(text) ?? text;
  if (isText || !has('array')) return text;
  const items = parts.find(({ type }) => type === 'array')?.items ?? {};
  const texts = text === '' ? [] : text.split(',');
  return texts.map((each) => readValue(items, each, name, context));
}

/** @throws {UsageError} when the text is not JSON. */
function parse(text: string, name: string): unknown {
  const value = parseJson(text.replace(/^\uFEFF/, ''));
  if (value === undefined) throw new UsageError(`${name} must be valid JSON.`);
  return value;
}

function setPath(values: Values, [name = '', ...rest]: readonly string[], value: unknown): Values {
  return { ...values, [name]: rest.length === 0 ? value : setPath(toRecord(values[name]), rest, value) };
}
