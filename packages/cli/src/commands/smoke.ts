import { runClock } from '@service/internal';
import type { Client } from '@service/sdk';
import type { Command } from 'commander';
import { modeOfKey, openClient, readSettings, type Settings } from '../config.ts';
import { UsageError } from '../errors.ts';
import { checkFolder, maskKeys, writeReport } from '../output.ts';
import type { Progress } from '../progress.ts';
import { parseDuration } from '../parse.ts';
import { type CreateAction, type ExitCode, exitCodes, type Handler } from '../session.ts';
import { smoke, type StepReport, toAnnotations, toJUnit } from '../smoke/smoke.ts';
import { steps } from '../smoke/steps.ts';
import { type Cell, toRow } from '../table.ts';
import { type Line, type Terminal, toStatus } from '../terminal.ts';

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
    .option('--junit <file>', 'write the steps as JUnit XML')
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
  readonly junit?: string;
}

const runSmoke: Handler<readonly [], Options> = async (session, { options }) => {
  const { output, environment } = session;
  const settings = await readSettings(session);
  // The client must not hide the read lag, which the command measures.
  const client = await openClient({ ...settings, readLag: 0 });
  const mode = modeOfKey(settings.apiKey);
  if (mode === 'live') checkLive(options);
  await checkFolder('--junit', options.junit);
  const { from, to, amount, account, name = 'Smoke Test', timeout = 60_000, readLag = 10_000 } = options;
  const plan = {
    from: from.toUpperCase(),
    to: to.toUpperCase(),
    amount,
    account,
    name,
    purpose: toPurpose(),
  };
  const { signal, clock = runClock } = environment;
  output.note(`Testing ${settings.baseUrl} with ${maskKeys(settings.apiKey)}.`);
  const unknownKeyClient = await createUnknownKeyClient(settings);
  const context = { client, unknownKeyClient, mode, plan, timeout, readLag, clock, signal };
  const { terminal } = output;
  let done = 0;
  let step = steps[0]?.name;
  const runSteps = (): Promise<StepReport[]> =>
    smoke(context, async (report) => {
      done += 1;
      step = steps[done]?.name;
      if (!output.json) await output.result(undefined, toStepLines(report, terminal));
    });
  if (!output.json && terminal.isTTY) await output.result(undefined, [heading]);
  const progress = (): Progress => ({ text: `Running the step ${step}`, done, total: steps.length });
  const reports = await output.wait(progress, runSteps);
  if (environment.env.GITHUB_ACTIONS === 'true') output.note(...toAnnotations(reports));
  const summary = formatSummary(reports, terminal);
  if (output.json) await output.result({ ok: isOk(reports), mode, steps: reports }, []);
  else await output.result(undefined, ['', summary]);
  // Last: the result of a run that created a payment must not be lost.
  if (options.junit !== undefined) await writeReport('--junit', options.junit, maskKeys(toJUnit(reports)));
  return signal.aborted ? exitCodes.unknown : toExitCode(reports);
};

function checkLive({ live, name }: Options): void {
  if (live !== true) throw new UsageError('A live key pays real money. Pass --live to allow that.');
  if (name === undefined) throw new UsageError('--live pays real money. Pass the beneficiary with --name.');
}

/**
 * Creates a client with a well-formed key that no account has. The `+` keeps a sandbox with open accounts from
 * opening one.
 */
function createUnknownKeyClient(settings: Settings): Promise<Client> {
  return openClient({
    ...settings,
    apiKey: `service_${modeOfKey(settings.apiKey)}_unknown+${crypto.randomUUID()}`,
  });
}

function toPurpose(): string {
  return `smoke-${crypto.randomUUID()}`;
}

/** The heading of the steps, on a terminal. */
const heading: Line = [{ text: 'status     step                 time  detail', style: 'strong' }];

function toStepLines({ name, status, detail, duration_ms }: StepReport, terminal: Terminal): Line[] {
  const mark = status === 'failed' || status === 'warning' ? status.toUpperCase() : status;
  const cells: Cell[] = [
    [toStatus(status, terminal, mark), terminal.isTTY ? 9 : 7],
    [name, 15],
    [`${duration_ms} ms`.padStart(8), 8],
  ];
  return toRow(cells, detail, terminal);
}

function countSteps(reports: readonly StepReport[], wanted: StepReport['status']): number {
  return reports.filter(({ status }) => status === wanted).length;
}

/** Whether there was no failure and no warning. A warning means that a lost payment could not be found. */
function isOk(reports: readonly StepReport[]): boolean {
  return countSteps(reports, 'failed') + countSteps(reports, 'warning') === 0;
}

function formatSummary(reports: readonly StepReport[], terminal: Terminal): Line {
  const failed = countSteps(reports, 'failed');
  const warnings = countSteps(reports, 'warning');
  const mark = failed > 0 ? 'FAILED' : warnings > 0 ? 'WARNING' : 'ok';
  const more = warnings === 0 ? '' : `, ${warnings} with a warning`;
  const status = toStatus(mark.toLowerCase(), terminal, mark);
  return [status, `: ${reports.length} steps, ${failed} failed${more}`];
}

function toExitCode(reports: readonly StepReport[]): ExitCode {
  const failed = reports.filter(({ status }) => status === 'failed');
  if (failed.some(({ cause }) => cause !== 'service')) return exitCodes.unknown;
  if (failed.length > 0) return exitCodes.refused;
  return isOk(reports) ? exitCodes.ok : exitCodes.unknown;
}
