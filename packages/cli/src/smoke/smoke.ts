import {
  isAbortError,
  isConnectionError,
  isPaymentOutcomeUnknownError,
  isTimeoutError,
  isValidationError,
  isWaitTimeoutError,
} from '@service/sdk';
import { toFailure } from '../failure.ts';
import { type Bench, type Step, steps } from './steps.ts';
import { Discrepancy } from './verdict.ts';

/** Holds what one step came to; `blame` of a failed one says whether the service answered wrongly or not at all. */
export type StepReport = {
  readonly name: string;
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly detail: string;
  readonly duration_ms: number;
  readonly blame?: 'service' | 'network';
};

/** Takes all steps in their order and tells each as it ends; returns what they came to. Throws what is wrong with the plan. */
export async function smoke(bench: Bench, onStep: (report: StepReport) => void): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  for (const step of steps) {
    const obstacle = findObstacle(step, bench, reports);
    const report = obstacle === undefined ? await take(step, bench) : skipped(step, obstacle);
    reports.push(report);
    onStep(report);
  }
  return reports;
}

/** Finds out why a step need not be tried. */
function findObstacle({ needs }: Step, bench: Bench, reports: readonly StepReport[]): string | undefined {
  if (bench.signal.aborted) return 'interrupted';
  if (reports.some(({ blame }) => blame === 'network')) return 'the service cannot be reached';
  if (reports[0]?.status === 'failed') return 'the key was not accepted';
  return needs === 'payment' && bench.payment === undefined ? 'there is no payment' : undefined;
}

async function take({ name, check }: Step, bench: Bench): Promise<StepReport> {
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  try {
    return { name, ...(await check(bench)), duration_ms: since() };
  } catch (error) {
    // Before there is a payment, the SDK refuses to send only what the user asked for.
    if (isValidationError(error) && error.attempts === 0 && bench.payment === undefined) throw error;
    const blame = isNetwork(error) ? 'network' : 'service';
    return { name, status: 'failed', detail: explain(error), duration_ms: since(), blame };
  }
}

function skipped({ name }: Step, detail: string): StepReport {
  return { name, status: 'skipped', detail, duration_ms: 0 };
}

/** Tells whether an error says that no answer came, rather than a wrong one. */
function isNetwork(error: unknown): boolean {
  if (isPaymentOutcomeUnknownError(error)) return isNetwork(error.cause);
  if (isWaitTimeoutError(error)) return error.last === undefined && isNetwork(error.cause);
  return isConnectionError(error) || isTimeoutError(error) || isAbortError(error);
}

function explain(error: unknown): string {
  if (error instanceof Discrepancy) return error.message;
  return toFailure(error).lines.join(' ').replace('error: ', '');
}
