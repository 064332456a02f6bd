import { type Field, type JsonObject, wholeNumber } from '@service/internal';

/** An option of a fault: its check, and its JSON Schema with a description. */
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
export function oneOfOption<T extends string>(description: string, words: readonly T[]): FaultOption<T> {
  return {
    expected: `one of ${words.join(', ')}`,
    parse: (value) => words.find((word) => word === value),
    json: { type: 'string', enum: words, description },
  };
}
