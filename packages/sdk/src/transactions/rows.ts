import { isRecord, type JsonObject } from '@service/internal';
import type { Mode, Transaction } from '../models.ts';
import {
  type AmountSource,
  type AmountUnit,
  decimalsOf,
  digitsAt,
  type KnownAmounts,
  modeOfPaymentId,
  movePoint,
  orNull,
  readMoney,
  toNumber,
} from '../money.ts';
import { describeKind, formatPath, listEnvelope, type RowArray, toSnake } from './page.ts';

/** A row of a page as a transaction. */
export interface TransactionRow {
  /** The row under the documented field names. */
  readonly transaction: Transaction;
  /** Identifies the row in its list: its id, or all of its fields if the id has an undocumented name; null without an id. */
  readonly key: string | null;
  /** All payment ids in the row, including nested values, of the mode of the key. */
  readonly paymentIds: readonly string[];
  /** The path of an amount that may be in minor units, such as cents, where nothing shows whether it is. */
  readonly unclear: string | undefined;
}

/** A row of a page that cannot be read as a transaction. */
interface UnreadableRow {
  /** The path and the kind of the invalid value, never the value: `data.items[0].amount is a string, not an amount`. */
  readonly problem: string;
  /** All payment ids in the row, including nested values, of the mode of the key. */
  readonly paymentIds: readonly string[];
}

/** The rows of a page, in its order. */
export interface Rows {
  readonly rows: readonly TransactionRow[];
  readonly unreadable: readonly UnreadableRow[];
}

/** Returns names with underscores, each followed by its form in camel case. */
function withCamelCase(names: string): readonly string[] {
  return names
    .split(' ')
    .flatMap((name) => [name, name.replaceAll(/_./g, (part) => part.slice(1).toUpperCase())]);
}

/** The fields of a transaction and the names that services use for them, the preferred name first. */
const fieldNames = {
  id: ['id'],
  type: /* @__PURE__ */ withCamelCase('type transaction_type kind'),
  status: ['status', 'state'],
  currency: /* @__PURE__ */ withCamelCase('currency from_currency currency_code'),
  amount: /* @__PURE__ */ withCamelCase('amount send_amount'),
  fee: ['fee'],
  balance_after: /* @__PURE__ */ withCamelCase('balance_after running_balance'),
  payment_id: /* @__PURE__ */ withCamelCase('payment_id'),
  reference: ['reference', 'purpose'],
  // No dates: the start of a day is before the payment, and a search would treat the row as older.
  created_at: /* @__PURE__ */ withCamelCase(
    'created_at create_time created_time creation_time recorded_at posted_at booked_at inserted_at occurred_at processed_at timestamp created time datetime transaction_time',
  ),
} as const satisfies Partial<Record<keyof Transaction, readonly string[]>>;

/** Other names of the id of a row. Other rows can share the value of an account, a customer or a payment. */
const idName =
  /^(_id|[ug]uid|key|no|number|seq(uence)?(_(id|no|number))?|((ledger|journal|account)_)?(entry|posting|booking|movement|operation|record|row|line|transaction|txn|trx|tx)(_(id|no|nr|number|ref|key|[ug]uid|seq))?)$/;

const moneyFields = ['amount', 'fee', 'balance_after'] as const;
const textFields = ['id', 'type', 'status', 'currency', 'payment_id', 'reference', 'created_at'] as const;
const linkFields = ['payment_id', 'reference'] as const;
const optionalFields = ['fee', 'balance_after', ...linkFields] as const;

/** A row whose fields are found, and whose amounts are as received. */
interface Draft {
  readonly record: JsonObject;
  /** All fields of a row whose id has an undocumented name. */
  key?: string;
  /** The path in the response body, and the same for a message. */
  readonly path: readonly (string | number)[];
  readonly place: string;
  readonly paymentIds: readonly string[];
  readonly amounts: readonly Amount[];
}

/** An amount of a row as received. */
interface Amount {
  readonly field: (typeof moneyFields)[number];
  /** The path in the row; empty for an amount of several parts. */
  readonly at: readonly string[];
  readonly value: unknown;
  /** What the row states: a unit, minor units by the name, or the number of decimals of the minor unit. */
  readonly unit: AmountUnit | 'named' | number | undefined;
  /** The object with the amount, if it is in one. Many services write minor units in objects. */
  readonly owner?: JsonObject;
}

/** Reads the rows of a page by the common names of fields. Never throws. */
export function readRows(array: RowArray, source: AmountSource, mode: Mode, known: KnownAmounts): Rows {
  const drafts: Draft[] = [];
  const unreadable: UnreadableRow[] = [];
  // Most pages have none of these words, and reading the names of every row takes time.
  const canStateUnit = /minor|cent|unit|exponent|scale/i.test(source.text);
  for (const [index, raw] of array.items.entries()) {
    const paymentIds = findPaymentIds(raw, mode);
    const place = `${formatPath(array.path)}[${index}]`;
    const row = readRow(raw, { path: [...array.path, index], place, paymentIds }, source, canStateUnit);
    if (typeof row === 'object') drafts.push(row);
    else unreadable.push({ problem: place + row, paymentIds });
  }
  if (drafts.every(({ record }) => record.id === null)) findOtherIds(drafts, source);
  // Without any payment id or reference, the service does not show these fields. Absent does not mean null.
  const isLinked = drafts.some(({ record }) => linkFields.some((name) => Object.hasOwn(record, name)));
  for (const { record } of drafts)
    for (const name of optionalFields)
      if (isLinked || Object.hasOwn(record, name)) record[name] = orNull(record[name]);
  return { rows: convertAmounts(drafts, source, known), unreadable };
}

/** Finds the fields of a row. Returns the problem of a row without a readable amount. */
function readRow(
  raw: unknown,
  { path, place, paymentIds }: Omit<Draft, 'record' | 'amounts'>,
  source: AmountSource,
  canStateUnit: boolean,
): Draft | string {
  if (!isRecord(raw)) return ` is ${describeKind(raw)}, not an object`;
  const record: JsonObject = { ...raw, id: null };
  const amounts: Amount[] = [];
  for (const field of textFields) {
    const name = chooseName(raw, fieldNames[field]);
    if (name === undefined) continue;
    record[field] = readText(raw[name], source, [...path, name]);
  }
  const unit = canStateUnit ? readUnit(Object.entries(raw)) : undefined;
  for (const field of moneyFields) {
    const amount = findAmount(raw, field, unit);
    if (amount === undefined) continue;
    const { at, value, owner } = amount;
    if (toNumber(field === 'amount' ? value : orNull(value)) === undefined)
      return `.${at[0]} is ${describeKind(raw[at[0] ?? ''])}, not an amount`;
    if (owner) record.currency ??= owner.currency ?? owner.currency_code;
    record[field] = value;
    if (orNull(value) !== null) amounts.push(amount);
  }
  if (typeof record.id !== 'string' || record.id === '') record.id = null;
  if (orNull(record.payment_id) === null) {
    const { payment, source: origin } = raw;
    const named = new Set([payment, ...[payment, origin].map((one) => isRecord(one) && one.id)]);
    const own = paymentIds.length === 1 ? paymentIds[0] : paymentIds.find((id) => named.has(id));
    if (own !== undefined) record.payment_id = own;
  }
  return { record, path, place, paymentIds, amounts };
}

/** Returns a number as the text of its digits, and any other value as it is. */
function readText(value: unknown, source: AmountSource, path: Draft['path']): unknown {
  if (typeof value !== 'number') return value;
  return Number.isSafeInteger(value) ? String(value) : (digitsAt(source, path) ?? null);
}

/** Takes as ids the first field by name that each row has, with another value in each. */
function findOtherIds(drafts: readonly Draft[], source: AmountSource): void {
  const names = Object.keys(drafts[0]?.record ?? {}).filter((name) => idName.test(toSnake(name)));
  const sorted = names.toSorted();
  const preferred = sorted.filter((name) => /^(transaction_id|uuid)$/.test(toSnake(name)));
  for (const name of [...preferred, ...sorted]) {
    // A word under another name than an id is a kind of row.
    const isId = (text: unknown): boolean =>
      typeof text === 'string' &&
      (/\d/.test(text) || (/id$/i.test(name) && text !== '')) &&
      modeOfPaymentId(text) === undefined;
    const ids = drafts.map(({ record, path }) => readText(record[name], source, [...path, name]));
    if (new Set(ids).size < ids.length || !ids.every(isId)) continue;
    for (const [index, draft] of drafts.entries()) {
      draft.record.id = ids[index];
      draft.key = JSON.stringify(draft.record);
    }
    return;
  }
}

/** Returns the first of the names whose value is not empty, or else the first one that is present. */
function chooseName(raw: JsonObject, names: readonly string[]): string | undefined {
  const present = names.filter((name) => Object.hasOwn(raw, name));
  return present.find((name) => orNull(raw[name]) !== null) ?? present[0];
}

/** A name that says that its value is in minor units: `amount_cents`, `minorUnits`. */
const minorName = /^(?:(.*?)_)?(?:in_)?(?:cents|minor(?:_units?|_amount)?)$/;
/** The members of a money object beside its amount. */
const besideAmount = /^(currency|currency_code|exponent|scale|decimals|unit|formatted|display)$/;

/** Returns whether a name says that the value of one of the names is in minor units. */
function isMinorOf(names: readonly string[], name: string): boolean {
  const match = minorName.exec(toSnake(name));
  return match !== null && names.includes(match[1] ?? '');
}

/** Finds an amount under its names, under one in minor units, or in an object such as `{ value, currency }`. */
function findAmount(raw: JsonObject, field: Amount['field'], unitOfRow: Amount['unit']): Amount | undefined {
  const names: readonly string[] = fieldNames[field];
  const plain = chooseName(raw, names);
  const isEmpty = plain === undefined || orNull(raw[plain]) === null;
  const inMinor = isEmpty ? Object.keys(raw).find((key) => isMinorOf(names, key)) : undefined;
  const name = inMinor ?? plain;
  if (name === undefined) return undefined;
  const value = raw[name];
  if (!isRecord(value)) return { field, at: [name], value, unit: inMinor ? 'named' : unitOfRow };
  const members = Object.keys(value).filter((member) => !besideAmount.test(toSnake(member)));
  const joined = members.toSorted().join() === 'nanos,units' ? joinNanos(value) : undefined;
  if (joined) return { field, at: [], value: joined, unit: 'units', owner: value };
  const [member = ''] = members;
  const isNamed = inMinor !== undefined || isMinorOf(['', 'value', 'amount'], member);
  // Another member can have another meaning, such as a rate.
  const isAmount = members.length === 1 && (isNamed || /^(value|amount)$/.test(member));
  const unit = isNamed ? 'named' : readUnit(Object.entries(value));
  const at = isAmount ? [name, member] : [name];
  return { field, at, value: isAmount ? value[member] : value, unit, owner: value };
}

/** Joins an amount of whole units and billionths (`google.type.Money`). */
function joinNanos({ units, nanos }: JsonObject): string | undefined {
  // As JSON, because an object can have no text.
  const [, sign = '', whole] = /^"?(-?)(\d+)"?$/.exec(JSON.stringify(units)) ?? [];
  const [, signOfRest, rest] = /^"?(-?)(\d{1,9})"?$/.exec(JSON.stringify(nanos)) ?? [];
  if (whole === undefined || rest === undefined) return undefined;
  return `${sign || signOfRest}${whole}.${rest.padStart(9, '0').replace(/(?<=..)0+$/, '')}`;
}

const unitName = /^((amounts?|currency|money)_)?units?$|^amounts?_in$/;
const minorFlag = /^(amounts?_)?(is_|in_)?(minor(_units?)?|cents)$/;

/** Returns the unit of amounts that members beside them state. */
function readUnit(members: readonly (readonly [name: string, value: unknown])[]): Amount['unit'] {
  for (const [name, value] of members) {
    const snake = toSnake(name);
    // Not `decimals`, which can be those of a text.
    const isExponent = /^(amounts?_)?(exponent|scale)$/.test(snake) && Number.isInteger(value);
    if (isExponent && Number(value) >= 0 && Number(value) < 7) return Number(value);
    const [stated] = (unitName.test(snake) && /^"(minor|cents?"|major)/i.exec(JSON.stringify(value))) || [];
    if (stated) return /major/i.test(stated) ? 'units' : 'minor';
    if (value === true && minorFlag.test(snake)) return 'minor';
  }
  return undefined;
}

/** The facts about the unit of all amounts of a page whose rows state none. */
interface PageUnit {
  /** The unit that the page states or that known payments prove. */
  readonly assumed: Amount['unit'];
  /** Whether such an amount has a fraction, so that they are not in minor units. */
  readonly hasFraction: boolean;
}

/** Converts amounts in minor units. Amounts whose unit is unclear stay as received. */
function convertAmounts(
  drafts: readonly Draft[],
  source: AmountSource,
  known: KnownAmounts,
): readonly TransactionRow[] {
  const members = listEnvelope(source.body).filter(({ value }) => typeof value !== 'number');
  const stated = readUnit(members.map(({ path, value }) => [path.at(-1) ?? '', value]));
  const assumed = stated ?? learnUnit(drafts, known);
  const isOpen = ({ unit, owner }: Amount): boolean =>
    unit !== 'named' && Boolean(owner ?? unit ?? (assumed !== 'units' && assumed));
  const hasFraction = drafts.some((draft) =>
    draft.amounts.some((amount) => isOpen(amount) && readDigits(draft, amount, source).includes('.')),
  );
  return drafts.map((draft) => {
    const { currency } = draft.record;
    const moves = draft.amounts.map((amount) => findMove(amount, currency, { assumed, hasFraction }));
    return toRow(draft, moves, source);
  });
}

/** Returns the digits of an amount as received. */
function readDigits({ path }: Draft, { at, value }: Amount, source: AmountSource): string {
  const digits = digitsAt(source, [...path, ...at]);
  // A number with an exponent has no digits to move, and an amount of several parts no place.
  return digits === undefined || /e/i.test(digits) ? String(value) : digits;
}

/** Returns the number of digits by which the decimal point of an amount moves: 0 for an amount in units. */
function findMove(
  { unit: stated, owner, value }: Amount,
  currency: unknown,
  { assumed, hasFraction }: PageUnit,
): number | 'unclear' {
  let unit = stated ?? assumed ?? (owner ? 'unclear' : 'units');
  if (hasFraction && stated !== 'named') unit = assumed === 'minor' ? 'unclear' : 'units';
  const decimals = typeof unit === 'number' ? unit : decimalsOf(currency);
  if (unit === 'units' || decimals === 0 || !Number(value)) return 0;
  return unit === 'unclear' ? unit : (decimals ?? 'unclear');
}

/** Creates the row of a draft, with each amount moved by its number of digits. */
function toRow(draft: Draft, moves: readonly (number | 'unclear')[], source: AmountSource): TransactionRow {
  const { record, path, place, paymentIds, amounts, key = record.id as string | null } = draft;
  const unclear = amounts[moves.indexOf('unclear')];
  const names = Object.fromEntries(amounts.map(({ field, at }) => [field, at]));
  let position: Parameters<typeof readMoney>[0] = { record, source, path, names };
  if (moves.some(Number) || amounts.some(({ at }) => at.length === 0)) {
    // The digits of converted amounts are not those of the body.
    const texts = Object.fromEntries(
      amounts.map((amount, index) => {
        const text = readDigits(draft, amount, source);
        return [amount.field, Number(moves[index]) > 0 ? movePoint(text, Number(moves[index])) : text];
      }),
    );
    const exact = { ...source, texts, hasLongNumber: true };
    position = { record: { ...record, ...texts }, source: exact, path: [] };
  }
  return {
    transaction: readMoney<Transaction>(position, moneyFields) as Transaction,
    key,
    paymentIds,
    unclear: unclear && `${place}.${formatPath(unclear.at)}`,
  };
}

/**
 * Compares amounts with those of the payments that a client knows. Returns the unit that they prove, or `unclear` if an amount
 * is much larger than its payment, or if they prove both. A known unit stays known.
 */
function learnUnit(drafts: readonly Draft[], known: KnownAmounts): AmountUnit | undefined {
  let isOdd = false;
  for (const { record, paymentIds, amounts } of drafts) {
    const payment = paymentIds.length === 1 ? known.payments.get(paymentIds[0] ?? '') : undefined;
    const amount = amounts.find(({ field, unit }) => field === 'amount' && unit === undefined);
    // A fee in minor units can be as large as its payment, and so can a part of a refund.
    if (!payment || !amount || /fee|charge|refund|revers|return/i.test(JSON.stringify(record.type))) continue;
    const decimals = payment.from_currency === record.currency ? (decimalsOf(record.currency) ?? 0) : 0;
    if (decimals === 0) continue;
    const [shown, sent] = [Math.abs(Number(amount.value)), payment.send_amount];
    const isMinor = shown === Math.round(sent * 10 ** decimals);
    isOdd ||= shown > sent * 10 && !isMinor;
    if (shown !== sent && !isMinor) continue;
    const proven = isMinor ? 'minor' : 'units';
    known.unit = (known.unit ?? proven) === proven ? proven : 'unclear';
  }
  return known.unit ?? (isOdd ? 'unclear' : undefined);
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
