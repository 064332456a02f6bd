import { hide } from '../errors/service-error.ts';
import { type JsonObject, parseJson } from './json.ts';

/** Names the fields of a record that hold amounts or rates: those that the contract types as numbers. */
export type MoneyField<T> = keyof {
  [Name in keyof T as NonNullable<T[Name]> extends number ? Name : never]: true;
};

/** Holds the text of an answer with what it parsed to, and is told of money that the client cannot hold. */
export type Source = {
  readonly text: string;
  readonly body: unknown;
  readonly warn: (code: 'inexact_money' | 'other_amount' | 'unreadable_row', message: string) => void;
  /** The body with each number as its digits; made when somebody first asks. */
  texts?: unknown;
  /** Whether a number of the body may have more digits than a double holds; set at the first check. */
  hasLongNumber?: boolean;
};

const plainDecimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
// A double holds whatever has at most 15 significant digits.
const longNumber = /\d[\d.]{15}/;

// The name that all copies of this package know, so that one can read what another has returned.
const origin = Symbol.for('@service/sdk/origin');
/** The place of a record in a response body, one member name or index per level. */
export type RecordPath = readonly (string | number)[];

type Origin = {
  readonly source: Source;
  readonly path: RecordPath;
  readonly names: Readonly<Partial<Record<string, string>>>;
};

/** A record with its place in the response body. */
type Place = {
  readonly record: JsonObject;
  readonly source: Source;
  /** Default: `data`. */
  readonly path?: RecordPath;
  /** The names of fields in the response body, where they differ from those of the record. */
  readonly names?: Origin['names'];
};

/**
 * Reads the money of a record: a plain decimal string becomes the number that it writes, a float tail is taken off, null
 * stays, and a field that is absent stays so, since the service may leave it out (contract.md 8). Returns undefined when a
 * field of money holds anything else. All other fields are taken as the service sent them.
 */
export function readMoney<T extends object>(
  { record, source, path = ['data'], names = {} }: Place,
  fields: readonly MoneyField<T>[],
): T | undefined {
  const read = { ...record };
  for (const name of fields as readonly (MoneyField<T> & string)[]) {
    if (!Object.hasOwn(record, name)) continue;
    const value = toNumber(record[name]);
    if (value === undefined) return undefined;
    read[name] = value;
  }
  const result = read as T;
  // Frozen, as state managers that wrap whatever they are shown leave such alone.
  hide(result, origin, Object.freeze({ source, path, names } satisfies Origin));
  // Once per response: a search of the text for each row costs most of the reading of a page.
  source.hasLongNumber ??= longNumber.test(source.text);
  if (source.hasLongNumber) for (const name of fields) checkExact(result, name, source);
  return result;
}

/**
 * Returns the decimal text of a money field as the service wrote it, digit by digit; null where the service gave none. It
 * reads from the very object that a call returned: for a spread or a clone of it the text is lost, and the answer undefined.
 */
export function exact<T extends object>(record: T, field: MoneyField<T>): string | null | undefined {
  const found = (record as { [origin]?: Origin } | null)?.[origin];
  if (found === undefined) return undefined;
  const { source, path, names } = found;
  return digitsAt(source, [...path, names[field as string] ?? (field as string)]) ?? null;
}

/** Returns the string or the exact digits of the number at a path of a response body; undefined for anything else. */
export function digitsAt(source: Source, path: RecordPath): string | undefined {
  source.texts ??= parseJson(quoteNumbers(source.text));
  const written = path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as JsonObject)[name]
        : undefined,
    source.texts,
  );
  return typeof written === 'string' ? written : undefined;
}

/** Warns where the service took another amount than was sent. */
export function checkSent(
  taken: { readonly send_amount?: number | null } | undefined,
  { amount }: Readonly<Record<string, string>>,
  { warn }: Source,
): void {
  const taking = taken?.send_amount ?? Number(amount);
  if (taking === Number(amount)) return;
  warn('other_amount', `The service took the amount as ${taking}; it was sent as ${amount}.`);
}

/** Makes each number of a JSON text a string of its digits. */
function quoteNumbers(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
}

/** Returns the number of a money field, null for null, or undefined for anything that is no amount. */
export function toNumber(value: unknown): number | null | undefined {
  if (value === null) return null;
  const number = typeof value === 'string' && plainDecimal.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? trimTail(number) : undefined;
}

/** Takes off the tail that sums of doubles carry: 100.0000000000001 stands for 100. */
function trimTail(number: number): number {
  if (Math.round(number * 1e6) / 1e6 === number) return number;
  // The tail of nothing: an exponent would hide its length.
  if (Math.abs(number) < 1e-12) return 0;
  const text = String(number);
  if (text.replaceAll(/^-?[0.]*|\./g, '').length < 16) return number;
  if ((text.split('.')[1] ?? '').length <= 2) return number;
  // Below two decimals a shorter figure would cut into the amount itself.
  const short = Number(Math.abs(number) < 1e13 ? number.toPrecision(15) : number.toFixed(2));
  return (String(short).split('.')[1]?.length ?? 0) <= longestRate ? short : number;
}

const longestRate = 6;

function checkExact<T extends object>(record: T, field: MoneyField<T>, { warn }: Source): void {
  const text = exact(record, field);
  const number = record[field] as unknown;
  if (typeof text !== 'string' || typeof number !== 'number' || !plainDecimal.test(text)) return;
  if (toMillionths(text) === toMillionths(String(number))) return;
  warn('inexact_money', `${String(field)} is ${text}, which no number can hold: read it by exact().`);
}

/** Returns a decimal as a whole number of millionths, rounded half up. */
function toMillionths(text: string): bigint | undefined {
  if (!plainDecimal.test(text)) return undefined;
  const [whole = '', decimals = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + decimals.slice(0, longestRate).padEnd(longestRate, '0'));
  return (size + (Number(decimals[longestRate] ?? 0) >= 5 ? 1n : 0n)) * (text.startsWith('-') ? -1n : 1n);
}
