import type { JsonObject } from './json.ts';

/** Names the fields of a record that hold amounts or rates: those that the contract types as numbers. */
export type MoneyField<T> = keyof { [Name in keyof T as T[Name] extends number | null ? Name : never]: true };

const plainDecimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Reads the money of a record: a plain decimal string becomes the number that it writes, a number or null stays, and a
 * field that is absent stays so, since the service may leave it out (contract.md 8). Returns undefined when a field of
 * money holds anything else. All other fields are taken as the service sent them.
 */
export function readMoney<T>(
  record: JsonObject,
  fields: Readonly<Record<MoneyField<T>, true>>,
): T | undefined {
  const read = { ...record };
  for (const name of Object.keys(fields).filter((field) => Object.hasOwn(record, field))) {
    const value = toNumber(record[name]);
    if (value === undefined) return undefined;
    read[name] = value;
  }
  return read as T;
}

function toNumber(value: unknown): number | null | undefined {
  if (value === null) return null;
  const number = typeof value === 'string' && plainDecimal.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
