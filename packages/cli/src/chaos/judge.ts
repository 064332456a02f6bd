import { toMicro, writeMicro } from '@service/internal';
import { formatMoney } from '../terminal.ts';
import type { Records, ScenarioRun } from './run.ts';
import type { Scenario } from './scenarios.ts';

/** `person`: safe, but a person must decide. `unjudged`: nothing shows whether the application is right. */
export type Verdict = (typeof verdicts)[number];

/** A verdict and its reason in one sentence. */
export interface Judgment {
  readonly verdict: Verdict;
  readonly sentence: string;
  /** Whether the creates cannot be told apart, so that the run proves nothing. */
  readonly isUnclear?: boolean;
}

/** The records of a scenario: its run, the ledger, the delivery log, and the count of `--handled`. */
export interface Evidence {
  readonly run: ScenarioRun;
  readonly records: Records;
  /** Undefined without `--handled`. */
  readonly handled: number | undefined;
  readonly isAlive: boolean;
}

/** The verdicts from the best to the worst. */
export const verdicts = ['passed', 'unjudged', 'person', 'failed'] as const;

/** Returns how often the completion must take effect. */
export function expectHandled({ payments }: Records): number {
  return payments.some(({ status }) => status === 'completed') ? 1 : 0;
}

/** Judges a scenario by the ledger and the delivery log. The first rule that applies decides. */
export function judge(scenario: Scenario, evidence: Evidence): Judgment {
  const { run, records, handled } = evidence;
  const failure = findFailure(scenario, evidence);
  if (failure !== undefined) return { verdict: 'failed', sentence: failure };
  if (records.isAmbiguous) {
    const sentence = `cannot tell which creates belong to ${run.reference}: none has it in its purpose or idempotency key, and the trigger has no {amount}`;
    return { verdict: 'unjudged', sentence, isUnclear: true };
  }
  if (scenario.expects === 'unknown' && records.payments.every(({ status }) => status === 'failed'))
    return { verdict: 'person', sentence: `safe, needs a person: ${run.reference} has no payment` };
  if (scenario.isJudgedByHandled === true && handled === undefined)
    return { verdict: 'unjudged', sentence: 'not judged: needs --handled' };
  return { verdict: 'passed', sentence: '' };
}

function findFailure(
  { expects }: Scenario,
  { run, records, handled, isAlive }: Evidence,
): string | undefined {
  const { reference, forged, unacknowledged } = run;
  const paid = records.payments.filter(({ status }) => status !== 'failed');
  if (paid.length > 1) {
    const times = paid.length === 2 ? 'twice' : `${paid.length} times`;
    return `paid ${times}: ${sumUp(paid)} left the wallet for ${reference}`;
  }
  const accepted = forged.find(({ status = 0 }) => status >= 200 && status < 300);
  if (accepted !== undefined) return `accepted a forged event with ${accepted.what}`;
  if (!isAlive) return 'the application ended, or accepts no connections any more';
  const refused = run.context.webhooks !== undefined ? findRefused(run, records) : undefined;
  if (refused !== undefined) return refused;
  const [lost] = unacknowledged;
  if (lost !== undefined) return `never acknowledged the genuine event ${lost}`;
  const expected = expectHandled(records);
  if (handled !== undefined && handled !== expected)
    return `the completion of ${reference} took effect ${toTimes(handled)} instead of ${toTimes(expected)}`;
  const isMissing = paid.length === 0 && expects === 'one' && !records.isAmbiguous;
  return isMissing ? `never paid: ${reference} has no payment` : undefined;
}

function findRefused({ reference }: ScenarioRun, { deliveries }: Records): string | undefined {
  const refused = deliveries.find(({ state }) => state !== 'acknowledged');
  const result = refused?.attempts.at(-1)?.result;
  if (refused === undefined || result === undefined) return undefined;
  const response = result.outcome === 'failed' ? `no response (${result.reason})` : result.httpStatus;
  return `never acknowledged the genuine ${refused.event} of ${reference}; the last response: ${response}`;
}

function sumUp(paid: Records['payments']): string {
  const sum = paid.reduce((total, { send_amount }) => total + (toMicro(send_amount) ?? 0n), 0n);
  return formatMoney(writeMicro(sum), paid[0]?.from_currency ?? '');
}

function toTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
