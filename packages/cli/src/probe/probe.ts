import { access, rateLimit } from './access.ts';
import type { Bench, Experiment } from './bench.ts';
import { fees } from './fee.ts';
import { type Finding, Inconclusive, NoAnswer, shorten, unknown } from './finding.ts';
import { history } from './history.ts';
import { payments } from './payments.ts';
import { requests } from './requests.ts';
import { rounding } from './rounding.ts';
import { webhooks } from './webhooks.ts';

/** Lists all experiments in their order: those that leave nothing behind first, the history after the payments that fill it. */
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

/** Says whether payments may be made, and who is told of each finding. */
export type Probing = {
  readonly pays: boolean;
  readonly onFinding: (finding: Finding) => Promise<void>;
};

/** Holds one finding for each setting, in the order of the experiments, and whether every question got its answer. */
export type Probed = {
  readonly findings: readonly Finding[];
  readonly isComplete: boolean;
  /** The longest time in milliseconds for which reads did not show a new payment; 0 if each read did. */
  readonly readLag: number;
};

/** Makes every experiment and tells each finding as it comes. What is interrupted leaves the rest unknown. */
export async function probe(
  context: Omit<Bench, 'onReadLag'>,
  { pays, onFinding }: Probing,
): Promise<Probed> {
  const findings: Finding[] = [];
  let isComplete = true;
  let readLag = 0;
  const onReadLag = (milliseconds: number): void => void (readLag = Math.max(readLag, milliseconds));
  const bench = { ...context, onReadLag };
  for (const experiment of experiments) {
    const seen = await carryOut(experiment, bench, pays);
    isComplete &&= seen.isComplete;
    for (const finding of seen.findings.map(shorten)) {
      findings.push(finding);
      await onFinding(finding);
    }
  }
  return { findings, isComplete, readLag };
}

/** Makes one experiment; one that comes to nothing leaves its settings unknown, and the others are made all the same. */
async function carryOut(
  { settings, pays, look }: Experiment,
  bench: Bench,
  mayPay: boolean,
): Promise<Omit<Probed, 'readLag'>> {
  const explain = (why: string, isComplete = true): Omit<Probed, 'readLag'> => ({
    findings: settings.map((setting) => unknown(setting, why)),
    isComplete,
  });
  if (bench.signal.aborted) return explain('interrupted', false);
  if (pays && !mayPay) return explain('no payment was to be made');
  try {
    return { findings: await look(bench), isComplete: true };
  } catch (error) {
    if (bench.signal.aborted) return explain('interrupted', false);
    if (!(error instanceof Inconclusive)) throw error;
    return explain(error.message, !(error instanceof NoAnswer));
  }
}
