import { systemClock } from '@service/internal';
import {
  type Client,
  isAbortError,
  isConnectionError,
  isPaymentOutcomeUnknownError,
  isServiceError,
  isTimeoutError,
  isValidationError,
  isWaitTimeoutError,
} from '@service/sdk';
import type { Command } from 'commander';
import { modeOfKey, openClient, readSettings, type Settings } from '../config.ts';
import { UsageError } from '../errors.ts';
import { summarize } from '../failure.ts';
import { maskKeys } from '../output.ts';
import { parseDuration } from '../parse.ts';
import { type CreateAction, type ExitCode, exitCodes, type Handler } from '../session.ts';
import { Discrepancy } from '../smoke/checks.ts';
import { type SmokeContext, type Step, steps } from '../smoke/steps.ts';

/** Defines `smoke`, which tests the service at the base URL from end to end. */
export function defineSmoke(command: Command, act: CreateAction): void {
  command
    .option('--from <currency>', 'currency to send', 'USD')
    .option('--to <currency>', 'currency to receive', 'EUR')
    .option('--amount <amount>', 'amount to send', '1.00')
    .option('--name <name>', 'name of the beneficiary (default: Smoke Test; required with --live)')
    .option('--account <account>', 'account number or IBAN of the beneficiary')
    .option('--timeout <span>', 'maximum wait for a final status (default: 60s)', parseDuration)
    .option('--read-lag <span>', 'accepted read lag after the create (default: 10s)', parseDuration)
    .option('--live', 'allow a live key, which pays real money')
    .addHelpText(
      'after',
      '\nExit codes: 0 every step passed or was skipped, 1 the service is wrong, 3 outcome unknown, or a lost payment could not be found.\n\nExample:\n  $ service-cli smoke --from USD --to EUR --amount 1.00 --timeout 2m',
    )
    .action(act(runSmoke));
}

interface Options {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly name?: string;
  readonly account?: string;
  readonly timeout?: number;
  readonly readLag?: number;
  readonly live?: true;
}

const runSmoke: Handler<readonly [], Options> = async (session, { options }) => {
  const { output, environment } = session;
  const settings = await readSettings(session);
  // The client must not hide the read lag, which the command measures.
  const client = await openClient({ ...settings, readLag: 0 });
  const mode = modeOfKey(settings.apiKey);
  if (mode === 'live') checkLive(options);
  const { from, to, amount, account, name = 'Smoke Test', timeout = 60_000, readLag = 10_000 } = options;
  const plan = {
    from: from.toUpperCase(),
    to: to.toUpperCase(),
    amount,
    account,
    name,
    purpose: toPurpose(),
  };
  const { signal, clock = systemClock } = environment;
  output.note(`Testing ${settings.baseUrl} with ${maskKeys(settings.apiKey)}.`);
  const unknownKeyClient = await createUnknownKeyClient(settings);
  const context = { client, unknownKeyClient, mode, plan, timeout, readLag, clock, signal };
  const reports = await smoke(context, async (report) => {
    if (!output.json) await output.result(undefined, [toLine(report)]);
  });
  const summary = formatSummary(reports);
  if (output.json) await output.result({ ok: isOk(reports), mode, steps: reports }, []);
  else await output.result(undefined, ['', summary]);
  return signal.aborted ? exitCodes.unknown : toExitCode(reports);
};

function checkLive({ live, name }: Options): void {
  if (live !== true) throw new UsageError('A live key pays real money. Pass --live to allow that.');
  if (name === undefined) throw new UsageError('--live pays real money. Pass the beneficiary with --name.');
}

/** Creates a client with a well-formed key that no account has. */
function createUnknownKeyClient(settings: Settings): Promise<Client> {
  return openClient({
    ...settings,
    apiKey: `service_${modeOfKey(settings.apiKey)}_${crypto.randomUUID()}`,
  });
}

function toPurpose(): string {
  return `smoke-${crypto.randomUUID()}`;
}

function toLine({ name, status, detail, duration_ms }: StepReport): string {
  const mark = status === 'failed' || status === 'warning' ? status.toUpperCase() : status;
  return `${mark.padEnd(7)}  ${name.padEnd(15)}  ${`${duration_ms} ms`.padStart(8)}  ${detail}`;
}

function countSteps(reports: readonly StepReport[], wanted: StepReport['status']): number {
  return reports.filter(({ status }) => status === wanted).length;
}

/** Whether there was no failure and no warning. A warning means that a lost payment could not be found. */
function isOk(reports: readonly StepReport[]): boolean {
  return countSteps(reports, 'failed') + countSteps(reports, 'warning') === 0;
}

function formatSummary(reports: readonly StepReport[]): string {
  const failed = countSteps(reports, 'failed');
  const warnings = countSteps(reports, 'warning');
  const mark = failed > 0 ? 'FAILED' : warnings > 0 ? 'WARNING' : 'ok';
  const more = warnings === 0 ? '' : `, ${warnings} with a warning`;
  return `${mark}: ${reports.length} steps, ${failed} failed${more}`;
}

function toExitCode(reports: readonly StepReport[]): ExitCode {
  const failed = reports.filter(({ status }) => status === 'failed');
  if (failed.some(({ blame }) => blame !== 'service')) return exitCodes.unknown;
  if (failed.length > 0) return exitCodes.refused;
  return isOk(reports) ? exitCodes.ok : exitCodes.unknown;
}

/**
 * The cause of a failed step. `service`: a wrong response. `network`: no response. `unknown`: a response that
 * does not reveal the outcome, such as a 5xx or an unreadable body.
 */
export type FailureCause = 'service' | 'network' | 'unknown';

/** The result of one step; `blame` is set if it failed. */
export interface StepReport {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly duration_ms: number;
  readonly blame?: FailureCause;
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
  if (reports.some(({ blame }) => blame === 'network')) return 'the service cannot be reached';
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
    if (isValidationError(error) && error.attempts === 0 && context.payment === undefined) throw error;
    return {
      name,
      status: 'failed',
      detail: describeError(error),
      duration_ms: since(),
      blame: toFailureCause(error),
    };
  }
}

function toSkippedReport({ name }: Step, detail: string): StepReport {
  return { name, status: 'skipped', detail, duration_ms: 0 };
}

function toFailureCause(error: unknown): FailureCause {
  if (error instanceof Discrepancy) return 'service';
  // A payment that was read but reached no final status: the service responded.
  if (isWaitTimeoutError(error)) return error.last === undefined ? toFailureCause(error.cause) : 'service';
  if (isNetwork(error)) return 'network';
  return isServiceError(error) && error.outcome !== 'unknown' ? 'service' : 'unknown';
}

/** Returns true if no response was received. */
function isNetwork(error: unknown): boolean {
  if (isPaymentOutcomeUnknownError(error)) return isNetwork(error.cause);
  return isConnectionError(error) || isTimeoutError(error) || isAbortError(error);
}

function describeError(error: unknown): string {
  return error instanceof Discrepancy ? error.message : summarize(error);
}
