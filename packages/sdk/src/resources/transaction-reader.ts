import { type JsonObject, isRecord, readPath, type RowReading } from '@service/internal';
import type { Mode, Transaction } from '../models.ts';
import { modeOfPaymentId } from '../money.ts';
import {
  type AmountSource,
  digitsAt,
  type MoneyField,
  orNull,
  readMoney,
  textsOf,
  toNumber,
} from '../money.ts';
import type { TransactionFormat } from './transaction-format.ts';
import { describeKind, findRowArray, formatPath, isCommonName, type UnreadablePage } from './row-array.ts';

/** A row of a page as a transaction. */
export interface TransactionRow {
  /** The row under the documented field names. */
  readonly transaction: Transaction;
  /** All payment ids in the row, including nested values, of the mode of the key. */
  readonly paymentIds: readonly string[];
  /** The row as received. */
  readonly raw: JsonObject;
}

/** A row of a page that cannot be read as a transaction. */
export interface UnreadableRow {
  /** The path of the invalid field or row, such as `data.transactions[0].amount`. */
  readonly path: string;
  /** The kind of the invalid value, never the value. */
  readonly reason: string;
  /** All payment ids in the row, including nested values, of the mode of the key. */
  readonly paymentIds: readonly string[];
  /** The row as received. */
  readonly raw: unknown;
}

/** The rows of one page. */
export interface TransactionReading {
  /** The readable rows, in the order of the page. */
  readonly rows: readonly TransactionRow[];
  /** The other rows, with the reason for each. */
  readonly unreadable: readonly UnreadableRow[];
  /** The path of the array with the rows, such as `data.transactions`. */
  readonly arrayPath: string;
  /** Whether the array has neither the documented name nor a common one. */
  readonly isGuessed: boolean;
}

/** The fields of a transaction and the names that services use for them, the preferred name first. */
const fieldNames = {
  id: ['id', 'transaction_id', 'uuid'],
  type: ['type', 'transaction_type', 'kind'],
  status: ['status', 'state'],
  currency: ['currency', 'from_currency', 'currency_code'],
  amount: ['amount', 'send_amount'],
  fee: ['fee'],
  balance_after: ['balance_after', 'running_balance'],
  payment_id: ['payment_id'],
  reference: ['reference', 'purpose'],
  // Not `date`: the start of a day is before the payment, and a search would treat the row as older.
  created_at: ['created_at', 'posted_at', 'booked_at', 'createdAt', 'timestamp'],
} as const satisfies Partial<Record<keyof Transaction, readonly string[]>>;

type Field = keyof typeof fieldNames;
const fields = Object.keys(fieldNames) as Field[];
const moneyFields = ['amount', 'fee', 'balance_after'] as const satisfies readonly MoneyField<Transaction>[];
const linkFields = ['payment_id', 'reference'] as const;
const optionalFields = ['fee', 'balance_after', ...linkFields] as const;

/**
 * Finds the rows in a response body and reads them: with a format, or from the one array of objects and common
 * names of fields. Never throws.
 */
export function readTransactions(
  source: AmountSource,
  mode: Mode,
  format: TransactionFormat = unformatted,
): TransactionReading | UnreadablePage {
  const found = format.page?.findRows(source.body) ?? findRowArray(source.body);
  if ('problem' in found) return found;
  const { path, items, keys, inner = [] } = found;
  const arrayPath = formatPath(path);
  const read = items.map((item, index) => {
    const raw = readPath(item, inner);
    const paymentIds = findPaymentIds(item, mode);
    const row = readRow(raw, {
      source,
      path: [...path, keys?.[index] ?? index, ...inner],
      paymentIds,
      format,
    });
    return 'reason' in row ? { ...row, path: `${arrayPath}[${index}]${row.path}`, paymentIds, raw } : row;
  });
  const readable = read.filter((row) => 'record' in row);
  // Without any payment id or reference, the service does not show these fields. Absent does not mean null.
  const isLinked = readable.some(({ record }) => linkFields.some((name) => Object.hasOwn(record, name)));
  return {
    rows: readable.map((row) => toTransactionRow(row, isLinked)),
    unreadable: read.filter((row) => 'reason' in row),
    arrayPath,
    isGuessed: format.page === undefined && !isCommonName(path),
  };
}

interface ReadRow {
  readonly record: JsonObject;
  readonly raw: JsonObject;
  readonly path: readonly (string | number)[];
  readonly names: Readonly<Partial<Record<string, readonly string[]>>>;
  readonly paymentIds: readonly string[];
  /** The source of the amounts. */
  readonly source: AmountSource;
}

type RowContext = Pick<ReadRow, 'path' | 'paymentIds' | 'source'> & { readonly format: TransactionFormat };

function readRow(raw: unknown, context: RowContext): ReadRow | Pick<UnreadableRow, 'path' | 'reason'> {
  if (!isRecord(raw)) return { path: '', reason: `is ${describeKind(raw)}, not an object` };
  const { path, paymentIds, source, format } = context;
  const names: Partial<Record<Field, readonly string[]>> = {};
  const record: JsonObject = { ...raw, id: null };
  const texts = format.readRow && readPath(textsOf(source), path.map(String));
  const reading = format.readRow ? format.readRow(texts) : unread;
  if (reading === undefined) return { path: '', reason: 'fits no row template of the profile' };
  const { facts, explained } = reading;
  for (const field of fields) {
    // A field that the template explains has no other meaning.
    if (explained.includes(field)) delete record[field];
    if (Object.hasOwn(facts, field)) record[field] = facts[field];
    const name = chooseName(raw, difference(fieldNames[field], explained));
    if (name === undefined || Object.hasOwn(facts, field)) continue;
    const value = raw[name];
    const at = isMoney(field) ? [name, ...findMoney(value)] : [name];
    const money = readPath(raw, at);
    names[field] = at;
    record[field] = isMoney(field) ? money : toText(value, source, [...path, name]);
    if (isMoney(field) && toNumber(field === 'amount' ? money : orNull(money)) === undefined)
      return { path: `.${name}`, reason: `is ${describeKind(value)}, not an amount` };
    if (field === 'amount' && isRecord(value) && value.currency) record.currency ??= value.currency;
  }
  if (typeof record.id !== 'string' || record.id === '') record.id = null;
  const [only, ...others] = paymentIds;
  if (orNull(record.payment_id) === null && only !== undefined && others.length === 0)
    record.payment_id = only;
  if (format.readRow === undefined) return { record, raw, path, names, paymentIds, source };
  // The digits of the amounts are those of the facts.
  const ofRow = { ...source, texts: { ...(texts as object), ...facts }, hasLongNumber: true };
  return { record, raw, path: [], names, paymentIds, source: ofRow };
}

/** The format of a service without templates. Its own fields hide a polluted prototype. */
const unformatted: TransactionFormat = { readRow: undefined, page: undefined };
/** The reading of a row without a template. */
const unread: RowReading = { facts: {}, explained: [] };

function difference(names: readonly string[], others: readonly string[]): readonly string[] {
  return others.length === 0 ? names : names.filter((name) => !others.includes(name));
}

/**
 * Returns the path of the amount in a money object, such as `{ value, currency }`. Empty for an object with other
 * members, which can mean minor units.
 */
function findMoney(money: unknown): readonly string[] {
  const names = Object.keys(isRecord(money) ? money : {}).filter((key) => key !== 'currency');
  return /^(value|amount)$/.test(String(names)) ? names : [];
}

function isMoney(field: Field): boolean {
  return moneyFields.some((name) => name === field);
}

/** Returns the first of the names whose value is not empty, or else the first one that is present. */
function chooseName(raw: JsonObject, names: readonly string[]): string | undefined {
  const present = names.filter((name) => Object.hasOwn(raw, name));
  return present.find((name) => orNull(raw[name]) !== null) ?? present[0];
}

/** Returns a number as text with all its digits. Returns any other value unchanged. */
function toText(value: unknown, source: AmountSource, path: ReadRow['path']): unknown {
  if (typeof value !== 'number') return value;
  return Number.isSafeInteger(value) ? String(value) : (digitsAt(source, path) ?? null);
}

function toTransactionRow(
  { record, raw, path, names, paymentIds, source }: ReadRow,
  isLinked: boolean,
): TransactionRow {
  for (const name of optionalFields)
    if (isLinked || Object.hasOwn(record, name)) record[name] = orNull(record[name]);
  const transaction = readMoney<Transaction>({ record, source, path, names }, moneyFields) as Transaction;
  return { transaction, paymentIds, raw };
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
