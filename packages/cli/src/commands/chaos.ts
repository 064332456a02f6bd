import { randomInt } from 'node:crypto';
import { defaultProfile, type Mock } from '@service/mock';
import { writeReport as writePages } from '@service/mock/report';
import { Application } from '../chaos/application.ts';
import {
  explainFailure,
  findFreePorts,
  type KeyBehavior,
  runScenarios,
  type ScenarioResult,
  summarize,
  toCases,
  toDocument,
  toResultLines,
} from '../chaos/runner.ts';
import { checkVariables } from '../chaos/safety.ts';
import { ChaosService } from '../chaos/service.ts';
import {
  commandArgument,
  defineCommand,
  preset,
  requireCommand,
  type Row,
  value,
  type ValuesOf,
} from '../command.ts';
import { configure, describeDefect, UsageError } from '../errors.ts';
import { readProfileFile } from '../input.ts';
import { checkFolder, maskKeys, writeReport } from '../output.ts';
import { collect, parseDuration, parsePath, parseWhole } from '../parse.ts';
import { type DefineCommand, type ExitCode, exitCodes, type Session } from '../session.ts';
import { toJUnit } from '../junit.ts';

/** Describes an option with a duration that has a default. */
function span(description: string, initial: string): Row<number> {
  const initialValue = { default: parseDuration(initial), defaultText: initial };
  return { kind: 'option', form: '<span>', description, parse: parseDuration, ...initialValue };
}

const input = {
  command: commandArgument('the command that starts the application, after --'),
  trigger: value('<text>', 'command, or method and URL, that makes the app pay {reference}'),
  handled: value('<command>', 'prints how often {reference} or {payment} took effect'),
  webhooks: value('<path>', "path of the app's webhook route", parsePath),
  ready: value('<url>', 'URL that responds when the app is ready (default: its port)'),
  appPort: value('<port>', 'port of the app (default: that of --ready or --trigger)', parseWhole(1, 65_535)),
  instances: preset('<number>', 'instances of the app, with different PORTs', 1, parseWhole(1, 8)),
  clientTimeout: span('time after which the app gives up a create', '30s'),
  settle: span('time without events after which waiting ends', '2s'),
  only: value('<name...>', 'run only these scenarios, after the first one', collect),
  profile: value('<file>', 'JSON file with profile settings of the service'),
  seed: value('<number>', 'repeat a run with its ids and references', parseWhole(0, 999_999)),
  report: value('<file>', 'write an HTML file with all requests, payments and webhooks'),
  junit: value('<file>', 'write the scenarios as JUnit XML'),
};

type Options = ValuesOf<typeof input>;

/** Defines `chaos`, which tests whether an application pays once and handles each webhook once. */
export const chaosCommand: DefineCommand = defineCommand({
  input,
  isVerdict: true,
  help: `Starts the mock and the app, makes it pay while requests and webhooks go wrong, and judges it by the ledger.
The app gets SERVICE_BASE_URL, SERVICE_API_KEY, SERVICE_WEBHOOK_SECRET and PORT, and is killed several times.
Exit codes: 0 no scenario failed, 1 a scenario failed, 2 the scenarios could not run.

Example:
  $ service-cli chaos --trigger 'POST http://localhost:3000/payouts/{reference}' --webhooks /webhooks -- npm start`,
  run: runChaos,
});

/** Short enough for a run, and long enough that a response precedes the completion. */
const statuses = { pending: '50ms', processing: '50ms' } as const;

async function runChaos(session: Session, options: Options): Promise<ExitCode> {
  checkCommand(options, session);
  const { env, signal, clock, cwd = process.cwd(), output } = session;
  await checkFolder('--report', options.report);
  await checkFolder('--junit', options.junit);
  await checkVariables(env, cwd);
  const given = options.profile === undefined ? {} : await readProfileFile(options.profile, session);
  const seed = String(options.seed ?? randomInt(100_000, 1_000_000));
  const known = findPort(options);
  const free = await findFreePorts(options.instances);
  const ports = known === undefined ? free : [known, ...free.slice(1)];
  const { readLag } = defaultProfile;
  const chaos = {
    ...options,
    env,
    ports,
    hasPorts: known !== undefined || options.webhooks !== undefined,
    profile: { readLag, ...given, statuses, retrySchedule: 'none', outcomes: [] } as const,
    seed,
    clock,
    signal,
    onDefect: (error: unknown) => output.note(describeDefect(error)),
  };
  const service = await configure(() => new ChaosService(chaos), '--profile: ');
  const variables = {
    SERVICE_BASE_URL: await service.listen(),
    SERVICE_API_KEY: service.mock.account.testKey,
    SERVICE_WEBHOOK_SECRET: service.secret,
  };
  const application = new Application({ ...chaos, env: { ...env, ...variables } });
  output.note(`Seed ${seed}. The output of the application is in ${application.log}.`);
  // Without a trigger, nothing is to be learned from the first one.
  const isSynchronous = options.trigger === undefined || undefined;
  const context = { ...chaos, service, application, prefix: `chaos-${seed}-`, isSynchronous };
  try {
    await application.start();
    const results = await runScenarios(context, {
      only: options.only ?? [],
      // The document allows both; a profile states one.
      behaviors:
        given.idempotency === undefined ? ['ignored', 'replayed'] : [given.idempotency as KeyBehavior],
      onResult: async (result) => {
        if (!output.json) await output.result(undefined, toResultLines(result, output.terminal));
      },
    });
    if (signal.aborted) throw new UsageError('Interrupted. The application was ended.');
    await reportResults(session, { ...options, seed, mock: service.mock }, results);
    if (results.some(({ verdict }) => verdict === 'failed')) return exitCodes.refused;
    return results.some(({ isUnclear }) => isUnclear) ? exitCodes.usage : exitCodes.ok;
  } finally {
    await application.close();
    await service.close();
  }
}

/** @throws {UsageError} when the command, the trigger or the system does not allow a run. */
function checkCommand({ command: words, trigger, webhooks, handled }: Options, session: Session): void {
  requireCommand(words, session, 'service-cli chaos', 'npm start');
  if (trigger === undefined && webhooks === undefined)
    throw new UsageError(
      'Pass --trigger, which makes the application pay {reference}, or --webhooks, or both.',
    );
  if (trigger !== undefined && !trigger.includes('{reference}') && !trigger.includes('{amount}'))
    throw new UsageError('--trigger must contain {reference} or {amount}, which differ in each payment.');
  if (handled !== undefined && webhooks === undefined)
    throw new UsageError('--handled requires --webhooks, whose effects it counts.');
}

/** Returns the port of the options: that of `--app-port`, or in the URL of `--ready` or `--trigger`. */
function findPort({ appPort, ready = '', trigger = '' }: Options): number | undefined {
  const local = /(?:localhost|127\.0\.0\.1|\[::1\]):(\d+)/;
  const text = local.exec(ready)?.[1] ?? local.exec(trigger)?.[1];
  return appPort ?? (text === undefined ? undefined : Number(text));
}

/** Prints the results, and writes the files of `--junit` and `--report`. */
async function reportResults(
  { output }: Session,
  { seed, mock, report, junit }: Pick<Options, 'report' | 'junit'> & { seed: string; mock: Mock },
  results: readonly ScenarioResult[],
): Promise<void> {
  const explained = results.filter(({ verdict }) => verdict === 'failed').flatMap(explainFailure);
  if (output.json) await output.result(toDocument(results, seed), []);
  else await output.result(undefined, [...explained, '', summarize(results)]);
  if (junit !== undefined)
    await writeReport('--junit', junit, maskKeys(toJUnit(toCases(results), 'service-cli chaos')));
  if (report === undefined) return;
  const title = `service-cli chaos: ${summarize(results)}`;
  await writePages(mock, { file: report, title, error: explained.join('\n').trim() });
}
