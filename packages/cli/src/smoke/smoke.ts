import {
  isAbortError,
  isConnectionError,
  isPaymentOutcomeUnknownError,
  isServiceError,
  isTimeoutError,
  isValidationError,
  isWaitTimeoutError,
} from '@service/sdk';
import { summarize } from '../failure.ts';
import { type Bench, type Step, steps } from './steps.ts';
import { UsageError } from '../usage-error.ts';
import { Discrepancy } from './verdict.ts';

/**
 * Says why a step failed: the service answered wrongly, or nothing came from it, or its answer leaves open what it did
 * (a 5xx, an answer that cannot be believed).
 */
export type Blame = 'service' | 'network' | 'unknown';

/** Holds what one step came to, and of a failed one why. */
export type StepReport = {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly duration_ms: number;
  readonly blame?: Blame;
};

/** Takes all steps in their order and tells each as it ends; returns what they came to. Throws what is wrong with the plan. */
export async function smoke(
  bench: Bench,
  onStep: (report: StepReport) => Promise<void>,
): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  for (const step of steps) {
    const obstacle = findObstacle(step, bench, reports);
    const report = obstacle === undefined ? await take(step, bench) : skipped(step, obstacle);
    reports.push(report);
    await onStep(report);
  }
  return reports;
}

const lacking = { quote: 'there is no quote to rely on', payment: 'there is no payment' } as const;

/** Finds out why a step need not be tried. */
function findObstacle({ needs }: Step, bench: Bench, reports: readonly StepReport[]): string | undefined {
  if (bench.signal.aborted) return 'interrupted';
  if (reports.some(({ blame }) => blame === 'network')) return 'the service cannot be reached';
  if (reports[0]?.status === 'failed') return 'the first step failed';
  return needs !== undefined && bench[needs] === undefined ? lacking[needs] : undefined;
}

async function take({ name, check }: Step, bench: Bench): Promise<StepReport> {
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  try {
    return { name, ...(await check(bench)), duration_ms: since() };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Before there is a payment, the SDK refuses to send only what the user asked for.
    if (isValidationError(error) && error.attempts === 0 && bench.payment === undefined) throw error;
    return { name, status: 'failed', detail: explain(error), duration_ms: since(), blame: toBlame(error) };
  }
}

function skipped({ name }: Step, detail: string): StepReport {
  return { name, status: 'skipped', detail, duration_ms: 0 };
}

function toBlame(error: unknown): Blame {
  if (error instanceof Discrepancy) return 'service';
  // A payment that was seen, and stays where it is, was answered for.
  if (isWaitTimeoutError(error)) return error.last === undefined ? toBlame(error.cause) : 'service';
  if (isNetwork(error)) return 'network';
  return isServiceError(error) && error.outcome !== 'unknown' ? 'service' : 'unknown';
}

/** Tells whether an error says that no answer came, rather than a wrong one. */
function isNetwork(error: unknown): boolean {
  if (isPaymentOutcomeUnknownError(error)) return isNetwork(error.cause);
  return isConnectionError(error) || isTimeoutError(error) || isAbortError(error);
}

function explain(error: unknown): string {
  return error instanceof Discrepancy ? error.message : summarize(error);
}
