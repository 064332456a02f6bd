import {
  AbortError,
  ConnectionError,
  PaymentOutcomeUnknownError,
  ServiceError,
  TimeoutError,
  ValidationError,
  WaitTimeoutError,
} from '@service/sdk';
import { UsageError } from '../errors.ts';
import { summarize } from '../failure.ts';
import { escapeControls } from '../output.ts';
import { Discrepancy } from './checks.ts';
import { type SmokeContext, type Step, steps } from './steps.ts';

/**
 * The cause of a failed step. `service`: a wrong response. `network`: no response. `unknown`: a response that
 * does not reveal the outcome, such as a 5xx or an unreadable body.
 */
type FailureCause = 'service' | 'network' | 'unknown';

/** The result of one step; `cause` is set if it failed. */
export interface StepReport {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly duration_ms: number;
  readonly cause?: FailureCause;
}

/**
 * Runs all steps in their order and reports each one.
 *
 * @throws {UsageError} when an option is invalid.
 * @throws {ValidationError} when the SDK rejects the plan before it sends a request.
 */
export async function smoke(
  context: SmokeContext,
  onStep: (report: StepReport) => Promise<void>,
): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  for (const step of steps) {
    const skipReason = findSkipReason(step, context, reports);
    const report =
      skipReason === undefined ? await runStep(step, context) : toSkippedReport(step, skipReason);
    reports.push(report);
    await onStep(report);
  }
  return reports;
}

const missing = { quote: 'no valid quote was received', payment: 'no payment was created' } as const;

/** Returns the reason to skip a step, if there is one. */
function findSkipReason(
  { needs }: Step,
  context: SmokeContext,
  reports: readonly StepReport[],
): string | undefined {
  if (context.signal.aborted) return 'interrupted';
  if (reports.some(({ cause }) => cause === 'network')) return 'the service cannot be reached';
  if (reports[0]?.status === 'failed') return 'the first step failed';
  return needs !== undefined && context[needs] === undefined ? missing[needs] : undefined;
}

async function runStep({ name, check }: Step, context: SmokeContext): Promise<StepReport> {
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  try {
    return { name, ...(await check(context)), duration_ms: since() };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Before the create, all values that the SDK can reject come from the options.
    if (error instanceof ValidationError && error.attempts === 0 && context.payment === undefined)
      throw error;
    return {
      name,
      status: 'failed',
      detail: describeError(error),
      duration_ms: since(),
      cause: toFailureCause(error),
    };
  }
}

function toSkippedReport({ name }: Step, detail: string): StepReport {
  return { name, status: 'skipped', detail, duration_ms: 0 };
}

function toFailureCause(error: unknown): FailureCause {
  if (error instanceof Discrepancy) return 'service';
  // A payment that was read but reached no final status: the service responded.
  if (error instanceof WaitTimeoutError)
    return error.last === undefined ? toFailureCause(error.cause) : 'service';
  if (isNetwork(error)) return 'network';
  return error instanceof ServiceError && error.outcome !== 'unknown' ? 'service' : 'unknown';
}

/** Returns true if no response was received. */
function isNetwork(error: unknown): boolean {
  if (error instanceof PaymentOutcomeUnknownError) return isNetwork(error.cause);
  return error instanceof ConnectionError || error instanceof TimeoutError || error instanceof AbortError;
}

function describeError(error: unknown): string {
  return error instanceof Discrepancy ? error.message : summarize(error);
}

/** The default name of the test suite. */
const SUITE = 'service-cli smoke';

/** Formats the steps as JUnit XML. A warning counts as a failure, and a failure without a clear outcome as an error. */
export function toJUnit(reports: readonly StepReport[], suite: string = SUITE): string {
  const count = (wanted: Verdict): number => reports.filter((report) => toVerdict(report) === wanted).length;
  const total = reports.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const attributes = `tests="${reports.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  const cases = reports.map((report) => toTestCase(report, suite));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${suite}" ${attributes} time="${toSeconds(total)}">`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n');
}

/** Formats the failed steps as annotations of GitHub Actions. */
export function toAnnotations(reports: readonly StepReport[]): string[] {
  return reports.flatMap(({ name, status, detail }) => {
    if (status !== 'failed' && status !== 'warning') return [];
    const level = status === 'failed' ? 'error' : 'warning';
    return [`::${level} title=${escapeProperty(`${SUITE}: ${name}`)}::${escapeData(detail)}`];
  });
}

type Verdict = 'passed' | 'skipped' | 'failure' | 'error';

function toVerdict({ status, cause }: StepReport): Verdict {
  if (status === 'ok') return 'passed';
  if (status === 'skipped') return 'skipped';
  return cause === undefined || cause === 'service' ? 'failure' : 'error';
}

function toTestCase(report: StepReport, suite: string): string {
  const { name, detail, duration_ms } = report;
  const verdict = toVerdict(report);
  const start = `  <testcase classname="${suite}" name="${escapeXml(name)}" time="${toSeconds(duration_ms)}"`;
  return verdict === 'passed'
    ? `${start}/>`
    : `${start}><${verdict} message="${escapeXml(detail)}"/></testcase>`;
}

function toSeconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}

function escapeXml(text: string): string {
  return (
    escapeControls(text)
      // XML 1.0 allows neither these two characters nor a lone surrogate, even as references.
      .replaceAll(/[\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  );
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
