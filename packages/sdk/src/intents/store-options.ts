import { type Field, type Fields, type Parsed, parseObject } from '@service/internal';
import { createUsageError } from '../errors.ts';

/** The secret key of the stored HMACs. */
export const fingerprintKeyField: Field<string> = {
  expected: 'a string of at least 32 characters',
  parse: (value) => (typeof value === 'string' && value.length >= 32 ? value : undefined),
};

/**
 * Parses the options of a function that creates a store.
 *
 * @throws {ConfigurationError} when an option is unknown or invalid.
 */
export function parseStoreOptions<All extends Fields>(
  owner: string,
  value: unknown,
  fields: All,
): Parsed<All> {
  return parseObject(value, { name: `The options of ${owner}`, fields, createError: createUsageError });
}

/** Returns whether a client of a database has a function. Some clients are functions themselves. */
export function hasFunction<Name extends string>(
  client: unknown,
  name: Name,
): client is Record<Name, (...values: unknown[]) => PromiseLike<unknown>> {
  return typeof (client as Readonly<Record<string, unknown>> | null | undefined)?.[name] === 'function';
}
