import { type Field, type JsonObject, wholeNumber } from '@service/internal';

/** An option of a fault: its check, and its JSON Schema, whose description completes "must be". */
export interface FaultOption<T = unknown> extends Field<T> {
  readonly json: JsonObject;
  readonly isRequired?: boolean;
}

/** The options of a fault kind, by name. */
export type FaultOptionTable = Readonly<Record<string, FaultOption>>;

/** Creates an option for whole numbers within limits. */
export function wholeNumberOption(
  description: string,
  minimum: number,
  maximum: number,
): FaultOption<number> {
  return { ...wholeNumber(maximum, minimum), json: { type: 'integer', minimum, maximum, description } };
}

/** Creates an option for one of some words. */
export function oneOfOption<T extends string>(words: readonly T[]): FaultOption<T> {
  const description = words.map((word) => `'${word}'`).join(' or ');
  return {
    expected: `one of ${words.join(', ')}`,
    parse: (value) => words.find((word) => word === value),
    json: { type: 'string', enum: words, description },
  };
}

/** Merges the options of several kinds. An option that differs by kind accepts the values of each kind. */
export function mergeOptions(tables: readonly FaultOptionTable[]): FaultOptionTable {
  const names = new Set(tables.flatMap((table) => Object.keys(table)));
  const merge = (name: string): FaultOption => {
    const options = tables.flatMap((table) => table[name] ?? []);
    const [schema = {}, ...others] = new Set(options.map(({ json }) => json));
    return {
      expected: [...new Set(options.map(({ expected }) => expected))].join(', or '),
      parse: (value) => options.map(({ parse }) => parse(value)).find((result) => result !== undefined),
      json: others.length === 0 ? schema : { anyOf: [schema, ...others], description: schema.description },
    };
  };
  return Object.fromEntries([...names].map((name) => [name, merge(name)]));
}
