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
export type Probed = { readonly findings: readonly Finding[]; readonly isComplete: boolean };

/** Makes every experiment and tells each finding as it comes. What is interrupted leaves the rest unknown. */
export async function probe(bench: Bench, { pays, onFinding }: Probing): Promise<Probed> {
  const findings: Finding[] = [];
  let isComplete = true;
  for (const experiment of experiments) {
    const seen = await carryOut(experiment, bench, pays);
    isComplete &&= seen.isComplete;
    for (const finding of seen.findings.map(shorten)) {
      findings.push(finding);
      await onFinding(finding);
    }
  }
  return { findings, isComplete };
}

/** Makes one experiment; one that comes to nothing leaves its settings unknown, and the others are made all the same. */
async function carryOut(
  { settings, pays, look }: Experiment,
  bench: Bench,
  mayPay: boolean,
): Promise<Probed> {
  const explain = (why: string, isComplete = true): Probed => ({
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
