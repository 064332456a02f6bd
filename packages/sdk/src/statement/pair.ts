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

/** The number of groups that may have each payment. */
type Counts = Map<Payment, number>;

function count(counts: Counts, found: Iterable<Payment>, change = 1): void {
  for (const payment of found) counts.set(payment, (counts.get(payment) ?? 0) + change);
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
  const near = [...account.payments.values()].filter((payment) => locate(payment, period) !== 'outside');
  const free = new Set(account.payments.values());
  const listFree = ({ fitting }: Candidate): Payment[] => [...fitting.keys()].filter((one) => free.has(one));
  const agreeing: StatementAgreement[] = [];
  const differing: StatementDifference[] = [];
  const missing: StatementRecord[] = [];
  const undecided: StatementQuestion[] = [];
  const ask = (
    reason: StatementQuestion['reason'],
    { records }: Group,
    found: readonly Payment[] = [],
  ): void => void undecided.push({ reason, records, payments: found.map(show) });

  let open = findCandidates(groups, near, account);
  const rivals: Counts = new Map();
  for (const { fitting } of open) count(rivals, fitting.keys());
  // Each group that agrees leaves fewer payments to the others.
  for (let before = Infinity; open.length < before;) {
    before = open.length;
    open = open.filter((group) => {
      const chosen = choosePayments(group, listFree(group), rivals, period);
      for (const [index, payment] of chosen.entries()) {
        const unconfirmed = group.fitting.get(payment)?.unconfirmed ?? [];
        agreeing.push({ record: group.records[index] as StatementRecord, unconfirmed, ...show(payment) });
        free.delete(payment);
      }
      if (chosen.length > 0) count(rivals, group.fitting.keys(), -1);
      return chosen.length === 0;
    });
  }

  const uses: Counts = new Map();
  for (const group of open) {
    const found = listFree(group);
    count(uses, found);
    if (found.length > 0) ask(findReason(group, found, rivals), group, found);
  }
  const left = near.filter((payment) => free.has(payment));
  const lone = open.filter((group) => listFree(group).length === 0);
  const similar = lone.map((group) => ({ ...group, found: listSimilar(group, left, account) }));
  for (const { found } of similar) count(uses, found);
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
  const extra = [...free].filter((payment) => !uses.has(payment) && isOfPeriod(payment));
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

/** Returns as many of the free payments as the group has records, if they are proven and fit no other group; else none. */
function choosePayments(
  { records, paymentId, fitting }: Candidate,
  all: readonly Payment[],
  rivals: Counts,
  period: Period,
): readonly Payment[] {
  const isInside = (payment: Payment): boolean => locate(payment, period) === 'inside';
  const isWhole = (payment: Payment): boolean => fitting.get(payment)?.unconfirmed.length === 0;
  const equal = all.filter((payment) => isInside(payment) && isWhole(payment));
  const chosen = equal.length === records.length ? equal : all;
  const isCertain = chosen.every(
    (payment) => isInside(payment) && fitting.get(payment)?.isProven && rivals.get(payment) === 1,
  );
  return chosen.length === records.length && (isCertain || paymentId !== undefined) ? chosen : [];
}

/** Returns the reason for which a group does not agree with the payments that it fits. */
function findReason(
  { records, fitting }: Candidate,
  found: readonly Payment[],
  rivals: Counts,
): StatementQuestion['reason'] {
  const isShared = found.some((payment) => rivals.get(payment) !== 1);
  if (isShared || found.length !== records.length) return 'twins';
  return found.every((payment) => fitting.get(payment)?.isProven) ? 'outside_period' : 'unconfirmed';
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
