import {
  isRecord,
  type JsonObject,
  type RowTemplate,
  type Template,
  toMicro,
  toRecord,
} from '@service/internal';
import { readCountingIds } from './ids.ts';
import { type DefaultForms, type Known, type KnownValues, readTime } from './known.ts';
import { learnTemplate } from './learn.ts';
import type { Sample } from './sample.ts';

/** A payment of the probe and its status when the rows were read. */
export interface PaymentOfRows {
  readonly known: KnownValues;
  readonly status: string;
  /**
   * Whether no other payment of the probe has its amount.
   *
   * @default true
   */
  readonly isOnlyAmount?: boolean;
}

/** The templates of rows, and the fields that they do not explain. */
interface LearnedRows {
  readonly templates: readonly RowTemplate[];
  readonly unexplained: readonly string[];
}

type Kind = Exclude<RowTemplate['of'], 'any'>;

/**
 * Learns the templates of the rows of a history. Rows of the payments are recognized by their id, purpose, or amount
 * and time; rows of other movements have the fields of these rows.
 */
export function learnRows(
  rows: readonly JsonObject[],
  payments: readonly PaymentOfRows[],
  forms: DefaultForms,
): LearnedRows | undefined {
  const byKind = new Map<Kind, Sample[]>();
  const others: JsonObject[] = [];
  const unexplained = new Set<string>();
  const isLinked = rows.some((row) => payments.some(({ known }) => namesPayment(row, known)));
  // Without an id or a purpose, only an amount that no other payment has recognizes a row.
  const usable = isLinked ? payments : payments.filter(({ isOnlyAmount = true }) => isOnlyAmount);
  const running = findRunning(rows);
  const debited = new Set<PaymentOfRows>();
  for (const row of sortByTime(rows)) {
    const payment = usable.find(({ known }) => (isLinked ? namesPayment : hasFigures)(row, known));
    if (payment === undefined) others.push(row);
    else {
      const kind = kindOf(row, payment, debited.has(payment));
      if (kind === 'payment') debited.add(payment);
      const balance = toMicro(row[running ?? '']);
      const known = {
        ...rowValues(row, kind, payment),
        ...(balance !== undefined && { balance_after: { kind: 'amount', micro: balance } as const }),
      };
      byKind.set(kind, [...(byKind.get(kind) ?? []), { json: row, known }]);
    }
  }
  const own = byKind.get('payment');
  if (own === undefined) return undefined;
  const place = { forms, unexplained, counting: listCountingFields(rows) };
  const payment = learnRow(own, place);
  const learned = [...byKind].map(([of, samples]) => ({
    of,
    row: of === 'payment' ? payment : keepSafe(learnRow(samples, place), samples.length),
  }));
  const deposits = others.filter(
    (row) => isSimilar(row, own) && !/pay_(?:test|live)_/.test(JSON.stringify(row)),
  );
  const [deposit] = deposits;
  const rest = deposit === undefined || byKind.has('deposit') ? [] : [adapt(payment, deposits)];
  const templates = [...learned, ...rest.map((row): RowTemplate => ({ of: 'any', row }))];
  return { templates, unexplained: [...unexplained] };
}

/** Returns the field with the balance after each row: it differs from that of the row before by an amount of the row. */
function findRunning(rows: readonly JsonObject[]): string | undefined {
  const pairs = rows.slice(1).map((older, index) => [rows[index] as JsonObject, older] as const);
  return Object.keys(rows[0] ?? {}).find((name) => {
    const steps = pairs.flatMap(([newer, older]) => {
      const [now, before] = [toMicro(newer[name]), toMicro(older[name])];
      const isSame = newer.currency === older.currency;
      return isSame && now !== undefined && before !== undefined ? [{ newer, step: now - before }] : [];
    });
    const fitting = steps.filter(({ newer, step }) => {
      const { [name]: _, ...others } = newer;
      return listAmounts(others).some((micro) => micro !== 0n && (micro === step || micro === -step));
    });
    return fitting.length >= MIN_NUMBERED && fitting.length >= 0.9 * steps.length;
  });
}

function timeOf(row: JsonObject): number {
  return listTimes(row)[0] ?? 0;
}

/** Returns the times of a row at any depth. */
function listTimes(json: unknown): number[] {
  if (isRecord(json)) return Object.values(json).flatMap(listTimes);
  const time = readTime(json);
  return time === undefined ? [] : [time];
}

/** Returns rows with the oldest one first. Rows without times are in the order of the list, whose first one is the newest. */
function sortByTime(rows: readonly JsonObject[]): JsonObject[] {
  const [first, last] = [rows[0], rows.at(-1)];
  const isNewestFirst = first === undefined || last === undefined || timeOf(first) >= timeOf(last);
  return (isNewestFirst ? rows.toReversed() : [...rows]).toSorted((a, b) => timeOf(a) - timeOf(b));
}

interface RowPlace {
  readonly forms: DefaultForms;
  readonly unexplained: Set<string>;
  /** The fields that number the rows of the history. */
  readonly counting: ReadonlySet<string>;
}

function learnRow(samples: readonly Sample[], { forms, unexplained, counting }: RowPlace): Template {
  const { template, unexplained: unknown } = learnTemplate(samples, {
    ...forms,
    time: 'created_at',
    cases: rowCases,
    omits: true,
  });
  for (const field of unknown) if (field !== 'id' && !counting.has(field)) unexplained.add(field);
  if (!isRecord(template)) return template;
  // An id is on no other row, so that no known value matches it.
  const known = template as Readonly<Record<string, Template>>;
  const fields = Object.entries(toRecord(samples[0]?.json)).flatMap(([name, value]): [string, Template][] => {
    if (counting.has(name)) return [[name, typeof value === 'string' ? '{number text}' : '{number}']];
    if (name === 'id' && known.id !== '{payment_id}' && known.id !== '{id}')
      return [[name, learnRowId(samples.map(({ json }) => toRecord(json).id))]];
    return known[name] === undefined ? [] : [[name, known[name]]];
  });
  return {
    ...Object.fromEntries(fields),
    ...Object.fromEntries(Object.entries(known).filter(([name]) => fields.every(([each]) => each !== name))),
  };
}

/** The values on which the fields of a row can depend. */
const rowCases = ['payment_status', 'previous_status', 'purpose'] as const;

/** Minimum number of rows that show that a field numbers them. */
const MIN_NUMBERED = 3;

/** Returns the fields other than the id whose values number all rows, from the oldest one on. */
function listCountingFields(rows: readonly JsonObject[]): ReadonlySet<string> {
  const names = rows.length < MIN_NUMBERED ? [] : Object.keys(rows[0] ?? {});
  return new Set(names.filter((name) => name !== 'id' && isCounting(rows.map((row) => row[name]))));
}

function isCounting(values: readonly unknown[]): boolean {
  const areNext = values.every(
    (value, index) => index === 0 || Math.abs(Number(values[index - 1]) - Number(value)) === 1,
  );
  const areNumbers = values.every((value) => typeof value === 'number' || /^[1-9]\d*$/.test(String(value)));
  return areNext && areNumbers && new Set(values).size === values.length;
}

/** Returns the form of the ids of rows: numbers, also after a prefix, or other ids. */
function learnRowId(ids: readonly unknown[]): string {
  if (ids.every((id) => typeof id === 'number')) return '{number}';
  const counting = readCountingIds(ids.map(String));
  if (counting === undefined) return '{id}';
  const { prefix, digits } = counting;
  return `${prefix.replaceAll('{', '{{')}{number ${digits === undefined ? 'text' : `digits=${digits}`}}`;
}

/** Returns whether a row contains the id or the purpose of a payment. */
function namesPayment(row: JsonObject, known: KnownValues): boolean {
  const json = JSON.stringify(row);
  const names = [known.id, known.purpose];
  return names.some((each) => each?.kind === 'text' && !!each.text && json.includes(each.text));
}

/** Returns whether a row contains an amount and the time of a payment. */
function hasFigures(row: JsonObject, known: KnownValues): boolean {
  const created = known.created_at;
  const isNear = listTimes(row).some(
    (time) => created?.kind === 'time' && Math.abs(time - created.at) < NEAR_TIME,
  );
  return isNear && ['send_amount', 'debit', 'fee'].some((name) => shows(row, known[name]));
}

const NEAR_TIME = 60_000;

/** Returns whether a row contains a known amount, with or without its sign. */
export function shows(row: JsonObject, known: Known | undefined): boolean {
  if (known?.kind !== 'amount') return false;
  return listAmounts(row).some((micro) => {
    const size = micro < 0n ? -micro : micro;
    return size !== 0n && (size === known.micro || size === known.micro * 100n);
  });
}

/** Returns the numbers of a row at any depth, except its ids. */
function listAmounts(json: unknown): bigint[] {
  if (isRecord(json))
    return Object.entries(json).flatMap(([name, value]) => (name === 'id' ? [] : listAmounts(value)));
  const micro = toMicro(json);
  return micro === undefined ? [] : [micro];
}

/** Returns the kind of a row of a payment: after the row of its debit, one with that amount returns the money. */
function kindOf(row: JsonObject, { known, status }: PaymentOfRows, isDebited: boolean): Kind {
  const isRefund = /refund|return|revers|credit_back/i.test(
    JSON.stringify([row.type, row.kind, row.transaction_type]),
  );
  if (isRefund) return 'refund';
  const isDebit = shows(row, known.send_amount) || shows(row, known.debit);
  if (!isDebit && shows(row, known.fee)) return 'fee';
  return isDebited && status === 'failed' ? 'refund' : 'payment';
}

function text(value: string): Known {
  return { kind: 'text', text: value };
}

function named(name: string, value: Known | undefined): KnownValues {
  return value ? { [name]: value } : {};
}

/** Returns the values that a row of a kind can show. */
function rowValues(row: JsonObject, kind: Kind, { known, status }: PaymentOfRows): KnownValues {
  const { id, status: _, send_amount, debit, fee, purpose, from_currency, created_at, mode, ...rest } = known;
  const amount =
    kind === 'fee'
      ? fee
      : kind === 'payment'
        ? (debit ?? send_amount)
        : shows(row, send_amount)
          ? send_amount
          : debit;
  const micro = amount?.kind === 'amount' ? amount.micro : 0n;
  const signed: Known = { kind: 'amount', micro: kind === 'refund' ? micro : -micro };
  return {
    amount: signed,
    type: text(kind),
    status: text(kind === 'payment' ? status : 'completed'),
    sign: text(kind === 'refund' ? '+' : '-'),
    ...named('currency', from_currency),
    ...named('payment_id', id),
    ...named('reference', purpose),
    ...named('created_at', findRowTime(row, known)),
    payment_status: text(status),
    ...named('payment_created_at', created_at),
    ...named('send_amount', send_amount),
    ...named('debit', debit),
    ...named(kind === 'payment' ? 'row_fee' : 'fee', fee),
    ...named('from_currency', from_currency),
    ...named('mode', mode),
    ...named('purpose', purpose),
    ...rest,
  };
}

/** Returns the time of a payment at which a row of it was written: the one next to the earliest time in the row. */
function findRowTime(row: JsonObject, known: KnownValues): Known | undefined {
  const shown = listTimes(row);
  const earliest = Math.min(...shown);
  const times = ['created_at', 'processing_at', 'completed_at', 'failed_at'].flatMap((name) => {
    const time = known[name];
    return time?.kind === 'time' ? [{ time, distance: Math.abs(time.at - earliest) }] : [];
  });
  const [nearest] = times.toSorted((a, b) => a.distance - b.distance);
  return shown.length === 0 ? known.created_at : nearest?.time;
}

/** Returns whether a row has the fields of the rows of payments, so that their template fits it. */
function isSimilar(row: JsonObject, samples: readonly Sample[]): boolean {
  const names = new Set(samples.flatMap(({ json }) => Object.keys(json as object)));
  const own = Object.keys(row);
  return own.filter((name) => names.has(name)).length >= own.length / 2;
}

/** The values that every row has, and those of payments that stand for them. */
const general: Readonly<Record<string, string>> = {
  send_amount: 'amount',
  debit: 'amount',
  from_currency: 'currency',
  payment_status: 'status',
};
const ofEveryRow = new Set([
  'id',
  'number',
  'amount',
  'currency',
  'created_at',
  'balance_after',
  'sign',
  'type',
  'status',
  'mode',
]);

/** Adapts the template of payments to rows of other movements. Values that only payments have become those of the rows. */
function adapt(template: Template, rows: readonly JsonObject[]): Template {
  if (!isRecord(template)) return template;
  const names = Object.keys(rows[0] ?? {});
  const fields = names.flatMap((name) => {
    const values = rows.map((row) => row[name]);
    const value = adaptValue((template as Record<string, Template>)[name], values);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(fields);
}

/** Leaves out the constant values of a row that was seen once, except words. */
function keepSafe(template: Template, count: number): Template {
  if (count > 1 || !isRecord(template)) return template;
  const fields = Object.entries(template as Readonly<Record<string, Template>>).flatMap(([name, value]) => {
    const isSafe =
      typeof value === 'object' ||
      typeof value === 'boolean' ||
      WORD.test(String(value)) ||
      String(value).includes('{');
    return isSafe ? [[name, isRecord(value) ? keepSafe(value, count) : value] as const] : [];
  });
  return Object.fromEntries(fields);
}

/** A text that names a kind of rows, rather than one row. */
const WORD = /^[A-Za-z_ ]{1,32}$/;

/** Returns the template of a field of other rows. Undefined for a value that can be that of one row. */
function adaptValue(template: Template | undefined, values: readonly unknown[]): Template | undefined {
  const [value] = values;
  if (isRecord(template) && values.every(isRecord)) return adapt(template, values);
  const name = typeof template === 'string' ? /\{(\w+)/.exec(template)?.[1] : undefined;
  const isConstant = values.every((each) => JSON.stringify(each) === JSON.stringify(value));
  const isShared =
    isConstant &&
    (value === null || typeof value === 'boolean' || (typeof value === 'string' && WORD.test(value)));
  const literal = isShared ? (value as Template) : undefined;
  if (name === undefined || value === null) return literal;
  const row = general[name] ?? name;
  if (!ofEveryRow.has(row)) return literal;
  if (['type', 'status', 'sign'].includes(row) && isConstant && value !== 'completed')
    return value as Template;
  const kept = (template as string).replace(`{${name}`, `{${row}`);
  return row === 'amount' ? kept.replace(' negative', ' abs') : kept;
}
