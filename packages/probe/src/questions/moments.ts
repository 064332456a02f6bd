// The moments of payments that leave rows in the list, with the values that their rows can show.
import { type JsonObject, type Micro, toMicro, toRecord } from '@service/internal';
import { listWallets, readBalance } from '../call.ts';
import { type Fact, type Facts, textFact } from '../example.ts';
import { type Movement, readMovements } from '../movements.ts';
import { type Arrival, listAllRows, listArrivals } from '../rows.ts';
import { isDebitedAtCreate } from './payments.ts';
import { type Payment, perSeen, type Seen } from '../seen.ts';
import { readTime } from '../time.ts';

/** The moments that can leave rows. */
export const momentNames = ['create', 'debit', 'completion', 'failure', 'refund', 'deposit'] as const;
type MomentName = (typeof momentNames)[number];

/** The rows that one moment of a payment, or a deposit, left. */
export interface Moment {
  readonly name: MomentName;
  /** Names the payment in a reason. */
  readonly of: string;
  readonly rows: readonly { readonly json: JsonObject; readonly facts: Facts }[];
}

interface Group {
  readonly name: MomentName;
  readonly payment: Payment;
  readonly movement: Movement | undefined;
  readonly arrivals: readonly Arrival[];
}

/** The moments of all payments, and the rows that belong to none. */
export interface Moments {
  readonly moments: readonly Moment[];
  readonly strays: readonly string[];
}

const amount = (micro: Micro | undefined): Fact | undefined =>
  micro === undefined ? undefined : { kind: 'amount', micro };

const hasFailed = ({ statuses }: Payment): boolean => statuses.includes('failed');

/** Sorts the rows of payments by the moments that left them. */
export const readMoments: (seen: Seen) => Moments = perSeen((seen) => {
  const strays: string[] = [];
  const movements = new Map(readMovements(seen).map((one) => [one.payment.id, one]));
  const groups: Group[] = [];
  const hasNoCreate = isDebitedAtCreate(seen);
  /** The fewest rows that payments leave before they complete. */
  let fewest = 0;
  for (const payment of seen.payments.toSorted((a, b) => Number(hasFailed(a)) - Number(hasFailed(b)))) {
    const arrivals = listArrivals(seen, payment);
    const isWatched = arrivals.every(({ shown }) => shown !== undefined && shown[1] - shown[0] < WATCHED);
    if (payment.reads.length < 3 || !isWatched) continue;
    const byName = new Map<MomentName, Arrival[]>();
    for (const arrival of arrivals) {
      // One that fails leaves these too.
      const isFirst = hasFailed(payment) && arrivals.indexOf(arrival) < fewest;
      const found = arrival.shown && findMoment(payment, arrival, movements.get(payment.id), isFirst);
      const name = found === 'create' && hasNoCreate ? 'debit' : found;
      if (name === undefined)
        strays.push(`a row of ${String(payment.create.sent.amount)} comes with no known status`);
      else byName.set(name, [...(byName.get(name) ?? []), arrival]);
    }
    const before = [...(byName.get('create') ?? []), ...(byName.get('debit') ?? [])].length;
    if (!hasFailed(payment)) fewest = fewest === 0 ? before : Math.min(fewest, before);
    for (const [name, own] of byName)
      groups.push({ name, payment, movement: movements.get(payment.id), arrivals: own });
    for (const name of payment.statuses.includes('completed') ? (['completion'] as const) : [])
      if (!byName.has(name)) groups.push({ name, payment, movement: undefined, arrivals: [] });
  }
  const balances = runBalances(groups, seen);
  const idName = findIdName(seen);
  const moments = groups.map((group): Moment => ({
    name: group.name,
    of: String(group.payment.create.sent.amount),
    rows: group.arrivals.map(({ row, place }) => ({
      json: row,
      facts: { ...readId(row, place, idName), ...readFacts(group, balances.get(group)) },
    })),
  }));
  return { moments: [...moments, ...readDeposits(seen, idName)], strays };
});

/** The longest time between two lists for rows that are told apart by their times, in milliseconds. */
const WATCHED = 2_000;

/** The time by which a row can come later than the status that the reads show, in milliseconds. */
const LATE = 400;

/**
 * Finds the moment of a row: the last event before it. An event that several names fit is the debit or the refund, which move
 * money.
 */
function findMoment(
  payment: Payment,
  { shown }: Arrival,
  movement: Movement | undefined,
  isFirst: boolean,
): MomentName | undefined {
  const [from, to] = shown as readonly [number, number];
  const changeOf = (status: string) => payment.changes.find((one) => one.status === status);
  const failed = changeOf('failed');
  const completed = changeOf('completed');
  const { create, changes } = payment;
  // Reads of payments, the balance and the list can be late by the same time.
  const first = changes[0];
  const events: (readonly [MomentName, number, number] | undefined)[] = [
    ['create', create.start, Math.max(create.end, first?.to ?? 0)],
    movement?.debited && (['debit', ...movement.debited] as const),
    completed && (['completion', completed.from, completed.to] as const),
    failed &&
      ([
        movement?.refund === undefined ? 'failure' : 'refund',
        failed.from,
        Math.max(failed.to, movement?.refunded?.[1] ?? 0),
      ] as const),
  ];
  const near = events
    .filter((event) => event !== undefined)
    .filter(([, start, end]) => start <= to && end + LATE >= from);
  const order: readonly MomentName[] = ['refund', 'failure', 'debit', 'completion', 'create'];
  const usual = order.filter((name) => near.some(([each]) => each === name));
  return (isFirst ? usual.find((name) => name === 'debit' || name === 'create') : undefined) ?? usual[0];
}

/** The balance before and after each group that moves money, in the order of the rows. */
function runBalances(groups: readonly Group[], seen: Seen) {
  const balances = new Map<Group, readonly [Micro, Micro]>();
  const current = new Map<string, Micro>();
  const firstList = seen.lists.find((call) => call.query.get('per_page') === '100')?.order ?? 0;
  const start = seen.balances.findLast(({ order }) => order < firstList) ?? seen.balances[0];
  const placeOf = ({ arrivals }: Group): number => arrivals[0]?.place ?? Infinity;
  for (const group of groups.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const { name, payment, movement: { debit, refund } = {} } = group;
    const { currency } = payment;
    const before = current.get(currency) ?? (start && readBalance(start, currency));
    const moved = name === 'debit' ? debit && -debit : name === 'refund' ? refund : 0n;
    if (before === undefined || moved === undefined) continue;
    current.set(currency, before + moved);
    balances.set(group, [before, before + moved]);
  }
  return balances;
}

/** The fields that can identify a row. */
const idNames = ['id', 'uid', 'uuid', '_id', 'transaction_id', 'entry_id', 'number', 'no', 'seq', 'sequence'];

/** Returns the name of the field that identifies a row: its values are all different. */
function findIdName(seen: Seen): string | undefined {
  const rows = listAllRows(seen);
  return idNames.find((name) => {
    const values = rows.map((row) => row[name]).filter((value) => /^(?:string|number)$/.test(typeof value));
    return values.length > 1 && new Set(values).size === rows.length;
  });
}

function readId(row: JsonObject, place: number, name: string | undefined): Facts {
  const value = name === undefined ? undefined : row[name];
  return {
    ...(typeof value === 'string' && { id: textFact(value) }),
    number: { kind: 'count', count: typeof value === 'number' ? value : place + 1 },
  };
}

/** Returns the values that a row of a payment can show, the likely ones first. */
function readFacts({ name, payment, movement }: Group, balance: readonly [Micro, Micro] | undefined): Facts {
  const { create, changes, send } = payment;
  const { data } = create.response;
  const { sent } = create;
  const { fee, debit = send, refund } = movement ?? {};
  const net = fee === undefined ? undefined : send - fee;
  const [before, after] = balance ?? [];
  const beneficiary = toRecord(data.beneficiary);
  const moved = name === 'refund' ? (refund ?? debit) : -debit;
  const amounts = {
    amount: amount(moved),
    fee: amount(fee),
    net: amount(net),
    debit: amount(debit),
    send_amount: amount(send),
    receive_amount: amount(toMicro(data.receive_amount)),
    rate: amount(toMicro(data.rate)),
    balance_after: amount(after),
    balance_before: amount(before),
  };
  const known = Object.entries(amounts).filter((entry): entry is [string, Fact] => entry[1] !== undefined);
  return {
    payment_id: textFact(payment.id),
    status: textFact(changes.at(-1)?.status),
    currency: textFact(payment.currency),
    ...Object.fromEntries(known),
    ...readTimes(name, payment, movement),
    purpose: textFact(sent.purpose),
    from_currency: textFact(sent.from_currency),
    to_currency: textFact(sent.to_currency),
    beneficiary_name: textFact(sent.beneficiary_name ?? beneficiary.name),
    beneficiary_bank: textFact(sent.beneficiary_bank),
    beneficiary_account: textFact(sent.beneficiary_account),
    beneficiary_country: textFact(sent.beneficiary_country),
    mode: textFact('test'),
  };
}

/** The precision of times in whole seconds, and the time of a request, in milliseconds. */
const PRECISION = 1_100;

/** The time of the payment is that of the service; the time of a moment follows from it and from the reads. */
function readTimes(name: MomentName, { create, changes }: Payment, movement: Movement | undefined): Facts {
  const created = readTime(create.response.data.created_at);
  if (created === undefined) return {};
  const offset = created - create.start;
  const status = { completion: 'completed', failure: 'failed', refund: 'failed' }[name as string];
  const change = changes.find((one) => one.status === status);
  const shown = name === 'debit' ? movement?.debited : change && ([change.from, change.to] as const);
  const [from, to] = shown ?? [create.start, create.end];
  const created_at: Fact = {
    kind: 'time',
    from: Math.min(from, to) + offset - PRECISION,
    to: to + offset + PRECISION,
  };
  const payment_created_at: Fact = { kind: 'time', from: created - 999, to: created };
  return { created_at, payment_created_at };
}

/** The rows that no payment left, if they are the only deposit of each wallet: then the balance is their amount. */
function readDeposits(seen: Seen, idName: string | undefined): Moment[] {
  const [first] = seen.balances;
  const others = listAllRows(seen).flatMap((row, place) => {
    const shown = JSON.stringify(row);
    const isOfPayment =
      /pay_(?:test|live)_/.test(shown) || seen.payments.some(({ id }) => shown.includes(id));
    return isOfPayment ? [] : [{ row, place, shown }];
  });
  const deposits = listWallets(first).map((currency) => ({
    currency,
    own: others.filter(({ shown }) => shown.includes(`"${currency}"`)),
  }));
  if (others.length !== deposits.length || deposits.some(({ own }) => own.length !== 1)) return [];
  return deposits.flatMap(({ currency, own }) => {
    const balance = amount(first && readBalance(first, currency));
    const facts: Facts = {
      currency: textFact(currency),
      payment_id: textFact(undefined),
      purpose: textFact(undefined),
      status: textFact('completed'),
      ...(balance && { amount: balance, balance_after: balance }),
      balance_before: { kind: 'amount', micro: 0n },
      created_at: { kind: 'time', from: 0, to: seen.until + 86_400_000 },
      mode: textFact('test'),
    };
    return own.map(({ row, place }): Moment => ({
      name: 'deposit',
      of: currency,
      rows: [{ json: row, facts: { ...readId(row, place, idName), ...facts } }],
    }));
  });
}
