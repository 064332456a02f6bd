import { isRecord, type JsonObject, orNull } from '../values/json.ts';
import type { Mode, Transaction } from '../values/models.ts';
import { digitsAt, type MoneyField, readMoney, type Source, toNumber } from '../values/money.ts';
import { modeOfPaymentId } from '../values/payment-id.ts';
import { describeKind, findRowArray, formatPath, isCommonName, type UnreadablePage } from './row-array.ts';

/** One row of a page, read as a transaction. */
export interface TransactionRow {
  readonly transaction: Transaction;
  /** Every string `pay_<mode>_…` in the row, nested values included; the mode is that of the key. */
  readonly paymentIds: readonly string[];
  /** The row as received. */
  readonly raw: JsonObject;
}

/** One row of a page that cannot be read as a transaction. */
export interface UnreadableRow {
  /** The path of the field or row at fault, such as `data.transactions[0].amount`. */
  readonly path: string;
  /** The kind of value found there, never the value itself. */
  readonly reason: string;
  readonly paymentIds: readonly string[];
  /** The row as received. */
  readonly raw: unknown;
}

/** The rows of one page. */
export interface TransactionReading {
  readonly rows: readonly TransactionRow[];
  readonly unreadable: readonly UnreadableRow[];
  /** The path of the array that holds the rows, such as `data.transactions`. */
  readonly arrayPath: string;
  /** Whether the array has neither the documented name nor one that is common for rows. */
  readonly isGuessed: boolean;
}

/** The fields of a transaction, each with the names under which services send it, the preferred name first. */
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
  // Not `date`: the start of a day lies before the payment, and a search would take the row for an older one.
  created_at: ['created_at', 'posted_at', 'booked_at', 'createdAt', 'timestamp'],
} as const satisfies Partial<Record<keyof Transaction, readonly string[]>>;

type Field = keyof typeof fieldNames;
const fields = Object.keys(fieldNames) as Field[];
const moneyFields = ['amount', 'fee', 'balance_after'] as const satisfies readonly MoneyField<Transaction>[];
const linkFields = ['payment_id', 'reference'] as const;
const optionalFields = ['fee', 'balance_after', ...linkFields] as const;

/** Finds the one array of objects in a response body and reads its rows. Never throws. */
export function readTransactions(source: Source, mode: Mode): TransactionReading | UnreadablePage {
  const found = findRowArray(source.body);
  if ('problem' in found) return found;
  const { path, items } = found;
  const arrayPath = formatPath(path);
  const read = items.map((raw, index) => {
    const paymentIds = findPaymentIds(raw, mode);
    const row = readRow(raw, { source, path: [...path, index], paymentIds });
    return 'reason' in row ? { ...row, path: `${arrayPath}[${index}]${row.path}`, paymentIds, raw } : row;
  });
  const readable = read.filter((row) => 'record' in row);
  // Where no row names a payment or a reference, the service does not show these fields; that is not the same as null.
  const isLinked = readable.some(({ record }) => linkFields.some((name) => Object.hasOwn(record, name)));
  return {
    rows: readable.map((row) => toTransactionRow(row, source, isLinked)),
    unreadable: read.filter((row) => 'reason' in row),
    arrayPath,
    isGuessed: !isCommonName(path),
  };
}

interface ReadRow {
  readonly record: JsonObject;
  readonly raw: JsonObject;
  readonly path: readonly (string | number)[];
  readonly names: Readonly<Partial<Record<string, string>>>;
  readonly paymentIds: readonly string[];
}

type RowContext = Pick<ReadRow, 'path' | 'paymentIds'> & { readonly source: Source };

function readRow(raw: unknown, context: RowContext): ReadRow | Pick<UnreadableRow, 'path' | 'reason'> {
  if (!isRecord(raw)) return { path: '', reason: `is ${describeKind(raw)}, not an object` };
  const { path, paymentIds, source } = context;
  const names: Partial<Record<Field, string>> = {};
  const record: JsonObject = { ...raw, id: null };
  for (const field of fields) {
    const name = chooseName(raw, fieldNames[field]);
    if (name === undefined) continue;
    names[field] = name;
    record[field] = isMoney(field) ? raw[name] : toText(raw[name], source, [...path, name]);
    if (isMoney(field) && toNumber(field === 'amount' ? raw[name] : orNull(raw[name])) === undefined)
      return { path: `.${name}`, reason: `is ${describeKind(raw[name])}, not an amount` };
  }
  if (typeof record.id !== 'string' || record.id === '') record.id = null;
  const [only, ...others] = paymentIds;
  if (orNull(record.payment_id) === null && only !== undefined && others.length === 0)
    record.payment_id = only;
  return { record, raw, path, names, paymentIds };
}

function isMoney(field: Field): boolean {
  return moneyFields.some((name) => name === field);
}

/** Returns the first of these names that holds a value, or else the first that is present. */
function chooseName(raw: JsonObject, names: readonly string[]): string | undefined {
  const present = names.filter((name) => Object.hasOwn(raw, name));
  return present.find((name) => orNull(raw[name]) !== null) ?? present[0];
}

/** Returns the text of a string or of a number, digit by digit; anything else as it is. */
function toText(value: unknown, source: Source, path: ReadRow['path']): unknown {
  if (typeof value !== 'number') return value;
  return Number.isSafeInteger(value) ? String(value) : (digitsAt(source, path) ?? null);
}

function toTransactionRow(
  { record, raw, path, names, paymentIds }: ReadRow,
  source: Source,
  isLinked: boolean,
): TransactionRow {
  for (const name of optionalFields)
    if (isLinked || Object.hasOwn(record, name)) record[name] = orNull(record[name]);
  const transaction = readMoney<Transaction>({ record, source, path, names }, moneyFields) as Transaction;
  return { transaction, paymentIds, raw };
}

const deepestValue = 8;

/** Finds the payment ids of one mode in a row. Ids inside longer texts count only where no value is an id itself. */
function findPaymentIds(row: unknown, mode: Mode): string[] {
  const texts: string[] = [];
  collectTexts(row, texts);
  const isId = (text: string): boolean => modeOfPaymentId(text) === mode;
  const ids = texts.some(isId) ? texts : texts.flatMap((text) => text.match(/[\w-]+/g) ?? []);
  return [...new Set(ids.filter(isId))];
}

/** Collects the texts in a value that may be or name a payment id. */
function collectTexts(value: unknown, texts: string[], depth = 0): void {
  if (typeof value === 'string' && value.includes('pay_')) texts.push(value);
  if (typeof value !== 'object' || value === null || depth > deepestValue) return;
  for (const item of Object.values(value)) collectTexts(item, texts, depth + 1);
}
