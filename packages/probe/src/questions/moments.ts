// The moments of payments that leave rows in the list, with the values that their rows can show.
import { type JsonObject, type Micro, toMicro } from '@service/internal';
import { listWallets, modeOf, readBalance } from '../call.ts';
import { type Fact, type Facts, textFact } from '../example.ts';
import { isEnded } from '../follow.ts';
import { type Movement, readMovements } from '../movements.ts';
import { type Arrival, listAllRows, listArrivals } from '../rows.ts';
import { isDebitedAtCreate } from './payments.ts';
import { type Payment, perSeen, type Seen } from '../seen.ts';
import { type Interval, readTime } from '../time.ts';

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
  /** The time within which its rows came. */
  readonly time: Interval;
}

const amount = (micro: Micro | undefined): Fact => ({ kind: 'amount', micro });

const hasFailed = ({ statuses }: Payment): boolean => statuses.includes('failed');

/** Sorts the rows of payments by the moments that left them. `strays` tells of rows that belong to none. */
export const readMoments: (seen: Seen) => {
  readonly moments: readonly Moment[];
  readonly strays: readonly string[];
} = perSeen((seen) => {
  const strays: string[] = [];
  const movements = new Map(readMovements(seen).map((one) => [one.payment.id, one]));
  const groups: Group[] = [];
  const hasNoCreate = isDebitedAtCreate(seen);
  const ended = seen.payments.filter(({ statuses }) => isEnded(statuses.at(-1)));
  const isWatchedPayment = (payment: Payment): boolean =>
    payment.reads.length >= 3 &&
    listArrivals(seen, payment).every(({ shown }) => shown && shown[1] - shown[0] < WATCHED);
  /** The fewest rows that payments leave before they complete, and the moments of rows by their place. */
  let fewest = 0;
  const usual = new Map<string, MomentName>();
  for (const payment of ended.toSorted((a, b) => Number(hasFailed(a)) - Number(hasFailed(b)))) {
    const arrivals = listArrivals(seen, payment);
    const isWatched = isWatchedPayment(payment);
    if (!isWatched && ended.some((one) => hasFailed(one) === hasFailed(payment) && isWatchedPayment(one)))
      continue;
    const movement = movements.get(payment.id);
    const events = listEvents(payment, movement);
    const byName = new Map<MomentName, Arrival[]>();
    for (const [index, arrival] of arrivals.entries()) {
      // One that fails leaves these too.
      const isFirst = hasFailed(payment) && index < fewest;
      const found = isWatched ? findMoment(events, arrival, isFirst) : undefined;
      const key = `${hasFailed(payment) && !isFirst} ${index}`;
      if (found === undefined)
        strays.push(`the time of a row of ${String(payment.create.sent.amount)} tells no status`);
      else usual.set(key, found);
      const likely = found ?? usual.get(key) ?? (hasFailed(payment) && !isFirst ? 'refund' : 'create');
      const name = likely === 'create' && hasNoCreate ? 'debit' : likely;
      byName.set(name, [...(byName.get(name) ?? []), arrival]);
    }
    const before = [...(byName.get('create') ?? []), ...(byName.get('debit') ?? [])].length;
    if (!hasFailed(payment)) fewest = fewest === 0 ? before : Math.min(fewest, before);
    // One that completes without a row has a completion with none.
    if (payment.statuses.includes('completed') && !byName.has('completion')) byName.set('completion', []);
    const { create, watchedUntil } = payment;
    for (const [name, own] of byName) {
      const [, event = [create.start, create.end]] = events.find(([each]) => each === name) ?? [];
      const time: Interval = isWatched ? event : [create.start, watchedUntil];
      groups.push({ name, payment, movement, arrivals: own, time });
    }
  }
  const isOnTop = seen.quotes.map(modeOf).find((mode) => mode !== undefined) === 'onTop';
  const balances = runBalances(groups, seen, isOnTop);
  const idName = findIdName(seen);
  const moments = groups.map((group): Moment => ({
    name: group.name,
    of: String(group.payment.create.sent.amount),
    rows: group.arrivals.map((arrival) => ({
      json: arrival.row,
      facts: {
        ...readId(arrival, idName),
        ...readFacts(group, balances.get(group), isOnTop),
        ...readTimes(group),
      },
    })),
  }));
  return { moments: [...moments, ...readDeposits(seen, idName)], strays };
});

/** The longest time between two lists for rows that are told apart by their times, in milliseconds. */
const WATCHED = 2_000;

/** The time by which a row can come later than the status that the reads show, in milliseconds. */
const LATE = 400;

/** Returns the times of the moments of a payment. Of several that fit a row, the first one left it: those that move money. */
function listEvents(
  { create, changes }: Payment,
  movement: Movement | undefined,
): (readonly [MomentName, Interval | undefined])[] {
  const changeOf = (status: string): Interval | undefined => {
    const change = changes.find((one) => one.status === status);
    return change && [change.from, change.to];
  };
  const failed = changeOf('failed');
  const refunded = Math.max(failed?.[1] ?? 0, movement?.refunded?.[1] ?? 0);
  return [
    [movement?.refund === undefined ? 'failure' : 'refund', failed && [failed[0], refunded]],
    ['debit', movement?.debited],
    ['completion', changeOf('completed')],
    // Reads of payments, the balance and the list can be late by the same time.
    ['create', [create.start, Math.max(create.end, changes[0]?.to ?? 0)]],
  ];
}

/** Finds the moment of a row. */
function findMoment(
  events: ReturnType<typeof listEvents>,
  { shown: [from, to] = [0, 0] }: Arrival,
  isFirst: boolean,
): MomentName | undefined {
  const near = events.flatMap(([name, time]) =>
    time && time[0] <= to && time[1] + LATE >= from ? [name] : [],
  );
  const first = near.find((name) => name === 'debit' || name === 'create');
  return isFirst ? (first ?? near[0]) : near[0];
}

/** The balance before and after each group that moves money, in the order of the rows. */
function runBalances(groups: readonly Group[], seen: Seen, isOnTop: boolean) {
  const balances = new Map<Group, readonly [Micro, Micro]>();
  const current = new Map<string, Micro>();
  const [start] = seen.balances;
  const placeOf = ({ arrivals }: Group): number => arrivals[0]?.place ?? Infinity;
  for (const group of groups.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const { currency } = group.payment;
    const before = current.get(currency) ?? (start && readBalance(start, currency));
    const moved = /^(?:debit|refund)$/.test(group.name) ? readMove(group, isOnTop).moved : 0n;
    if (before === undefined) continue;
    current.set(currency, before + moved);
    balances.set(group, [before, before + moved]);
  }
  return balances;
}

/** Returns the debit of a payment, and the amount by which a moment changes the balance. If no read shows them, they follow from quotes. */
function readMove({ name, payment: { send }, movement }: Group, isOnTop: boolean) {
  const { fee = 0n, refund } = movement ?? {};
  const { debit = isOnTop ? send + fee : send } = movement ?? {};
  return { debit, moved: name === 'refund' ? (refund ?? debit) : -debit };
}

/** Matches the name of a field whose number identifies a row. */
const numberName = /^(?:id|number|no|seq|sequence|entry_?(?:id|no|number)|transaction_?id)$/i;

/** Returns the name of the field that identifies a row: its values are all different, and no amounts, times or payments. */
function findIdName(seen: Seen): string | undefined {
  const rows = listAllRows(seen);
  const ids = new Set<unknown>(seen.payments.map(({ id }) => id));
  return Object.keys(rows[0] ?? {}).find((name) => {
    const values = rows.map((row) => row[name]);
    const isId = (value: unknown): boolean =>
      typeof value === 'string'
        ? /^[\w-]+$/.test(value) && !ids.has(value) && toMicro(value) === undefined
        : Number.isInteger(value) && numberName.test(name);
    return values.length > 1 && values.every(isId) && new Set(values).size === rows.length;
  });
}

function readId({ row, place }: Pick<Arrival, 'row' | 'place'>, name: string | undefined): Facts {
  const value = name === undefined ? undefined : row[name];
  return {
    ...(typeof value === 'string' && { id: textFact(value) }),
    number: { kind: 'count', count: typeof value === 'number' ? value : place + 1 },
  };
}

/** Returns the values that a row of a payment can show, the likely ones first. */
function readFacts(group: Group, balance: readonly [Micro, Micro] | undefined, isOnTop: boolean): Facts {
  const { name, payment, movement } = group;
  const { create, changes, send } = payment;
  const { data } = create.response;
  const { sent } = create;
  const { fee } = movement ?? {};
  const { debit, moved } = readMove(group, isOnTop);
  const net = fee === undefined ? undefined : send - fee;
  const [before, after] = balance ?? [];
  const feeMoved = fee && (name === 'refund' ? fee : -fee);
  return {
    payment_id: textFact(payment.id),
    status: textFact(changes.at(-1)?.status),
    currency: textFact(payment.currency),
    amount: amount(moved),
    fee: amount(fee),
    net: amount(net),
    debit: amount(debit),
    send_amount: amount(send),
    receive_amount: amount(toMicro(data.receive_amount)),
    rate: amount(toMicro(data.rate)),
    balance_after: amount(after),
    balance_before: amount(before),
    balance_after_fee: amount(before !== undefined && feeMoved ? before + feeMoved : undefined),
    balance_before_fee: amount(after !== undefined && feeMoved ? after - feeMoved : undefined),
    purpose: textFact(sent.purpose),
    from_currency: textFact(sent.from_currency),
    to_currency: textFact(sent.to_currency),
    beneficiary_name: textFact(sent.beneficiary_name),
    beneficiary_bank: textFact(sent.beneficiary_bank),
    beneficiary_account: textFact(sent.beneficiary_account),
    beneficiary_country: textFact(sent.beneficiary_country),
    mode: textFact('test'),
  };
}

/** The precision of times in whole seconds, and the time of a request, in milliseconds. */
const PRECISION = 1_100;

/** The time of the payment is that of the service; the time of a moment follows from it and from the reads. */
function readTimes({ payment: { create }, time: [from, to] }: Group): Facts {
  const created = readTime(create.response.data.created_at);
  if (created === undefined) return {};
  const offset = created - create.start;
  return {
    created_at: { kind: 'time', from: Math.min(from, to) + offset - PRECISION, to: to + offset + PRECISION },
    payment_created_at: { kind: 'time', from: created - 999, to: created },
  };
}

/** The rows that no payment left. Their amounts are the numbers of the field that adds up to the first balance. */
function readDeposits(seen: Seen, idName: string | undefined): Moment[] {
  const [first] = seen.balances;
  const isOfPayment = (row: JsonObject): boolean => {
    const shown = JSON.stringify(row);
    return /pay_(?:test|live)_/.test(shown) || seen.payments.some(({ id }) => shown.includes(id));
  };
  const all = listAllRows(seen).map((row, place) => ({ row, place }));
  return listWallets(first).flatMap((currency) => {
    const own = all.filter(({ row }) => Object.values(row).includes(currency) && !isOfPayment(row));
    const balance = first && readBalance(first, currency);
    // Some fields count hundredths.
    const amounts = Object.keys(own[0]?.row ?? {})
      .flatMap((name) => [1n, 100n].map((units) => own.map(({ row }) => (toMicro(row[name]) ?? 0n) / units)))
      .find((shown) => add(shown) === balance);
    return own.map((one, index): Moment => {
      const facts: Facts = {
        ...readId(one, idName),
        currency: textFact(currency),
        payment_id: textFact(undefined),
        purpose: textFact(undefined),
        status: textFact('completed'),
        amount: amount(amounts?.[index]),
        balance_after: amount(amounts && add(amounts.slice(0, index + 1))),
        created_at: { kind: 'time', from: 0, to: seen.until + 86_400_000 },
        mode: textFact('test'),
      };
      return { name: 'deposit', of: currency, rows: [{ json: one.row, facts }] };
    });
  });
}

const add = (amounts: readonly Micro[]): Micro => amounts.reduce((sum, one) => sum + one, 0n);
