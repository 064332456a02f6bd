import {
  type Field,
  type Fields,
  isRecord,
  type JsonObject,
  parseFields,
  type Parsed,
  parseObject,
  wholeNumber,
} from '@service/internal';
import { WebhookError } from './errors.ts';

/**
 * Parses the options of a function.
 *
 * @throws {WebhookError} `invalid_options`, with a similar name for an unknown one
 */
export function parseOptions<All extends Fields>(caller: string, options: unknown, fields: All): Parsed<All> {
  const createError = (message: string): WebhookError => invalidOptions(`${caller}: ${message}`);
  return parseObject(options, { name: 'options', fields, createError });
}

/**
 * Parses few options, without the search for similar names, which is too large for `createVerifier`.
 *
 * @throws {WebhookError} `invalid_options`, with all known names for an unknown one
 */
export function parseFewOptions<All extends Fields>(
  caller: string,
  options: unknown,
  fields: All,
): Parsed<All> {
  const unknown = isRecord(options)
    ? Object.keys(options).filter((name) => !Object.hasOwn(fields, name))
    : [typeof options];
  if (unknown.length === 0) {
    const createError = (message: string): WebhookError => invalidOptions(`${caller}: ${message}`);
    return parseFields(options as JsonObject, { fields, createError });
  }
  const names = Object.keys(fields);
  throw invalidOptions(`${caller} accepts the options { ${names.join(', ')} }, not ${unknown.join(', ')}.`);
}

export function invalidOptions(message: string): WebhookError {
  return new WebhookError('invalid_options', { message });
}

/** A time in whole milliseconds. A timer of more than 2^31 - 1 ms would fire immediately. */
export function milliseconds(min: number, max = 2_147_483_647): Field<number> {
  const field = wholeNumber(max, min);
  return { ...field, expected: `${field.expected}, in milliseconds` };
}

/** A string that is not empty. */
export const nonEmptyText: Field<string> = {
  expected: 'a non-empty string',
  parse: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
};
