import { access, rateLimit } from './access.ts';
import type { Bench, Experiment } from './bench.ts';
import { fees } from './fee.ts';
import { type Finding, Inconclusive, unknown } from './finding.ts';
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

/** Holds one finding for each setting, in the order of the experiments, and whether somebody ended them early. */
export type Probed = { readonly findings: readonly Finding[]; readonly ending: 'done' | 'interrupted' };

/** Makes every experiment and tells each finding as it comes. What is interrupted leaves the rest unknown. */
export async function probe(bench: Bench, { pays, onFinding }: Probing): Promise<Probed> {
  const findings: Finding[] = [];
  for (const experiment of experiments) {
    for (const finding of await carryOut(experiment, bench, pays)) {
      findings.push(finding);
      await onFinding(finding);
    }
  }
  return { findings, ending: bench.signal.aborted ? 'interrupted' : 'done' };
}

/** Makes one experiment; one that comes to nothing leaves its settings unknown, and the others are made all the same. */
async function carryOut(experiment: Experiment, bench: Bench, pays: boolean): Promise<readonly Finding[]> {
  const { settings, look } = experiment;
  const explain = (why: string): Finding[] => settings.map((setting) => unknown(setting, why));
  if (bench.signal.aborted) return explain('interrupted');
  if (experiment.pays && !pays) return explain('no payment was to be made');
  try {
    return await look(bench);
  } catch (error) {
    if (bench.signal.aborted) return explain('interrupted');
    if (!(error instanceof Inconclusive)) throw error;
    return explain(error.message);
  }
}
