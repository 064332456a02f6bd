import { CENT, type ExtraStatus, type Micro, type PaymentCondition, writeCents } from '@service/internal';
import type { ProbeContext } from '../context.ts';
import { type Finding, found, other, unknown } from '../finding.ts';
import type { RecordedWebhook } from '../recorder.ts';
import { type Interval, listChanges, summarizeTimes } from './durations.ts';
import { documented, INVENTED, MAX_GAP } from './statuses.ts';
import type { WatchedPayment } from './watch.ts';

/** Reports the statuses that the document does not have, with their places and the payments that pass through them. */
export async function probeExtraStatuses({ watched, recorder }: ProbeContext): Promise<Finding[]> {
  return [evaluateExtraStatuses(watched, recorder?.webhooks ?? [])];
}

/**
 * Determines the extra statuses from watched payments: each has one place, and a condition if not all payments pass through
 * it.
 */
export function evaluateExtraStatuses(
  watched: readonly WatchedPayment[],
  webhooks: readonly RecordedWebhook[],
): Finding {
  const statuses = listNames(watched)
    .map((name) => evaluateStatus(name, watched, webhooks))
    .filter((status) => !isInvented(status));
  if (statuses.length === 0) {
    const amounts = watched.flatMap(({ amount }) => amount ?? []);
    const range = amounts.length === 0 ? '' : ` of ${formatRange(amounts)}`;
    return unknown(
      'extraStatuses',
      `no other status in ${watched.length} payments${range}; other amounts, names or accounts can have one: watch such a payment, and set \`extraStatuses\` in the profile`,
    );
  }
  const evidence = statuses.map((one) => one.evidence).join('; ');
  const values = statuses.flatMap(({ value }) => value ?? []);
  if (values.length === statuses.length) return found('extraStatuses', values, evidence);
  return statuses.some(({ place }) => place === undefined)
    ? other('extraStatuses', evidence)
    : unknown('extraStatuses', evidence);
}

/**
 * Determines the setting `unknownStatus` if its status was read. Undefined if that status has another place or only some
 * payments: it is an extra status then.
 */
export function evaluateInvented(watched: readonly WatchedPayment[]): Finding | undefined {
  if (!listNames(watched).includes(INVENTED)) return undefined;
  const status = evaluateStatus(INVENTED, watched, []);
  if (isInvented(status)) return found('unknownStatus', 'invented', status.evidence);
  return status.value === undefined ? unknown('unknownStatus', status.evidence) : undefined;
}

/** Returns whether a status is the one of the setting `unknownStatus`, which all payments have in the same place. */
function isInvented({ value }: EvaluatedStatus): boolean {
  const isOfAll = value?.amount === undefined && value?.account === undefined;
  return value?.status === INVENTED && value.after === 'processing' && isOfAll;
}

/** Returns the extra statuses that were read, in the order in which payments pass through them. */
function listNames(watched: readonly WatchedPayment[]): string[] {
  const names = new Set(watched.flatMap(({ statuses }) => statuses.filter((name) => !documented.has(name))));
  const isBefore = (one: string, two: string): boolean =>
    watched.some(({ statuses }) => statuses.includes(one) && statuses.indexOf(one) < statuses.indexOf(two));
  return [...names].toSorted((one, two) => (isBefore(one, two) ? -1 : isBefore(two, one) ? 1 : 0));
}

interface EvaluatedStatus {
  /** The documented status before it; undefined without one. */
  readonly place: ExtraStatus['after'] | undefined;
  /** Undefined if its place or its payments are not determined. */
  readonly value: ExtraStatus | undefined;
  readonly evidence: string;
}

function evaluateStatus(
  name: string,
  watched: readonly WatchedPayment[],
  webhooks: readonly RecordedWebhook[],
): EvaluatedStatus {
  const { having, lacking, unclear, places } = split(name, watched);
  const [place] = places;
  const where = `${name} after ${[...places].map((one) => one ?? 'the create').join(' or ')}`;
  const counts = `${where} in ${formatPayments(having)}${lacking.length === 0 ? '' : `, not in ${formatPayments(lacking)}`}`;
  if (places.size > 1 || (place !== 'pending' && place !== 'processing'))
    return { place: undefined, value: undefined, evidence: counts };
  const isDecided = lacking.length > 0 || unclear === 0;
  const condition = isDecided ? findCondition(having, lacking) : undefined;
  if (condition === undefined)
    return {
      place,
      value: undefined,
      evidence: `${counts}; the amounts and accounts of these payments do not tell which ones pass through it`,
    };
  const duration = summarizeTimes(having.flatMap((payment) => measureTime(payment, name)));
  const isSilent = having.some(({ id }) =>
    isSentWithout(
      name,
      webhooks.filter((one) => one.id === id),
    ),
  );
  const isSent = webhooks.some(({ status }) => status === name);
  return {
    place,
    value: {
      status: name,
      after: place,
      ...condition,
      ...(duration !== undefined && { duration }),
      ...(isSilent && !isSent && { webhook: false }),
    },
    evidence: counts,
  };
}

interface SplitPayments {
  readonly having: readonly WatchedPayment[];
  /** The payments that certainly did not pass through the status. */
  readonly lacking: readonly WatchedPayment[];
  /** Number of payments whose reads are too far apart to tell, except those like one that passed through the status. */
  readonly unclear: number;
  /** The documented statuses before it. */
  readonly places: ReadonlySet<string | undefined>;
}

function split(name: string, watched: readonly WatchedPayment[]): SplitPayments {
  const having = watched.filter(({ statuses }) => statuses.includes(name));
  const before = having.map(({ statuses }) =>
    statuses.slice(0, statuses.indexOf(name)).findLast((status) => documented.has(status)),
  );
  const known = before.filter((place) => place !== undefined);
  // The first read of a payment can be later than the status before it.
  const places = new Set(known.length === 0 ? before : known);
  const times = having.flatMap((payment) => measureTime(payment, name)).map(([shortest]) => shortest);
  const longestGap = times.length === 0 ? MAX_GAP : Math.max(MAX_GAP, Math.min(...times) / 2);
  const widths = watched.map((payment) =>
    payment.statuses.includes(name) ? undefined : measurePassage(payment, places),
  );
  const lacking = watched.filter((_, index) => {
    const width = widths[index];
    return width !== undefined && width <= longestGap;
  });
  const unclear = watched.filter((payment, index) => {
    const isSimilar = having.some(
      ({ amount, account }) => amount === payment.amount && account === payment.account,
    );
    return (widths[index] ?? 0) > longestGap && !isSimilar;
  }).length;
  return { having, lacking, unclear, places };
}

/**
 * Returns the time between the last read of the status before a place and the first read of the next one. Undefined for a
 * payment that did not pass it: one that fails can leave out the statuses of one that succeeds.
 */
function measurePassage(
  { createdAt, readings, statuses }: WatchedPayment,
  places: ReadonlySet<string | undefined>,
): number | undefined {
  const place = statuses.findLastIndex((status) => places.has(status));
  if (place < 0 && !places.has(undefined)) return undefined;
  const passed = statuses.slice(place + 1);
  if (!passed.some((status) => documented.has(status) && status !== 'failed')) return undefined;
  const change = listChanges(createdAt, readings).find(({ status }) => status === passed[0]);
  return change === undefined ? undefined : change.to - change.from;
}

/** The largest amounts without a status and the smallest with it, or the other way round, between which others can be tried. */
export function findLimits(watched: readonly WatchedPayment[]): (readonly [low: Micro, high: Micro])[] {
  return listNames(watched).flatMap((name) => {
    const { having, lacking } = split(name, watched);
    const limits = compareAmounts(having, lacking);
    return limits === undefined ? [] : [limits.between];
  });
}

interface AmountLimits {
  readonly condition: 'from' | 'to';
  readonly between: readonly [low: Micro, high: Micro];
}

/** Returns the limits between the amounts of two groups of payments if the amounts tell them apart. */
function compareAmounts(
  having: readonly WatchedPayment[],
  lacking: readonly WatchedPayment[],
): AmountLimits | undefined {
  const [one, two] = [having, lacking].map((group) => group.map(({ amount }) => amount));
  if (one === undefined || two === undefined || two.length === 0) return undefined;
  const [least, most] = [one, two].map(findRange);
  if (least === undefined || most === undefined) return undefined;
  if (most[1] < least[0]) return { condition: 'from', between: [most[1], least[0]] };
  return least[1] < most[0] ? { condition: 'to', between: [least[1], most[0]] } : undefined;
}

/** Returns the smallest and the largest amount. Undefined if one is not known. */
function findRange(
  amounts: readonly (Micro | undefined)[],
): readonly [least: Micro, most: Micro] | undefined {
  const [first] = amounts;
  if (first === undefined) return undefined;
  let [least, most] = [first, first];
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    if (amount < least) least = amount;
    if (amount > most) most = amount;
  }
  return [least, most];
}

/** Returns the condition that tells the payments with a status from those without it. Undefined without one. */
function findCondition(
  having: readonly WatchedPayment[],
  lacking: readonly WatchedPayment[],
): PaymentCondition | undefined {
  if (lacking.length === 0) return {};
  const limits = compareAmounts(having, lacking);
  if (limits !== undefined) {
    const [low, high] = limits.between;
    return limits.condition === 'from'
      ? { amount: { from: formatAmount(high) } }
      : { amount: { to: formatAmount(low) } };
  }
  const [account, ...more] = new Set(having.map((one) => one.account));
  const isOwn = account !== undefined && more.length === 0 && lacking.every((one) => one.account !== account);
  return isOwn ? { account: { equals: account } } : undefined;
}

/** Returns the time of a payment in a status that was followed by another one. */
function measureTime({ createdAt, readings }: WatchedPayment, name: string): Interval[] {
  const changes = listChanges(createdAt, readings);
  const index = changes.findIndex(({ status }) => status === name);
  const [change, next] = [changes[index], changes[index + 1]];
  return change === undefined || next === undefined
    ? []
    : [[Math.max(1, next.from - change.to), next.to - change.from]];
}

/** Returns whether webhooks of a payment came for other statuses and not for one. */
function isSentWithout(name: string, webhooks: readonly RecordedWebhook[]): boolean {
  return webhooks.length > 0 && webhooks.every(({ status }) => status !== name);
}

function formatPayments(payments: readonly WatchedPayment[]): string {
  const amounts = payments.flatMap(({ amount }) => amount ?? []);
  const range = amounts.length === 0 ? '' : ` of ${formatRange(amounts)}`;
  return `${payments.length} ${payments.length === 1 ? 'payment' : 'payments'}${range}`;
}

function formatRange(amounts: readonly Micro[]): string {
  const [least = 0n, most = 0n] = findRange(amounts) ?? [];
  return [...new Set([least, most])].map(formatAmount).join(' to ');
}

/** Formats an amount with two decimals. */
function formatAmount(amount: Micro): string {
  return writeCents(amount / CENT);
}
