import { randomInt } from 'node:crypto';
import { defaultProfile } from '@service/mock';
import { Application } from '../chaos/application.ts';
import {
  explainFailures,
  type RunReport,
  summarize,
  toCases,
  toDocument,
  toResultLines,
} from '../chaos/report.ts';
import { findFreePorts, Runner, selectScenarios } from '../chaos/runner.ts';
import { parseTrigger, type RunContext } from '../chaos/run.ts';
import { writePage } from '../chaos/page.ts';
import { checkVariables } from '../chaos/safety.ts';
import { type ChaosOptions, ChaosService } from '../chaos/service.ts';
import { commandArgument, defineCommand, preset, requireCommand, value, type ValuesOf } from '../command.ts';
import { configure, describeDefect, UsageError } from '../errors.ts';
import { readProfileFile } from '../input.ts';
import { checkFolder, maskKeys, writeReport } from '../output.ts';
import { parseDuration, parsePath, parseWhole } from '../parse.ts';
import { type DefineCommand, type ExitCode, exitCodes, type Session } from '../session.ts';
import { toJUnit } from '../junit.ts';

const input = {
  command: commandArgument('the command that starts the application, after --'),
  trigger: value('<text>', 'command, or method and URL, that makes the app pay {reference}'),
  handled: value('<command>', 'prints how often {reference} or {payment} took effect'),
  webhooks: value('<path>', "path of the app's webhook route", parsePath),
  appPort: value('<port>', 'port of the app (default: that of --trigger)', parseWhole(1, 65_535)),
  instances: preset('<number>', 'instances of the app, with different PORTs', 1, parseWhole(1, 8)),
  clientTimeout: value('<span>', 'time after which the app gives up a create (default: 30s)', parseDuration),
  settle: value('<span>', 'time without events after which waiting ends (default: 2s)', parseDuration),
  lease: value('<span>', 'time after which another worker takes over', parseDuration),
  kill: value('<name>', 'process of the app that a scenario kills alone'),
  only: value('<names>', 'run only these, such as a,b, after the first one', (text) => text.split(',')),
  profile: value('<file>', 'JSON file with profile settings of the service'),
  seed: value('<number>', 'repeat a run with its ids and references', parseWhole(0, 999_999)),
  report: value('<file>', 'write an HTML page with the timeline of each scenario'),
  junit: value('<file>', 'write the scenarios as JUnit XML'),
};

type Options = ValuesOf<typeof input>;

/** Defines `chaos`, which tests whether an application pays once and handles each webhook once. */
export const chaosCommand: DefineCommand = defineCommand({
  input,
  isVerdict: true,
  help: `Starts the mock and the app, makes it pay while requests and webhooks go wrong, and judges it by the ledger.

Example:
  $ service-cli chaos --trigger 'POST http://localhost:3000/payouts/{reference}' --webhooks /webhooks -- npm start`,
  run: runChaos,
});

/** Short enough for a run, and long enough that a response precedes the completion. */
const statuses = { pending: '50ms', processing: '50ms', completed: '150ms' } as const;

async function runChaos(session: Session, options: Options): Promise<ExitCode> {
  checkCommand(options, session);
  const { env, signal, output, cwd = process.cwd() } = session;
  await checkFolder('--report', options.report);
  await checkFolder('--junit', options.junit);
  await checkVariables(env, cwd);
  const context = await createContext(session, options);
  const { service, application, seed } = context;
  try {
    const runner = new Runner(context);
    const work = (): Promise<void> =>
      runner.run(async (result) => {
        if (!output.json) await output.result(undefined, toResultLines(result, output.terminal));
      });
    const error = await output.wait(() => runner.progress, work).catch(keepUsageError);
    const problem = signal.aborted ? new UsageError('Interrupted. The application was ended.') : error;
    const report = {
      seed,
      results: runner.results(problem?.message.split('\n')[0] ?? ''),
      argv: session.argv,
      problem: problem?.message,
      dropped: service.mock.sandbox.requests.dropped,
    };
    await writeReports(session, options, report);
    if (problem !== undefined) throw problem;
    if (report.results.some(({ verdict }) => verdict === 'failed')) return exitCodes.refused;
    return report.results.some(({ isUnclear }) => isUnclear) ? exitCodes.usage : exitCodes.ok;
  } finally {
    await application.close();
    await service.close();
  }
}

/** Starts the mock, and returns the context of all scenarios. */
async function createContext(session: Session, options: Options): Promise<RunContext> {
  const { env, signal, clock, output } = session;
  const { profile, trigger, webhooks, instances } = options;
  const given = profile === undefined ? {} : await readProfileFile(profile, session, '--profile');
  const known = findPort(options);
  const free = await findFreePorts(instances);
  const chaos: ChaosOptions = {
    ...options,
    clientTimeout: options.clientTimeout ?? 30_000,
    settle: options.settle ?? 2_000,
    env,
    ports: known === undefined ? free : [known, ...free.slice(1)],
    hasPorts: known !== undefined || webhooks !== undefined,
    settings: { readLag: defaultProfile.readLag, ...given, statuses, retrySchedule: 'none', outcomes: [] },
    seed: String(options.seed ?? randomInt(100_000, 1_000_000)),
    clock,
    signal,
    onDefect: (error) => output.note(describeDefect(error)),
  };
  selectScenarios(chaos);
  const service = await configure(() => new ChaosService(chaos), '--profile');
  const baseUrl = await service.listen();
  if (!baseUrl.includes(':4010/'))
    output.note(
      `warning: port 4010 is in use, so the base URL is ${baseUrl} in this run. A store that belongs to another one refuses.`,
    );
  output.note(`Seed ${chaos.seed}.`);
  const variables = {
    SERVICE_BASE_URL: baseUrl,
    SERVICE_API_KEY: service.mock.account.testKey,
    SERVICE_WEBHOOK_SECRET: service.secret,
  };
  const { currencies, idempotency } = service.mock.sandbox.profile.get();
  return {
    ...chaos,
    service,
    application: new Application({ ...chaos, env: { ...env, ...variables } }),
    prefix: `chaos-${chaos.seed}-`,
    currencies: currencies.codes === 'default' ? ['USD', 'GBP'] : currencies.codes.split(' ').slice(0, 2),
    // The document allows both; a profile states one.
    behaviors: 'idempotency' in given ? [idempotency] : ['ignored', 'replayed'],
    // Without a trigger, nothing is to be learned from the first one.
    isSynchronous: trigger === undefined || undefined,
    longest: { create: 0, effect: 0 },
  };
}

/** Returns an error that ends the run with a report. */
function keepUsageError(error: unknown): UsageError {
  if (error instanceof UsageError) return error;
  throw error;
}

/** @throws {UsageError} when the command, the trigger or the system does not allow a run. */
function checkCommand({ command: words, trigger, webhooks }: Options, session: Session): void {
  requireCommand(words, session, 'service-cli chaos', 'npm start');
  if (trigger === undefined && webhooks === undefined)
    throw new UsageError(
      'Pass --trigger, which makes the application pay {reference}, or --webhooks, or both.',
    );
  if (trigger?.includes('{reference}') === false)
    throw new UsageError('--trigger must contain {reference}, which differs in each payment.');
  parseTrigger(trigger ?? '');
}

/** Returns the port of `--app-port`, or that of the URL in `--trigger`. */
function findPort({ appPort, trigger = '' }: Options): number | undefined {
  const text = /(?:localhost|127\.0\.0\.1|\[::1\]):(\d+)/.exec(trigger)?.[1];
  return appPort ?? (text === undefined ? undefined : Number(text));
}

/** Prints the results, and writes the files of `--junit` and `--report`. */
async function writeReports(
  { output }: Session,
  { report: page, junit }: Options,
  report: RunReport,
): Promise<void> {
  const lines = [...explainFailures(report), '', summarize(report)];
  await output.result(toDocument(report), lines);
  if (junit !== undefined)
    await writeReport('--junit', junit, maskKeys(toJUnit(toCases(report), 'service-cli chaos')));
  if (page !== undefined) await writeReport('--report', page, maskKeys(writePage(report)));
}
