import { type Finding, found, unknown } from './finding.ts';
import type { PaymentHistory } from './watch.ts';

const documented: ReadonlySet<string> = new Set(['pending', 'processing', 'completed', 'failed']);

/** Determines the path of a payment; `reported` are its statuses in the create response and in webhooks. */
export function evaluateTransitions(watched: PaymentHistory, reported: readonly string[]): Finding[] {
  const statuses = [...new Set([...reported, ...watched.statuses])];
  const isCompleted = watched.statuses.includes('completed');
  const evidence = isCompleted
    ? `observed: ${statuses.join(', ')}; longest gap ${Math.ceil(watched.gap)} ms`
    : 'no payment completed in time; raise --timeout';
  const hasProcessing = statuses.includes('processing');
  const hasNoGap = isCompleted && watched.gap <= MAX_GAP;
  const undocumented = statuses.find((status) => !documented.has(status));
  const transitions = hasProcessing
    ? found('transitions', 'walk', `observed: ${statuses.join(', ')}`)
    : evaluateSkip(watched, hasNoGap, evidence);
  if (undocumented !== undefined)
    return [transitions, found('unknownStatus', 'invented', `observed: ${statuses.join(', ')}`)];
  // A payment that skips statuses may also skip an undocumented one.
  return [
    transitions,
    hasNoGap && hasProcessing ? found('unknownStatus', 'none', evidence) : unknown('unknownStatus', evidence),
  ];
}

const MIN_READS = 5;

/** Maximum time for which a status may stay unobserved and still count as absent, in milliseconds. */
const MAX_GAP = 500;

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
