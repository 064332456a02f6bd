import { isRecord, type JsonObject, writeMicro } from '@service/internal';
import type { Mode, Transaction } from '../models.ts';
import {
  type AmountPlace,
  type AmountSource,
  digitsAt,
  modeOfPaymentId,
  orNull,
  readMoney,
  type RecordPath,
  toNumber,
} from '../money.ts';
import { formatPath, type RowArray, toSnake } from './page.ts';

/** A row of a page as a transaction. */
export interface TransactionRow {
  /** The row under the documented field names. */
  readonly transaction: Transaction;
  /** All payment ids in the row, including nested values, of the mode of the key. */
  readonly paymentIds: readonly string[];
}

/** The rows of a page, in its order. */
export interface Rows {
  readonly rows: readonly TransactionRow[];
  /** The rows that cannot be read, with the path of the invalid value, never the value: `data.items[0].amount is not an amount`. */
  readonly unreadable: readonly (Pick<TransactionRow, 'paymentIds'> & { readonly problem: string })[];
}

/** The fields of a transaction and the names that services use for them, the preferred name first. */
const fieldNames = {
  id: ['id', 'uuid'],
  type: ['type', 'transaction_type', 'kind'],
  status: ['status', 'state'],
  currency: ['currency', 'from_currency', 'currency_code'],
  amount: ['amount', 'send_amount'],
  fee: ['fee'],
  balance_after: ['balance_after', 'running_balance'],
  payment_id: ['payment_id'],
  reference: ['reference', 'purpose'],
  // No dates: the start of a day is before the payment, and a search would treat the row as older.
  created_at:
    'created_at create_time recorded_at posted_at booked_at occurred_at timestamp created time'.split(' '),
} as const satisfies Partial<Record<keyof Transaction, readonly string[]>>;

/** The names of an amount in minor units, such as cents. */
const minorNames = ['amount_minor', 'amount_cents'];

const moneyFields = ['amount', 'fee', 'balance_after'] as const;
const textFields = ['id', 'type', 'status', 'currency', 'payment_id', 'reference', 'created_at'] as const;
const optionalFields = ['fee', 'balance_after', 'payment_id', 'reference'] as const;

/** Reads the rows of a page by the common names of fields. Never throws. */
export function readRows(array: RowArray, source: AmountSource, mode: Mode): Rows {
  const rows: TransactionRow[] = [];
  const unreadable: Rows['unreadable'][number][] = [];
  for (const [index, raw] of array.items.entries()) {
    const paymentIds = findPaymentIds(raw, mode);
    const row = readRow(raw, paymentIds, [...array.path, index], source);
    if (typeof row === 'object') rows.push({ transaction: row, paymentIds });
    else unreadable.push({ problem: `${formatPath(array.path)}[${index}]${row}`, paymentIds });
  }
  return { rows, unreadable };
}

/** Reads a row at a path of the response body. Returns the problem of a row without a readable amount. */
function readRow(
  raw: unknown,
  paymentIds: readonly string[],
  path: RecordPath,
  source: AmountSource,
): Transaction | string {
  if (!isRecord(raw)) return ' is not an object';
  const record: JsonObject = { ...raw, id: null };
  const keys: Keys = new Map(Object.keys(raw).map((key) => [toSnake(key), key]));
  for (const field of textFields) {
    const name = chooseName(raw, keys, fieldNames[field]);
    if (name !== undefined) record[field] = readText(raw[name], source, [...path, name]);
  }
  const names: Record<string, AmountPlace> = {};
  for (const field of moneyFields) {
    const name = chooseName(raw, keys, fieldNames[field]);
    if (name === undefined) continue;
    const given = raw[name];
    const { value, place } = readAmount(given, name, source, path);
    if (toNumber(field === 'amount' ? value : orNull(value)) === undefined)
      return `.${name} is not an amount`;
    if (isRecord(given)) record.currency ??= given.currency ?? given.currency_code;
    record[field] = value;
    names[field] = place;
  }
  const minor = names.amount === undefined ? chooseName(raw, keys, minorNames) : undefined;
  if (minor !== undefined) {
    const text = fromMinor(raw[minor], record.currency);
    if (text === undefined) return `.${minor} is not a whole number of a minor unit of a known currency`;
    record.amount = text;
    names.amount = text;
  }
  if (typeof record.id !== 'string' || record.id === '') record.id = null;
  for (const field of optionalFields) record[field] = orNull(record[field]);
  if (paymentIds.length === 1) record.payment_id ??= paymentIds[0];
  return readMoney<Transaction>(record, moneyFields, { source, path, names }) as Transaction;
}

/** Returns a number as the text of its digits, and any other value as it is. */
function readText(value: unknown, source: AmountSource, path: RecordPath): unknown {
  if (typeof value !== 'number') return value;
  return Number.isSafeInteger(value) ? String(value) : (digitsAt(source, path) ?? null);
}

/** The names of the fields of a row by their form with underscores. */
type Keys = ReadonlyMap<string, string>;

/**
 * Returns the first of the names, also in camel case, whose value is not empty, or else the first one that is present.
 */
function chooseName(raw: JsonObject, keys: Keys, names: readonly string[]): string | undefined {
  const present = names.flatMap((name) => keys.get(name) ?? []);
  return present.find((name) => orNull(raw[name]) !== null) ?? present[0];
}

/**
 * Reads an amount, also in an object: `{ value, currency }`, `{ amount, currency }` or `{ units, nanos, currency_code }`.
 * Returns the object itself if it has another form.
 */
function readAmount(given: unknown, name: string, source: AmountSource, path: RecordPath) {
  if (!isRecord(given)) return { value: given, place: [name] };
  // Another member can have another meaning, such as an exponent or a rate.
  const members = Object.keys(given).filter((member) => !/^currency(_code)?$/.test(member));
  const [member = '', ...others] = members;
  const place = [name, member];
  // Whole numbers in objects can be in minor units, such as cents.
  const isDecimal = digitsAt(source, [...path, ...place])?.includes('.') === true;
  const isAmount = others.length === 0 && /^(value|amount)$/.test(member);
  if (isAmount && isDecimal) return { value: given[member], place };
  const joined = members.toSorted().join() === 'nanos,units' ? joinNanos(given) : undefined;
  return { value: joined ?? given, place: joined ?? place };
}

/** Converts a whole number of minor units to decimal text. Undefined without a currency that Intl knows. */
function fromMinor(value: unknown, currency: unknown): string | undefined {
  if (!Number.isSafeInteger(value) || !/^[A-Z]{3}$/.test(String(currency))) return undefined;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: String(currency) });
  const { maximumFractionDigits = 2 } = format.resolvedOptions();
  return writeMicro(BigInt(Number(value)) * 10n ** BigInt(6 - maximumFractionDigits));
}

/** Joins an amount of whole units and billionths (`google.type.Money`). */
function joinNanos({ units, nanos }: JsonObject): string | undefined {
  // As JSON, because an object can have no text.
  const [, sign = '', whole] = /^"?(-?)(\d+)"?$/.exec(JSON.stringify(units)) ?? [];
  const [, signOfRest, rest] = /^"?(-?)(\d{1,9})"?$/.exec(JSON.stringify(nanos)) ?? [];
  if (whole === undefined || rest === undefined) return undefined;
  return `${sign || signOfRest}${whole}.${rest.padStart(9, '0').replace(/(?<=..)0+$/, '')}`;
}

/** Maximum depth of nested values that are searched for payment ids. */
const MAX_DEPTH = 8;

/** Finds the payment ids of one mode in a row. Ids inside longer texts count only if no value is an id. */
function findPaymentIds(row: unknown, mode: Mode): string[] {
  const texts: string[] = [];
  collectTexts(row, texts);
  const isId = (text: string): boolean => modeOfPaymentId(text) === mode;
  const ids = texts.some(isId) ? texts : texts.flatMap((text) => text.match(/[\w-]+/g) ?? []);
  return [...new Set(ids.filter(isId))];
}

/** Collects the texts in a value that may contain a payment id. */
function collectTexts(value: unknown, texts: string[], depth = 0): void {
  if (typeof value === 'string' && value.includes('pay_')) texts.push(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  for (const item of Object.values(value)) collectTexts(item, texts, depth + 1);
}
