import type { JsonObject } from '@service/internal';
import { createMock, SandboxError } from '@service/mock';
import { probe, type ProbeResult, type WebhookSource } from '@service/probe';
import { listenForWebhooks } from '@service/probe/node';
import { InvalidArgumentError } from 'commander';
import { defineCommand, flag, offSwitch, preset, value, type ValuesOf } from '../command.ts';
import { modeOfKey, openClient, readSettings, requireSecret, type Settings } from '../config.ts';
import { createAddressError, UsageError } from '../errors.ts';
import { checkStdin, readProfileFile } from '../input.ts';
import { checkFolder, maskKeys, type Output, tolerateHangUp, writeReport } from '../output.ts';
import { parseDuration, parseId, parseWhole, secretFile } from '../parse.ts';
import { summarize, toExitCode, toReport, toTable } from '../probe/report.ts';
import { setTemporaryEndpoint, type TemporaryEndpoint } from '../sandbox/temporary-endpoint.ts';
import type { DefineCommand, ExitCode, Session } from '../session.ts';

const input = {
  from: preset('<currency>', 'currency to send', 'USD', toCode),
  to: preset('<currency>', 'currency to receive', 'EUR', toCode),
  amount: preset('<amount>', 'amount of each test payment', '10.00', toAmount),
  name: preset('<name>', 'name of the beneficiary', 'Probe'),
  failing: preset('<account>', 'account whose payments fail', 'SIM-FAIL'),
  returning: preset('<account>', 'account whose payments fail after they completed', 'SIM-RETURN'),
  unavailable: value('<account>', 'account whose creates the service refuses'),
  foreignPayment: value('<id>', 'payment of another account, to see its rejection', parseId),
  burst: preset('<requests>', 'maximum requests to reach the rate limit', 0, parseWhole(0, 10_000)),
  timeout: value('<span>', 'maximum time to watch each payment (default: 20s)', parseDuration),
  payments: offSwitch('create no test payments; their settings remain unknown'),
  sandbox: flag('receive the webhooks of a running service-cli mock', { conflicts: ['listen'] }),
  listen: value('<port>', 'port that the webhook endpoint of the service leads to', parseWhole(1, 65_535)),
  secretFile,
  webhookTimeout: value('<span>', 'maximum wait for each webhook (default: 30s)', parseDuration),
  verbose: flag('print each setting with its evidence before the summary'),
  save: value('<file>', 'write the settings as JSON, for mock --profile'),
  expect: value('<file>', 'exit 1 if the service differs from the settings in this file'),
};

/** The options of `probe`; durations in milliseconds. */
type Options = ValuesOf<typeof input>;

/** Defines `probe`, which measures the profile settings of a service (docs/contract.md#profile-settings). */
export const probeCommand: DefineCommand = defineCommand({
  input,
  help: 'Example:\n  $ service-cli probe --save profile.json && service-cli mock --profile profile.json',
  run: runProbe,
});

function toCode(text: string): string {
  if (/^[A-Za-z]{3}$/.test(text)) return text.toUpperCase();
  throw new InvalidArgumentError('Write a currency of three letters, such as USD.');
}

function toAmount(text: string): string {
  if (/^\d{1,9}(\.\d{1,2})?$/.test(text) && /[1-9]/.test(text)) return text;
  throw new InvalidArgumentError('Write an amount above 0 with at most 2 decimals, such as 1.00.');
}

async function runProbe(session: Session, options: Options): Promise<ExitCode> {
  const { output } = session;
  checkWebhooks(options);
  checkStdin([session.globals().keyFile, options.secretFile, options.expect]);
  const settings = await readSettings(session);
  // Checks the key and the base URL, which are printed below.
  await openClient(settings);
  if (modeOfKey(settings.apiKey) === 'live')
    throw new UsageError('probe creates payments, so it accepts only a test key (service_test_…).');
  const expected = await readExpected(session, options);
  await checkFolder('--save', options.save);
  output.note(`Probing ${settings.baseUrl} with ${maskKeys(settings.apiKey)}.`);
  const print = createPrinter(session, options);
  const result = await probeService(session, { settings, options });
  const report = toReport(result, expected);
  if (output.json) await print({ base_url: settings.baseUrl, ...report }, []);
  else
    await print(undefined, [
      ...(options.verbose ? toTable(report, output.terminal) : []),
      ...summarize(report),
    ]);
  if (options.save !== undefined && result.isComplete)
    await writeReport('--save', options.save, `${JSON.stringify(report.profile, null, 2)}\n`);
  if (!result.isComplete) output.note(...explainIncomplete(options));
  return toExitCode(report, result);
}

/**
 * Checks the options for webhooks.
 *
 * @throws {UsageError} when one has no effect.
 */
function checkWebhooks({ sandbox, listen, secretFile: path, webhookTimeout }: Options): void {
  if (path !== undefined && listen === undefined)
    throw new UsageError('--secret-file requires --listen; with --sandbox the mock returns its own secret.');
  if (webhookTimeout !== undefined && listen === undefined && sandbox !== true)
    throw new UsageError('--webhook-timeout requires --sandbox or --listen.');
}

/** Explains why the run is incomplete. An incomplete profile must not replace a complete one. */
function explainIncomplete({ save: path }: Options): string[] {
  const unsaved = path === undefined ? '' : ` Nothing was written to ${JSON.stringify(path)}.`;
  return [`The probe is incomplete: it was interrupted, or a response was missing.${unsaved}`];
}

/**
 * Reads the expected profile.
 *
 * @throws {UsageError} when the file has no settings, or settings that no profile has.
 */
async function readExpected(session: Session, { expect }: Options): Promise<JsonObject | undefined> {
  if (expect === undefined) return undefined;
  const expected = await readProfileFile(expect, session);
  if (Object.keys(expected).length === 0) {
    throw new UsageError('The file of --expect contains no settings. Create one with --save.');
  }
  try {
    // The mock validates the settings and values of a profile.
    createMock({ profile: expected });
  } catch (error) {
    if (error instanceof SandboxError) throw new UsageError(`--expect: ${error.message}`);
    throw error;
  }
  return expected;
}

type Print = Session['output']['result'];

/**
 * Creates the printer of results. With `--save` or `--expect` a closed stdout must not end the run or change
 * the exit code.
 */
function createPrinter({ output }: Session, { save: file, expect }: Options): Print {
  if (file === undefined && expect === undefined) return output.result;
  return (document, lines) => tolerateHangUp(output.result(document, lines));
}

interface ProbeServiceOptions {
  readonly settings: Settings;
  readonly options: Options;
}

/** Runs the probe, with a webhook listener if one was requested, and shows what is measured. */
async function probeService(
  session: Session,
  { settings, options }: ProbeServiceOptions,
): Promise<ProbeResult> {
  const { environment, output } = session;
  const { sandbox, listen, secretFile: path, save: _, expect: __, verbose: ___, ...probeOptions } = options;
  const isListening = sandbox === true || listen !== undefined;
  let endpoint: TemporaryEndpoint | undefined;
  const readSecret = async (url: URL): Promise<string> => {
    if (sandbox !== true) return requireSecret(session, path);
    endpoint = await setTemporaryEndpoint(session, { key: settings.apiKey, url, secret: undefined });
    return endpoint.secret;
  };
  let done = 0;
  let subjects: readonly string[] = [];
  const { apiKey, baseUrl, allowInsecureHttp, fetch, onWarning } = settings;
  const connection = { apiKey, baseUrl, allowInsecureHttp, fetch, onWarning };
  const run = (): Promise<ProbeResult> =>
    probe(connection, {
      ...probeOptions,
      webhooks: isListening ? createWebhookSource(listen, readSecret, output) : undefined,
      onProgress: (present) => {
        done = Math.min(done + 1, total);
        subjects = present;
      },
      signal: environment.signal,
      clock: environment.clock,
    });
  try {
    return await output.wait(() => ({ text: 'Measuring', details: subjects, done, total }), run);
  } finally {
    await endpoint?.restore();
  }
}

/** Creates a webhook listener on a port, and on any free port without one. */
function createWebhookSource(
  port: number | undefined,
  secret: (url: URL) => Promise<string>,
  { note }: Output,
): WebhookSource {
  const listen = listenForWebhooks({
    port,
    secret,
    onListening: ({ href }) => note(`Listening for webhooks at ${href}.`),
    onRejected: ({ message }) => note(`Rejected a webhook: ${message}`),
    onWarning: ({ message }) => note(`warning: ${message}`),
  });
  return (sink) =>
    listen(sink).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).syscall !== 'listen') throw error;
      throw createAddressError({ host: '127.0.0.1', port: port ?? 0 }, error, PORT_ADVICE);
    });
}

/** The number of parts of a run of the probe. */
const total = 20;

const PORT_ADVICE = 'The endpoint of the service points to this port, so stop the process that uses it.';
