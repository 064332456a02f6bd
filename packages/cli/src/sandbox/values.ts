import { InvalidArgumentError } from 'commander';
import { parseRecord as parseObject } from '@service/internal';
import type { Field, Schema } from './operations.ts';

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Creates a parser of a field. A field that can be text stays text, so amounts keep their digits.
 *
 * @throws {InvalidArgumentError} from the parser, when the text does not match the schema.
 */
export function parseField({ schema, description }: Field): (text: string) => unknown {
  return (text) => {
    const value = readValue(schema, text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`Expected: ${description}.`);
  };
}

/**
 * Creates a parser of `name=value` that adds the value to the previous ones.
 *
 * @throws {InvalidArgumentError} from the parser, when the name or the value does not match the schema.
 */
export function parseEntry({ schema }: Field): (text: string, before?: Values) => Values {
  return (text, before = {}) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new InvalidArgumentError('Write a name and its value, such as NAME=VALUE.');
    return { ...before, [name]: readInner(findInner(schema, name), name, value) };
  };
}

/** Whether a field is an object, which is written as `name=value`. */
export function isRecord({ schema }: Field): boolean {
  return schema.type === 'object';
}

function findInner({ properties = {}, additionalProperties }: Schema, name: string): Schema {
  if (Object.hasOwn(properties, name)) return properties[name] ?? {};
  if (typeof additionalProperties === 'object') return additionalProperties;
  throw new InvalidArgumentError(`${name} is unknown; use one of ${Object.keys(properties).join(', ')}.`);
}

function readInner(schema: Schema, name: string, text: string): unknown {
  const value = readValue(schema, text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError(`${name} must be ${schema.description ?? 'another value'}.`);
}

/** Parses text by a schema. Returns undefined if the text does not match. */
function readValue(schema: Schema, text: string): unknown {
  const { anyOf, type = [], items = {} } = schema;
  const listed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (listed !== undefined) return listed.find((value) => String(value) === text);
  if (anyOf !== undefined)
    return anyOf.map((each) => readValue(each, text)).find((value) => value !== undefined);
  if (type.includes('string')) return readText(schema, text);
  if (type === 'array') return readList(items, text);
  return readers[String(type)]?.(text);
}

function readText({ pattern = '' }: Schema, text: string): string | undefined {
  return new RegExp(pattern).test(text) ? text : undefined;
}

function readList(items: Schema, text: string): unknown[] | undefined {
  const values = text === '' ? [] : text.split(',').map((each) => readValue(items, each));
  return values.includes(undefined) ? undefined : values;
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  number: (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined),
  integer: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined),
  boolean: (text) => (/^(?:true|false)$/.test(text) ? text === 'true' : undefined),
  object: parseObject,
};
