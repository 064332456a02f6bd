import { runClock } from '@service/internal';
import {
  AbortError,
  ConnectionError,
  PaymentOutcomeUnknownError,
  ServiceError,
  TimeoutError,
  ValidationError,
  WaitTimeoutError,
} from '@service/sdk';
import { defineCommand, flag, preset, value, type ValuesOf } from '../command.ts';
import { modeOfKey, openClient, readSettings } from '../config.ts';
import { UsageError } from '../errors.ts';
import { summarize } from '../failure.ts';
import { checkFolder, maskKeys, writeReport } from '../output.ts';
import { parseDuration } from '../parse.ts';
import { type DefineCommand, type ExitCode, exitCodes } from '../session.ts';
import { type FailureCause, type StepReport, toJUnit } from '../smoke/junit.ts';
import { Discrepancy, type SmokeContext, type Step, steps } from '../smoke/steps.ts';
import { toRow } from '../table.ts';
import { type Line, type Terminal, toStatus } from '../terminal.ts';

const input = {
  from: preset('<currency>', 'currency to send', 'USD'),
  to: preset('<currency>', 'currency to receive', 'EUR'),
  amount: preset('<amount>', 'amount to send', '1.00'),
  name: value('<name>', 'name of the beneficiary (default: Smoke Test; required with --live)'),
  account: value('<account>', 'account number or IBAN of the beneficiary'),
  timeout: value('<span>', 'maximum wait for a final status (default: 60s)', parseDuration),
  readLag: value('<span>', 'accepted read lag after the create (default: 10s)', parseDuration),
  live: flag('allow a live key, which pays real money'),
  junit: value('<file>', 'write the steps as JUnit XML'),
};

/** Defines `smoke`, which tests the service at the base URL from end to end. */
export const smokeCommand: DefineCommand = defineCommand({
  input,
  help: `Exit codes: 0 every step passed or was skipped, 1 the service is wrong, 3 outcome unknown, or a lost
payment could not be found.

Example:
  $ service-cli smoke --from USD --to EUR --amount 1.00 --timeout 2m`,
  async run(session, options) {
    const { output, environment } = session;
    const { terminal } = output;
    const context = await openContext(session, options);
    await checkFolder('--junit', options.junit);
    const reports: StepReport[] = [];
    const runSteps = async (): Promise<void> => {
      for (const step of steps) {
        const report = await runStep(step, context, reports);
        reports.push(report);
        if (!output.json) await output.result(undefined, toStepLines(report, terminal));
      }
    };
    if (!output.json && terminal.isTTY) await output.result(undefined, [heading]);
    const toProgress = (): { text: string; done: number; total: number } => ({
      text: `Running the step ${steps[reports.length]?.name}`,
      done: reports.length,
      total: steps.length,
    });
    await output.wait(toProgress, runSteps);
    if (environment.env.GITHUB_ACTIONS === 'true') output.note(...toAnnotations(reports));
    const ok = countSteps(reports, 'failed') + countSteps(reports, 'warning') === 0;
    if (output.json) await output.result({ ok, mode: context.mode, steps: reports }, []);
    else await output.result(undefined, ['', formatSummary(reports, terminal)]);
    // Last: the result of a run that created a payment must not be lost.
    if (options.junit !== undefined)
      await writeReport('--junit', options.junit, maskKeys(toJUnit(reports, SUITE)));
    return environment.signal.aborted ? exitCodes.unknown : toExitCode(reports);
  },
});

async function openContext(
  session: Parameters<typeof readSettings>[0],
  options: ValuesOf<typeof input>,
): Promise<SmokeContext> {
  const { signal, clock = runClock } = session.environment;
  const { amount, account, name = 'Smoke Test', timeout = 60_000, readLag = 10_000 } = options;
  const settings = await readSettings(session);
  // The client must not hide the read lag, which the command measures.
  const client = await openClient({ ...settings, readLag: 0 });
  const mode = modeOfKey(settings.apiKey);
  if (mode === 'live' && options.live !== true)
    throw new UsageError('A live key pays real money. Pass --live to allow that.');
  if (mode === 'live' && options.name === undefined)
    throw new UsageError('--live pays real money. Pass the beneficiary with --name.');
  session.output.note(`Testing ${settings.baseUrl} with ${maskKeys(settings.apiKey)}.`);
  // A well-formed key that no account has. The `+` keeps a sandbox with open accounts from opening one.
  const apiKey = `service_${mode}_unknown+${crypto.randomUUID()}`;
  const unknownKeyClient = await openClient({ ...settings, apiKey });
  const [from, to] = [options.from.toUpperCase(), options.to.toUpperCase()];
  const plan = { from, to, amount, account, name, purpose: `smoke-${crypto.randomUUID()}` };
  return { client, unknownKeyClient, mode, plan, timeout, readLag, clock, signal };
}

/**
 * Runs a step, unless the earlier ones leave a reason to skip it.
 *
 * @throws {UsageError} when an option is invalid.
 * @throws {ValidationError} when the SDK rejects the plan before it sends a request.
 */
async function runStep(
  step: Step,
  context: SmokeContext,
  reports: readonly StepReport[],
): Promise<StepReport> {
  const { name, check } = step;
  const skipReason = findSkipReason(step, context, reports);
  if (skipReason !== undefined) return { name, status: 'skipped', detail: skipReason, duration_ms: 0 };
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  try {
    const [status, detail] = await check(context);
    return { name, status, detail, duration_ms: since() };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Before the create, all values that the SDK can reject come from the options.
    if (error instanceof ValidationError && error.attempts === 0 && context.payment === undefined)
      throw error;
    const detail = error instanceof Discrepancy ? error.message : summarize(error);
    return { name, status: 'failed', detail, duration_ms: since(), cause: toFailureCause(error) };
  }
}

/** Returns the reason to skip a step, if there is one. */
function findSkipReason(
  { needs }: Step,
  context: SmokeContext,
  reports: readonly StepReport[],
): string | undefined {
  if (context.signal.aborted) return 'interrupted';
  if (reports.some(({ cause }) => cause === 'network')) return 'the service cannot be reached';
  if (reports[0]?.status === 'failed') return 'the first step failed';
  if (needs === undefined || context[needs] !== undefined) return undefined;
  return needs === 'quote' ? 'no valid quote was received' : 'no payment was created';
}

function toFailureCause(error: unknown): FailureCause {
  if (error instanceof Discrepancy) return 'service';
  if (error instanceof PaymentOutcomeUnknownError)
    return toFailureCause(error.cause) === 'network' ? 'network' : 'unknown';
  // A payment that was read but reached no final status: the service responded.
  if (error instanceof WaitTimeoutError)
    return error.last === undefined ? toFailureCause(error.cause) : 'service';
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof AbortError)
    return 'network';
  return error instanceof ServiceError && error.outcome !== 'unknown' ? 'service' : 'unknown';
}

/** The heading of the steps, on a terminal. */
const heading: Line = [{ text: 'status     step                 time  detail', style: 'strong' }];

function toStepLines({ name, status, detail, duration_ms }: StepReport, terminal: Terminal): Line[] {
  const mark = status === 'failed' || status === 'warning' ? status.toUpperCase() : status;
  return toRow(
    [
      [toStatus(status, terminal, mark), terminal.isTTY ? 9 : 7],
      [name, 15],
      [`${duration_ms} ms`.padStart(8), 8],
    ],
    detail,
    terminal,
  );
}

function countSteps(reports: readonly StepReport[], wanted: StepReport['status']): number {
  return reports.filter(({ status }) => status === wanted).length;
}

function formatSummary(reports: readonly StepReport[], terminal: Terminal): Line {
  const failed = countSteps(reports, 'failed');
  const warnings = countSteps(reports, 'warning');
  const mark = failed > 0 ? 'FAILED' : warnings > 0 ? 'WARNING' : 'ok';
  const more = warnings === 0 ? '' : `, ${warnings} with a warning`;
  const status = toStatus(mark.toLowerCase(), terminal, mark);
  return [status, `: ${reports.length} steps, ${failed} failed${more}`];
}

/** Returns the exit code. A warning means that a lost payment could not be found. */
function toExitCode(reports: readonly StepReport[]): ExitCode {
  const failed = reports.filter(({ status }) => status === 'failed');
  if (failed.some(({ cause }) => cause !== 'service')) return exitCodes.unknown;
  if (failed.length > 0) return exitCodes.refused;
  return countSteps(reports, 'warning') === 0 ? exitCodes.ok : exitCodes.unknown;
}

/** The name of the test suite. */
const SUITE = 'service-cli smoke';

/** Formats the failed steps as annotations of GitHub Actions. */
function toAnnotations(reports: readonly StepReport[]): string[] {
  return reports
    .filter(({ status }) => status === 'failed' || status === 'warning')
    .map(({ name, status, detail }) => {
      const title = escapeData(`${SUITE}: ${name}`).replaceAll(':', '%3A').replaceAll(',', '%2C');
      return `::${status === 'failed' ? 'error' : 'warning'} title=${title}::${escapeData(detail)}`;
    });
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
