import {
  isRecord,
  type JsonObject,
  type RowTemplate,
  type Template,
  toMicro,
  toRecord,
} from '@service/internal';
import { type DefaultForms, isWord, type Known, type KnownValues, readTime, type Sample } from './known.ts';
import { listLeaves } from './json.ts';
import { learnTemplate } from './learn.ts';
import { textOf } from './values.ts';

/** A payment of the probe and its status when the rows were read. */
export interface PaymentOfRows {
  readonly known: KnownValues;
  readonly status: string;
}

/** The templates of rows, and the fields that they do not explain. */
interface LearnedRows {
  readonly templates: readonly RowTemplate[];
  readonly unexplained: readonly string[];
}

type Kind = Exclude<RowTemplate['of'], 'any'>;

/**
 * Learns the templates of the rows of a history, the newest first. Rows of the payments are recognized by their id or purpose;
 * rows of other movements have the fields of these rows.
 */
export function learnRows(
  rows: readonly JsonObject[],
  payments: readonly PaymentOfRows[],
  { running, idName, ...forms }: DefaultForms & { readonly running: string; readonly idName: string },
): LearnedRows | undefined {
  const byKind = new Map<Kind, Sample[]>();
  const others: JsonObject[] = [];
  const debited = new Set<PaymentOfRows>();
  const sorted = sortByTime(rows).map((row) => {
    const payment = payments.find(({ known }) => namesPayment(row, known));
    const kind = payment && kindOf(row, payment, debited.has(payment));
    if (kind === 'payment' && payment) debited.add(payment);
    return { row, payment, kind };
  });
  const returned = sorted.flatMap(({ payment, kind }) =>
    kind === 'refund' && payment?.status === 'completed' ? [payment] : [],
  );
  for (const { row, payment, kind } of sorted) {
    if (payment === undefined || kind === undefined) others.push(row);
    else if (!returned.includes(payment)) {
      const known = {
        ...rowValues(row, kind, payment),
        ...readRunning(row, running, payment),
        ...readRowId(row[idName]),
      };
      byKind.set(kind, [...(byKind.get(kind) ?? []), { json: row, known }]);
    }
  }
  const own = byKind.get('payment');
  if (own === undefined) return undefined;
  const unexplained = new Set(returned.map(() => 'rows of payments that are completed and returned'));
  const learnRow = (samples: readonly Sample[]): Template => {
    const isOne = samples.length === 1 && samples !== own;
    const row = learnTemplate(samples, { ...forms, time: 'created_at', isOne });
    if (!isRecord(row.template)) return row.template;
    const counting = row.unexplained.filter((name) => isCounting(samples, name));
    for (const field of row.unexplained)
      if (field !== idName && !counting.includes(field)) unexplained.add(field);
    const id = toRecord(samples[0]?.json)[idName];
    // The form of an id is another setting.
    const form = typeof id === 'number' ? '{number}' : '{id}';
    const shown = { [idName]: row.template[idName] === '{payment_id}' ? '{payment_id}' : form };
    const numbers = Object.fromEntries(
      counting.map((name) => [name, isText(samples, name) ? '{number text}' : '{number}']),
    );
    // The id of a row is its first field.
    return { ...(id !== undefined && shown), ...row.template, ...numbers, ...(id !== undefined && shown) };
  };
  const payment = learnRow(own);
  const learned = [...byKind].map(([of, samples]) => ({ of, row: learnRow(samples) }));
  const names = new Set(own.flatMap(({ json }) => Object.keys(json as object)));
  const isSimilar = (row: JsonObject): boolean => {
    const fields = Object.keys(row);
    return fields.filter((name) => names.has(name)).length >= fields.length / 2;
  };
  const deposits = others.filter((row) => isSimilar(row) && !/pay_(?:test|live)_/.test(JSON.stringify(row)));
  const rest: RowTemplate[] = deposits.length === 0 ? [] : [{ of: 'any', row: adapt(payment, deposits) }];
  return { templates: [...learned, ...rest], unexplained: [...unexplained] };
}

/** Returns the rows of the page with the most rows: no row is listed twice in it. */
export function longestOf(pages: readonly { readonly rows: readonly JsonObject[] }[]): readonly JsonObject[] {
  return pages.map(({ rows }) => rows).toSorted((one, two) => two.length - one.length)[0] ?? [];
}

/** Returns the field with the id of a row, whatever its name: `id`, or the first one whose values are all different. */
export function findRowId(rows: readonly JsonObject[]): string {
  const isId = (name: string): boolean => {
    const ids = rows.map(({ [name]: id }) => (typeof id === 'string' || typeof id === 'number' ? id : ''));
    return new Set(ids).size === rows.length && !ids.some((id) => /^(?:pay_.*|)$/.test(String(id)));
  };
  const names = Object.keys(rows[0] ?? {});
  return names.includes('id')
    ? 'id'
    : (names.find((name) => /(?:_id|Id|uuid)$/.test(name) && isId(name)) ?? 'id');
}

/** Returns the values with which other fields of a row show its id. Those of a payment have another one. */
function readRowId(id: unknown): KnownValues {
  if (typeof id === 'number') return { number: textOf(String(id)) };
  return typeof id === 'string' && !id.startsWith('pay_') ? { id: textOf(id) } : {};
}

/** The greatest step of a number that counts the rows of an account, also those of other payments. */
const MAX_STEP = 100;

const isText = ([first]: readonly Sample[], name: string): boolean =>
  typeof toRecord(first?.json)[name] === 'string';

/** Returns whether a field has numbers that count rows, from the oldest to the newest one. */
function isCounting(samples: readonly Sample[], name: string): boolean {
  const numbers = samples.map(({ json }) => toRecord(json)[name]);
  return (
    numbers.length > 1 &&
    numbers.every((number, index) => {
      const step = Number(number) - Number(numbers[index - 1]);
      return /^\d+$/.test(String(number)) && (index === 0 || (step > 0 && step <= MAX_STEP));
    })
  );
}

/** The fewest rows that show a running balance, and the share of steps that fit. */
const [MIN_STEPS, FITTING] = [3, 0.75];

/** Returns the field with the balance after each row: it differs from that of another row by an amount of the row. */
export function findRunning(rows: readonly JsonObject[]): string {
  const running = Object.keys(rows[0] ?? {}).find((name) => {
    if (isNumbering(rows.map((row) => row[name]))) return false;
    const balances = new Set(rows.map((row) => `${String(row.currency)} ${listSizes(row[name])[0]}`));
    const steps = rows.slice(0, -1).flatMap(({ [name]: shown, ...others }) => {
      const [now] = listSizes(shown);
      if (now === undefined) return [];
      const sizes = listSizes(others).filter((size) => size !== 0n);
      const isOfRow = (micro: bigint): boolean => balances.has(`${String(others.currency)} ${now + micro}`);
      return [sizes.some((size) => isOfRow(size) || isOfRow(-size))];
    });
    const count = steps.filter(Boolean).length;
    return count >= MIN_STEPS && count >= FITTING * steps.length;
  });
  return running ?? '';
}

/** Returns whether values number the rows. */
const isNumbering = (values: readonly unknown[]): boolean =>
  values.slice(1).every((value, index) => Math.abs(Number(value) - Number(values[index])) === 1);

/** Returns the balance after a row, which is in hundredths if its amounts are. */
function readRunning(row: JsonObject, name: string, { known }: PaymentOfRows): KnownValues {
  const { [name]: shown, ...others } = row;
  const sizes = listSizes(others);
  const isCents = [known.debit, known.send_amount, known.fee].some(
    (each) => each?.kind === 'amount' && each.micro > 0n && sizes.includes(each.micro * 100n),
  );
  const [balance] = listSizes(shown);
  if (balance === undefined) return {};
  return { balance_after: { kind: 'amount', micro: isCents ? balance / 100n : balance } };
}

/** Returns the times of a row at any depth. */
const listTimes = (row: unknown): number[] => listLeaves(row).flatMap(([, value]) => readTime(value) ?? []);

/** Returns rows with the oldest one first. Rows without times are in the order of the list, whose first one is the newest. */
function sortByTime(rows: readonly JsonObject[]): readonly JsonObject[] {
  const [first = 0, last = 0] = [rows[0], rows.at(-1)].map((row) => listTimes(row)[0] ?? 0);
  return first >= last ? rows.toReversed() : rows;
}

/** Returns whether a row contains the id or the purpose of a payment. */
export function namesPayment(row: JsonObject, { id, purpose }: KnownValues): boolean {
  const json = JSON.stringify(row);
  return [id, purpose].some((each) => each?.kind === 'text' && !!each.text && json.includes(each.text));
}

/** Returns whether a row contains a known amount, with or without its sign. */
function shows(row: JsonObject, known: Known | undefined): boolean {
  if (known?.kind !== 'amount' || known.micro === 0n) return false;
  return listSizes(row).some((size) => size === known.micro || size === known.micro * 100n);
}

/** Returns the sizes of the numbers of a row at any depth, except its ids. */
const listSizes = (row: unknown): bigint[] =>
  listLeaves(row).flatMap(([path, value]) => {
    const micro = /(?:^|\.)id$/.test(path) ? undefined : toMicro(value);
    return micro === undefined ? [] : [micro < 0n ? -micro : micro];
  });

/** Returns the kind of a row of a payment: after the row of its debit, one with that amount returns the money. */
function kindOf(row: JsonObject, { known, status }: PaymentOfRows, isDebited: boolean): Kind {
  const words = JSON.stringify([row.type, row.kind, row.transaction_type]);
  if (/refund|return|revers|credit_back/i.test(words)) return 'refund';
  if (/fee|commission/i.test(words)) return 'fee';
  const isDebit = shows(row, known.send_amount) || shows(row, known.debit);
  if (!isDebit && shows(row, known.fee)) return 'fee';
  return isDebited && status === 'failed' ? 'refund' : 'payment';
}

/** Returns the values that a row of a kind can show. */
function rowValues(row: JsonObject, kind: Kind, { known, status }: PaymentOfRows): KnownValues {
  const { id, status: _, fee, purpose, from_currency, created_at, ...rest } = known;
  const { send_amount, debit = send_amount } = rest;
  const refunds = [send_amount, subtract(send_amount, fee), debit];
  const refund = refunds.find((each) => shows(row, each)) ?? debit;
  const own = kind === 'fee' ? fee : kind === 'refund' ? refund : debit;
  const micro = own?.kind === 'amount' ? own.micro : 0n;
  const values: Readonly<Record<string, Known | undefined>> = {
    amount: { kind: 'amount', micro: kind === 'refund' ? micro : -micro },
    type: textOf(kind),
    status: textOf(kind === 'payment' ? status : 'completed'),
    sign: textOf(kind === 'refund' ? '+' : '-'),
    currency: from_currency,
    payment_id: id,
    reference: purpose,
    created_at: findRowTime(row, known),
    payment_status: textOf(status),
    payment_created_at: created_at,
    [kind === 'payment' ? 'row_fee' : 'fee']: fee,
    from_currency,
    purpose,
    ...rest,
  };
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Known] => entry[1] !== undefined),
  );
}

function subtract(amount: Known | undefined, fee: Known | undefined): Known | undefined {
  if (amount?.kind !== 'amount' || fee?.kind !== 'amount') return undefined;
  return { kind: 'amount', micro: amount.micro - fee.micro };
}

/** Returns the time of a payment at which a row of it was written: the one next to the earliest time in the row. */
function findRowTime(row: JsonObject, known: KnownValues): Known | undefined {
  const earliest = Math.min(...listTimes(row));
  const times = ['created_at', 'processing_at', 'completed_at', 'failed_at'].flatMap((name) => {
    const time = known[name];
    return time?.kind === 'time' ? [time] : [];
  });
  if (earliest === Infinity) return known.created_at;
  return times.toSorted((a, b) => Math.abs(a.at - earliest) - Math.abs(b.at - earliest))[0];
}

/** The values that every row has, and those of payments that stand for them. */
const general: Readonly<Record<string, string>> = {
  send_amount: 'amount',
  debit: 'amount',
  from_currency: 'currency',
  payment_status: 'status',
};
const ofEveryRow = new Set(
  'id number amount currency created_at balance_after sign type status mode'.split(' '),
);

/** Adapts the template of payments to rows of other movements. Values that only payments have become those of the rows. */
function adapt(template: Template, rows: readonly JsonObject[]): Template {
  const fields = Object.keys(rows[0] ?? {}).flatMap((name): [string, Template][] => {
    const [values, own] = [rows.map((row) => row[name]), toRecord(template)[name] as Template | undefined];
    if (isRecord(own) && values.every(isRecord)) return [[name, adapt(own, values)]];
    const [value] = values;
    const isConstant = values.every((each) => each === value);
    const isShared = value === null || typeof value === 'boolean' || isWord(value);
    const literal: [string, Template][] = isConstant && isShared ? [[name, value as Template]] : [];
    const [, placeholder = ''] = typeof own === 'string' ? (/\{(\w+)/.exec(own) ?? []) : [];
    const row = general[placeholder] ?? placeholder;
    const isOwn = ['type', 'status', 'sign'].includes(row) && isConstant && value !== 'completed';
    if (!ofEveryRow.has(row) || value === null || isOwn || typeof own !== 'string') return literal;
    const kept = own.replace(`{${placeholder}`, `{${row}`);
    return [[name, row === 'amount' ? kept.replace(' negative', ' abs') : kept]];
  });
  return Object.fromEntries(fields);
}
