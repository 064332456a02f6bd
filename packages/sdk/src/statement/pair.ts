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

/** The groups and payments that do not agree so far. */
interface Undecided {
  readonly open: Set<Candidate>;
  readonly free: Set<Payment>;
  /** The open groups that each payment fits. */
  readonly rivals: ReadonlyMap<Payment, Set<Candidate>>;
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
  const state = { open, free: new Set(payments), rivals };
  const agreeing = takeAgreeing(state, period).map(({ payment, ...rest }) => ({ ...rest, ...show(payment) }));

  const differing: StatementDifference[] = [];
  const missing: StatementRecord[] = [];
  const undecided: StatementQuestion[] = [];
  /** The payments that records may have, with the number of these. */
  const uses = new Map<Payment, number>();
  const ask = (
    reason: StatementQuestion['reason'],
    { records }: Group,
    found: readonly Payment[] = [],
  ): void => void undecided.push({ reason, records, payments: found.map(show) });
  const use = (found: readonly Payment[]): void => {
    for (const payment of found) uses.set(payment, (uses.get(payment) ?? 0) + 1);
  };

  const lone: Group[] = [];
  for (const group of open) {
    const found = listFree(group, state);
    use(found);
    if (found.length === 0) lone.push(group);
    else ask(findReason(group, found, state), group, found);
  }
  const left = near.filter((payment) => state.free.has(payment));
  const similar = lone.map((group) => ({ ...group, found: listSimilar(group, left, account) }));
  for (const { found } of similar) use(found);
  for (const { found, ...group } of similar) {
    const { fields, paymentId, records } = group;
    const [record, payment] = [records[0], found[0]];
    const others = payment ? compareRecord(fields, payment).differing : [];
    const isPair = found.length === 1 && records.length === 1 && others.length > 0;
    if (record && payment && isPair && (paymentId !== undefined || uses.get(payment) === 1))
      differing.push({ record, fields: others, ...show(payment) });
    else if (payment) ask('similar', group, found);
    else if (account.canHide(fields)) ask('unseen', group);
    else missing.push(...records);
  }
  const isOfPeriod = (payment: Payment): boolean =>
    [payment, ...account.listRefunds(payment)].some((one) => /inside|unclear/.test(locate(one, period)));
  const extra = [...state.free].filter((payment) => !uses.has(payment) && isOfPeriod(payment));
  return { agreeing, differing, missing, extra: extra.map(show), undecided };
}

/** Finds the payments that do not differ from each group. Groups with a payment id come first. */
function findCandidates(groups: readonly Group[], near: readonly Payment[], account: Account): Candidate[] {
  const byAmount = groupBy(near, readAmount);
  const withId = groups.filter(({ paymentId }) => paymentId !== undefined);
  return [...new Set([...withId, ...groups])].map((group) => {
    const { fields, paymentId } = group;
    const ofAmount = [...(byAmount.get(fields.amount) ?? []), ...(byAmount.get(undefined) ?? [])];
    const possible = paymentId === undefined ? ofAmount : listNamed(paymentId, account);
    const pairings = possible.map((payment) => [payment, compareRecord(fields, payment)] as const);
    return { ...group, fitting: new Map(pairings.filter(([, { differing }]) => differing.length === 0)) };
  });
}

/** Takes the groups that agree. Each of them leaves fewer payments to the others. */
function takeAgreeing(state: Undecided, period: Period) {
  const { open, free, rivals } = state;
  const agreeing: Pick<StatementAgreement, 'record' | 'payment' | 'unconfirmed'>[] = [];
  for (let before = Infinity; open.size < before;) {
    before = open.size;
    for (const group of open) {
      const { records, fitting } = group;
      const chosen = choosePayments(group, state, period);
      if (chosen.length === 0) continue;
      open.delete(group);
      for (const payment of fitting.keys()) rivals.get(payment)?.delete(group);
      for (const payment of chosen) free.delete(payment);
      for (const [index, record] of records.entries()) {
        const payment = chosen[index] as Payment;
        agreeing.push({ record, payment, unconfirmed: fitting.get(payment)?.unconfirmed ?? [] });
      }
    }
  }
  return agreeing;
}

/** Returns as many payments as the group has records, if they are proven and fit no other group; else none. */
function choosePayments(group: Candidate, state: Undecided, period: Period): readonly Payment[] {
  const { records, paymentId, fitting } = group;
  const isInside = (payment: Payment): boolean => locate(payment, period) === 'inside';
  const isWhole = (payment: Payment): boolean => fitting.get(payment)?.unconfirmed.length === 0;
  const all = listFree(group, state);
  const equal = all.filter((payment) => isInside(payment) && isWhole(payment));
  const chosen = equal.length === records.length ? equal : all;
  const isCertain = chosen.every(
    (payment) => isInside(payment) && fitting.get(payment)?.isProven && state.rivals.get(payment)?.size === 1,
  );
  return chosen.length === records.length && (isCertain || paymentId !== undefined) ? chosen : [];
}

/** Returns the reason for which a group does not agree with the payments that it fits. */
function findReason(
  { records, fitting }: Candidate,
  found: readonly Payment[],
  { rivals }: Undecided,
): StatementQuestion['reason'] {
  const isShared = found.some((payment) => rivals.get(payment)?.size !== 1);
  if (isShared || found.length !== records.length) return 'twins';
  return found.every((payment) => fitting.get(payment)?.isProven) ? 'outside_period' : 'unconfirmed';
}

function listFree({ fitting }: Candidate, { free }: Undecided): Payment[] {
  return [...fitting.keys()].filter((payment) => free.has(payment));
}

/** Returns the payment of the group's id, or else the payments that differ from it in one thing. */
function listSimilar(
  { fields, paymentId }: Group,
  left: readonly Payment[],
  account: Account,
): readonly Payment[] {
  if (paymentId !== undefined) return listNamed(paymentId, account);
  return left.filter((payment) => isSimilar(compareRecord(fields, payment)));
}

function listNamed(paymentId: string, { payments }: Account): readonly Payment[] {
  const payment = payments.get(paymentId);
  return payment ? [payment] : [];
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
