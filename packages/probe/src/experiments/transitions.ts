import type { ProbeContext } from '../context.ts';
import { type Finding, found, other, unknown } from '../finding.ts';
import { evaluateInvented } from './extra-statuses.ts';
import { documented, MAX_GAP, MIN_READS } from './statuses.ts';
import type { PaymentHistory, WatchedPayment } from './watch.ts';

/** Returns the statuses in the create response and in webhooks: polling may miss them. */
export function listReportedStatuses({ recorder, created }: ProbeContext, id: string): string[] {
  const reported = (recorder?.webhooks ?? []).filter((one) => one.id === id).map((one) => one.status);
  const status = created.get(id)?.status;
  return status === undefined ? reported : [status, ...reported];
}

/** Determines the path of payments from the one whose reads are the closest, and from the statuses of all. */
export function evaluatePath(context: ProbeContext): Finding[] {
  const completed = context.watched.filter(({ statuses }) => statuses.includes('completed'));
  const [best = context.watched[0]] = completed.toSorted((one, two) => one.gap - two.gap);
  if (best === undefined)
    return (['transitions', 'unknownStatus'] as const).map((name) => unknown(name, 'no payment was read'));
  const reported = context.watched.flatMap(({ id }) => listReportedStatuses(context, id));
  const others = context.watched.flatMap(({ statuses }) => statuses);
  const statuses = [...new Set([...best.statuses, ...others])];
  return evaluateTransitions({ ...best, statuses }, reported, context.watched);
}

/**
 * Determines the path of a payment; `reported` are its statuses in the create response and in webhooks, and `all` are the
 * payments whose amounts tell which ones have another status.
 */
export function evaluateTransitions(
  watched: PaymentHistory,
  reported: readonly string[],
  all: readonly WatchedPayment[],
): Finding[] {
  const statuses = [...new Set([...reported, ...watched.statuses])];
  const isCompleted = watched.statuses.includes('completed');
  const evidence = isCompleted
    ? `observed: ${statuses.join(', ')}; longest gap between two reads ${Math.ceil(watched.gap)} ms`
    : 'no payment completed in time; raise `timeout`';
  const hasProcessing = statuses.includes('processing');
  const hasNoGap = isCompleted && watched.gap <= MAX_GAP;
  const transitions = hasProcessing
    ? found('transitions', 'walk', `observed: ${statuses.join(', ')}`)
    : evaluateSkip(watched, hasNoGap, evidence);
  const invented = evaluateInvented(all);
  if (invented !== undefined) return [transitions, invented];
  // A status that only the create response or a webhook has is no status of the payment.
  const unread = statuses.find((status) => !documented.has(status) && !watched.statuses.includes(status));
  if (unread !== undefined)
    return [transitions, other('unknownStatus', `observed: ${statuses.join(', ')}; ${unread} in no read`)];
  // A payment that skips statuses may also skip an undocumented one.
  return [
    transitions,
    hasNoGap && hasProcessing
      ? found('unknownStatus', 'none', evidence)
      : unknown('unknownStatus', isCompleted ? `${evidence}, so another status can be missed` : evidence),
  ];
}

/**
 * Determines that `processing` is skipped. An unobserved status may have passed between two reads, unless the
 * status before it was read often.
 */
function evaluateSkip({ observations }: PaymentHistory, hasNoGap: boolean, evidence: string): Finding {
  const reads = observations.reduce((sum, one) => (one.status === 'pending' ? sum + one.reads : sum), 0);
  return hasNoGap && reads >= MIN_READS
    ? found('transitions', 'skip', `${evidence}; pending in ${reads} reads`)
    : unknown('transitions', evidence);
}
