import type { Payment, SentFields } from '../models.ts';
import { type Account, locate, type Period } from './account.ts';
import { compareRecord, isSimilar, type Pairing, readAmount } from './compare.ts';
import type {
  Statement,
  StatementAgreement,
  StatementDifference,
  StatementPayment,
  StatementQuestion,
  StatementRecord,
} from './types.ts';

/** Records of equal fields, which nothing tells apart. The amount is in normal form. */
export interface Group {
  readonly records: readonly StatementRecord[];
  readonly fields: SentFields;
  readonly paymentId: string | undefined;
}

/** A group, and the payments that do not differ from it. */
interface Candidate extends Group {
  readonly fitting: ReadonlyMap<Payment, Pairing>;
}

/**
 * Pairs records with payments: first those that agree. Of the others, records that fit a payment are undecided, and a record
 * that is like one payment except for one thing differs. The rest is missing, or extra.
 */
export function pairRecords(
  groups: readonly Group[],
  account: Account,
  period: Period,
): Omit<Statement, 'unseen'> {
  const show = (payment: Payment): StatementPayment => ({ payment, refunds: account.listRefunds(payment) });
  const payments = [...account.payments.values()];
  const near = payments.filter((payment) => locate(payment, period) !== 'outside');
  const open = new Set(findCandidates(groups, near, account));
  const rivals = new Map<Payment, Set<Candidate>>(payments.map((payment) => [payment, new Set()]));
  for (const group of open) for (const payment of group.fitting.keys()) rivals.get(payment)?.add(group);
  const free = new Set(payments);
  const agreeing: StatementAgreement[] = [];
  // Each group that agrees leaves fewer payments to the others.
  for (let before = Infinity; open.size < before;) {
    before = open.size;
    for (const group of open) {
      const chosen = choosePayments(group, free, rivals, period);
      if (chosen.length === 0) continue;
      open.delete(group);
      for (const payment of group.fitting.keys()) rivals.get(payment)?.delete(group);
      for (const [index, [payment, { unconfirmed }]] of chosen.entries()) {
        free.delete(payment);
        agreeing.push({ record: group.records[index] as StatementRecord, unconfirmed, ...show(payment) });
      }
    }
  }

  const differing: StatementDifference[] = [];
  const missing: StatementRecord[] = [];
  const undecided: StatementQuestion[] = [];
  const linked = new Set<Payment>();
  const lone: Group[] = [];
  for (const group of open) {
    const fitting = [...group.fitting].filter(([payment]) => free.has(payment));
    if (fitting.length === 0) lone.push(group);
    else {
      const found = fitting.map(([payment]) => payment);
      for (const payment of found) linked.add(payment);
      const isAlone =
        found.length === group.records.length && found.every((one) => rivals.get(one)?.size === 1);
      const isProven = fitting.every(([, pairing]) => pairing.isProven);
      const reason = isAlone ? (isProven ? 'outside_period' : 'unconfirmed') : 'twins';
      undecided.push({ reason, records: group.records, payments: found.map(show) });
    }
  }

  const left = near.filter((payment) => free.has(payment));
  const similar = lone.map((group) => {
    const { fields, paymentId } = group;
    const isLike = (payment: Payment): boolean => isSimilar(compareRecord(fields, payment));
    return { ...group, found: paymentId === undefined ? left.filter(isLike) : getNamed(group, account) };
  });
  const uses = groupBy(
    similar.flatMap(({ found }) => found),
    (payment) => payment,
  );
  for (const { records, fields, paymentId, found } of similar) {
    const [record, payment] = [records[0], found[0]];
    const others = payment ? compareRecord(fields, payment).differing : [];
    const isOnly = found.length === 1 && records.length === 1 && others.length > 0;
    const isShared = payment !== undefined && (linked.has(payment) || uses.get(payment)?.length !== 1);
    if (record && payment && isOnly && (paymentId !== undefined || !isShared))
      differing.push({ record, fields: others, ...show(payment) });
    else if (payment) undecided.push({ reason: 'similar', records, payments: found.map(show) });
    else if (account.canHide(fields)) undecided.push({ reason: 'unseen', records, payments: [] });
    else missing.push(...records);
  }
  const isOfPeriod = (payment: Payment): boolean =>
    [payment, ...account.listRefunds(payment)].some((one) => /inside|unclear/.test(locate(one, period)));
  const extra = payments.filter(
    (payment) => free.has(payment) && !linked.has(payment) && !uses.has(payment) && isOfPeriod(payment),
  );
  return { agreeing, differing, missing, extra: extra.map(show), undecided };
}

/** Finds the payments that do not differ from each group. Those of payment ids come first. */
function findCandidates(
  groups: readonly Group[],
  near: readonly Payment[],
  account: Account,
): readonly Candidate[] {
  const byAmount = groupBy(near, readAmount);
  const withId = groups.filter(({ paymentId }) => paymentId !== undefined);
  return [...new Set([...withId, ...groups])].map((group) => {
    const { fields, paymentId } = group;
    const ofAmount = [...(byAmount.get(fields.amount) ?? []), ...(byAmount.get(undefined) ?? [])];
    const possible = paymentId === undefined ? ofAmount : getNamed(group, account);
    const pairings = possible.map((payment) => [payment, compareRecord(fields, payment)] as const);
    return { ...group, fitting: new Map(pairings.filter(([, { differing }]) => differing.length === 0)) };
  });
}

/** Returns the payment of the group's id, if the account has it. */
function getNamed({ paymentId = '' }: Group, { payments }: Account): readonly Payment[] {
  const payment = payments.get(paymentId);
  return payment ? [payment] : [];
}

/** Returns as many payments as the group has records, if they are proven and fit no other group; else none. */
function choosePayments(
  { records, paymentId, fitting }: Candidate,
  free: ReadonlySet<Payment>,
  rivals: ReadonlyMap<Payment, ReadonlySet<Candidate>>,
  period: Period,
): readonly (readonly [Payment, Pairing])[] {
  const all = [...fitting].filter(([payment]) => free.has(payment));
  const isInside = ([payment]: readonly [Payment, Pairing]): boolean => locate(payment, period) === 'inside';
  const equal = all.filter((one) => isInside(one) && one[1].unconfirmed.length === 0);
  const chosen = equal.length === records.length ? equal : all;
  const isCertain = chosen.every((one) => one[1].isProven && isInside(one) && rivals.get(one[0])?.size === 1);
  return chosen.length === records.length && (isCertain || paymentId !== undefined) ? chosen : [];
}

/** Groups values by a key. `Map.groupBy` needs Node 21. */
export function groupBy<K, T>(values: Iterable<T>, toKey: (value: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const key = toKey(value);
    groups.set(key, groups.get(key) ?? []);
    groups.get(key)?.push(value);
  }
  return groups;
}
