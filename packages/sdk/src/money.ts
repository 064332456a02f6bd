import { isRecord, type JsonObject, parseJson, toMicro } from '@service/internal';
import type { Beneficiary, Mode, Payment, Unchecked } from './models.ts';
import type { Warning } from './options.ts';

/** The names of the fields of a record that contain amounts or rates. */
type MoneyField<T extends object> = Parameters<typeof rawAmount<T>>[1];

/** The text and the parsed body of a response, and the receiver of warnings about its money. */
export interface AmountSource {
  readonly text: string;
  readonly body: unknown;
  readonly warn: (code: Warning['code'], message: string) => void;
  /** The body with each number as text. Created on first use. */
  texts?: unknown;
  /** Whether the body may have a number with more digits than a double represents. Set at the first check. */
  hasLongNumber?: boolean;
}

// A double represents every number with at most 15 significant digits exactly.
const longNumber = /\d[\d.]{15}/;
const plainDecimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

// Global, because the ESM and the CommonJS copy of the package read the records of each other.
const origin = Symbol.for('@service/sdk/origin');

/** The position of a record in a response body: one member name or index per level. */
export type RecordPath = readonly (string | number)[];

/** The path of an amount in its record, or the digits of one that the record has in parts. */
export type AmountPlace = readonly string[] | string;

/** The position of a record in the body of a response. */
interface Origin {
  readonly source: AmountSource;
  readonly path: RecordPath;
  /** The places of fields in the body that differ from the names in the record. */
  readonly names: Readonly<Partial<Record<string, AmountPlace>>>;
}

/**
 * Converts the money fields of a record to numbers: decimal strings are parsed and float tails removed
 * (docs/contract.md#profile-settings). Null and absent fields stay, since a service may omit them. Returns
 * undefined if a money field has any other value. All other fields stay as received.
 *
 * @param record A copy of the received record. Its money fields are replaced.
 */
export function readMoney<T extends object>(
  record: JsonObject,
  fields: readonly MoneyField<T>[],
  { source, path = ['data'], names = {} }: Pick<Origin, 'source'> & Partial<Origin>,
): T | undefined {
  for (const name of fields as readonly (MoneyField<T> & string)[]) {
    if (!Object.hasOwn(record, name)) continue;
    const value = toNumber(record[name]);
    if (value === undefined) return undefined;
    record[name] = value;
  }
  const result = record as T;
  // Frozen: state managers that wrap objects in proxies leave frozen objects unchanged.
  Object.defineProperty(result, origin, { value: Object.freeze({ source, path, names } satisfies Origin) });
  // Searched once per response: for every row, it takes most of the time of reading a page.
  source.hasLongNumber ??= longNumber.test(source.text);
  for (const name of source.hasLongNumber ? fields : []) {
    const text = rawAmount(result, name);
    if (toMicro(text) === toMicro(result[name])) continue;
    const problem = `${String(name)} is ${text}, which a number cannot represent exactly`;
    source.warn('inexact_money', `${problem}. Use rawAmount() to read it.`);
  }
  return result;
}

/**
 * Returns the decimal text of a money field as the service sent it, digit by digit. Returns null if the
 * service sent no value, and undefined for a copy of the record: the text belongs to the object that a call
 * returned.
 */
export function rawAmount<T extends object>(
  record: T,
  field: keyof { [Name in keyof T as NonNullable<T[Name]> extends number ? Name : never]: true },
): string | null | undefined {
  const found = (record as { [origin]?: Origin } | null)?.[origin];
  if (found === undefined) return undefined;
  const { source, path, names } = found;
  const place = names[field as string] ?? [field as string];
  return typeof place === 'string' ? place : (digitsAt(source, [...path, ...place]) ?? null);
}

/**
 * Returns the string, or the exact digits of the number, at a path of a response body. Returns undefined for
 * other values.
 */
export function digitsAt(source: AmountSource, path: RecordPath): string | undefined {
  // Each number becomes a string of its digits.
  source.texts ??= parseJson(
    source.text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
      token.startsWith('"') ? token : `"${token}"`,
    ),
  );
  let written = source.texts;
  for (const name of path) {
    const has = typeof written === 'object' && written !== null && Object.hasOwn(written, name);
    written = has ? (written as JsonObject)[name] : undefined;
  }
  return typeof written === 'string' ? written : undefined;
}

/** Returns the number of a money field, null for null, or undefined for a value that is not an amount. */
export function toNumber(value: unknown): number | null | undefined {
  if (value === null) return null;
  const number = typeof value === 'string' && plainDecimal.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? trimTail(number) : undefined;
}

/** Removes the tail of a sum of doubles: 100.0000000000001 becomes 100. */
function trimTail(number: number): number {
  // The number is only a tail. Its text has an exponent, so its length cannot be compared.
  if (Math.abs(number) < 1e-12) return 0;
  const text = String(number);
  if ((text.split('.')[1] ?? '').length <= 2) return number;
  // Fewer than two decimals would change the amount itself.
  const short = Number(Math.abs(number) < 1e13 ? number.toPrecision(15) : number.toFixed(2));
  return (String(short).split('.')[1]?.length ?? 0) <= RATE_DECIMALS ? short : number;
}

/** Maximum number of decimals of a rate. */
const RATE_DECIMALS = 6;

/** Returns null for an optional field that is absent, null or empty (docs/contract.md#profile-settings). */
export function orNull(value: unknown): unknown {
  return value === '' ? null : (value ?? null);
}

/** The parts of a response from which a payment is read. */
interface PaymentSource {
  readonly asked: Mode;
  readonly source: AmountSource;
}

/** Converts `data` to a payment of the requested mode. Optional fields that are absent or empty become null. */
export function readPayment(raw: Unchecked<Payment>, { asked, source }: PaymentSource): Payment | undefined {
  const { id, status, beneficiary, purpose } = raw;
  if (modeOfPaymentId(id) !== asked || typeof status !== 'string') return undefined;
  const record: JsonObject = { ...raw, purpose: orNull(purpose) };
  if (isRecord(beneficiary)) {
    const { bank, account, country }: Unchecked<Beneficiary> = beneficiary;
    const optional = { bank: orNull(bank), account: orNull(account), country: orNull(country) };
    record.beneficiary = { ...beneficiary, ...optional };
  }
  return readMoney<Payment>(record, ['send_amount', 'rate', 'receive_amount'], { source });
}

/**
 * Returns the mode of a payment id, or undefined for a value that is not a payment id
 * (docs/contract.md#payments).
 */
export function modeOfPaymentId(id: unknown): Mode | undefined {
  if (typeof id !== 'string') return undefined;
  return /^pay_(test|live)_[\w-]+$/.exec(id)?.[1] as Mode | undefined;
}
