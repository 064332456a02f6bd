import { access, rateLimit } from './access.ts';
import type { ProbeContext, Experiment } from './context.ts';
import { fees } from './fee.ts';
import { type Finding, Inconclusive, NoResponse, shorten, unknown } from './finding.ts';
import { history } from './history.ts';
import { payments } from './payments.ts';
import { requests } from './requests.ts';
import { rounding } from './rounding.ts';
import { webhooks } from './webhooks.ts';

/**
 * All experiments in their order: those without side effects first, and the history after the payments that
 * fill it.
 */
export const experiments: readonly Experiment[] = [
  ...access,
  ...requests,
  ...fees,
  ...rounding,
  ...payments,
  ...history,
  ...webhooks,
  ...rateLimit,
];

/** The options of a run: whether to create payments, and the listener for findings. */
export interface ProbeRunOptions {
  readonly pays: boolean;
  readonly onFinding: (finding: Finding) => Promise<void>;
}

/** The findings in the order of the experiments, one per setting. */
export interface ProbeResult {
  readonly findings: readonly Finding[];
  /** False if the run was interrupted or a response was missing. */
  readonly isComplete: boolean;
  /**
   * The longest time for which reads did not show a new payment, in milliseconds; 0 if every read showed it.
   */
  readonly readLag: number;
}

/**
 * Runs all experiments and reports each finding. After an interruption the remaining settings are `unknown`.
 */
export async function probe(
  dependencies: Omit<ProbeContext, 'onReadLag'>,
  { pays, onFinding }: ProbeRunOptions,
): Promise<ProbeResult> {
  const findings: Finding[] = [];
  let isComplete = true;
  let readLag = 0;
  const onReadLag = (milliseconds: number): void => void (readLag = Math.max(readLag, milliseconds));
  const context = { ...dependencies, onReadLag };
  for (const experiment of experiments) {
    const result = await runExperiment(experiment, context, pays);
    isComplete &&= result.isComplete;
    for (const finding of result.findings.map(shorten)) {
      findings.push(finding);
      await onFinding(finding);
    }
  }
  return { findings, isComplete, readLag };
}

/**
 * Runs one experiment. If it has no result, its settings are `unknown` and the other experiments still run.
 */
async function runExperiment(
  { settings, pays, run }: Experiment,
  context: ProbeContext,
  mayPay: boolean,
): Promise<Omit<ProbeResult, 'readLag'>> {
  const toUnknown = (reason: string, isComplete = true): Omit<ProbeResult, 'readLag'> => ({
    findings: settings.map((setting) => unknown(setting, reason)),
    isComplete,
  });
  if (context.signal.aborted) return toUnknown('interrupted', false);
  if (pays && !mayPay) return toUnknown('requires payments, which --no-payments excludes');
  try {
    return { findings: await run(context), isComplete: true };
  } catch (error) {
    if (context.signal.aborted) return toUnknown('interrupted', false);
    if (!(error instanceof Inconclusive)) throw error;
    return toUnknown(error.message, !(error instanceof NoResponse));
  }
}
