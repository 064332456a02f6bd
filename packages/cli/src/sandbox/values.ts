import { InvalidArgumentError } from 'commander';
import { parseObject } from '../json.ts';
import type { Field, Schema } from './operations.ts';

/** Holds values by their names. */
export type Values = Readonly<Record<string, unknown>>;

/** Creates what parses the text of a field into its value; what may be text stays text, money as well. Throws InvalidArgumentError. */
export function parseField({ schema, words }: Field): (text: string) => unknown {
  return (text) => {
    const value = readValue(schema, text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It must be ${words}.`);
  };
}

/** Creates what parses `name=value` and adds it to what was given before. Throws InvalidArgumentError. */
export function parseEntry({ schema }: Field): (text: string, before?: Values) => Values {
  return (text, before = {}) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new InvalidArgumentError('Write a name and its value, such as NAME=VALUE.');
    return { ...before, [name]: readInner(findInner(schema, name), name, value) };
  };
}

/** Tells whether a field is an object, which is written as `name=value`. */
export function isRecord({ schema }: Field): boolean {
  return schema.type === 'object';
}

function findInner({ properties = {}, additionalProperties }: Schema, name: string): Schema {
  if (Object.hasOwn(properties, name)) return properties[name] ?? {};
  if (typeof additionalProperties === 'object') return additionalProperties;
  throw new InvalidArgumentError(`There is no ${name}; there are ${Object.keys(properties).join(', ')}.`);
}

function readInner(schema: Schema, name: string, text: string): unknown {
  const value = readValue(schema, text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError(`${name} must be ${schema.description ?? 'another value'}.`);
}

/** Reads a value as a schema wants it; undefined where the text is none. */
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
