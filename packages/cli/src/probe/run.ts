import { access, constants, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Fetch } from '@service/sdk';
import { systemClock } from '../clock.ts';
import { modeOfKey, openClient, readSettings, type Settings } from '../config.ts';
import type { ExitCode } from '../exit-code.ts';
import { checkStdin } from '../input.ts';
import { tolerateHangUp } from '../lost-output-error.ts';
import { maskKeys } from '../masking.ts';
import { type ProfileFile, readProfileFile } from '../profile-file.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import type { ProbeContext, ProbePlan } from './context.ts';
import type { WebhookRecorder } from './webhook-recorder.ts';
import { startWebhookListener } from './webhook-listener.ts';
import { probe, type ProbeResult } from './probe.ts';
import { toExitCode, summarize, toLine, toReport } from './report.ts';
import { createSendRequest, sendOnce } from './raw-client.ts';

/** The options of `probe`; durations in milliseconds. */
export type ProbeOptions = Omit<ProbePlan, 'foreign' | 'patience' | 'webhookPatience'> & {
  readonly foreignPayment?: string;
  readonly timeout?: number;
  readonly sandbox?: true;
  readonly listen?: number;
  readonly secretFile?: string;
  readonly webhookTimeout?: number;
  /** False with `--no-payments`. */
  readonly payments: boolean;
  readonly save?: string;
  readonly expect?: string;
};

/**
 * Measures the profile of the service at the base URL, prints it, saves it and compares it with an expected
 * profile.
 *
 * @throws {UsageError} when an option is invalid.
 * @throws {ServiceError} when the first request fails.
 */
export async function runProbe(session: Session, options: ProbeOptions): Promise<ExitCode> {
  const { output, environment } = session;
  checkWebhooks(options);
  checkStdin([session.globals().keyFile, options.secretFile, options.expect]);
  const settings = await readSettings(session);
  const client = await openClient(settings);
  if (modeOfKey(settings.apiKey) === 'live')
    throw new UsageError('probe creates payments, so it accepts only a test key (service_test_…).');
  const expected = await readExpected(session, options);
  await checkSaveFolder(options);
  output.note(`Probing ${settings.baseUrl} with ${maskKeys(settings.apiKey)}.`);
  // A wrong key or base URL is reported as by every command.
  await client.balance.retrieve({ signal: environment.signal });
  const print = createPrinter(session, options);
  const result = await probeAll(session, { settings, options, print });
  const report = toReport(result.findings, expected);
  if (output.json) await print({ base_url: settings.baseUrl, ...report, ...toLagField(result) }, []);
  else await print(undefined, ['', ...summarize(report)]);
  if (result.readLag > 0) {
    const lag = `${(result.readLag / 1_000).toFixed(1)} s`;
    output.note(`Read lag ${lag}: for this long after the create, the service responded to reads with 404.`);
  }
  if (options.save !== undefined && result.isComplete) await saveProfile(options.save, report.profile);
  if (!result.isComplete) output.note(...explainIncomplete(options));
  return toExitCode(report, result);
}

function toLagField({ readLag }: ProbeResult): object {
  return readLag > 0 ? { read_lag_ms: Math.round(readLag) } : {};
}

/**
 * Checks the options for webhooks.
 *
 * @throws {UsageError} when one has no effect.
 */
function checkWebhooks({ sandbox, listen, secretFile, webhookTimeout }: ProbeOptions): void {
  if (secretFile !== undefined && listen === undefined)
    throw new UsageError('--secret-file requires --listen; with --sandbox the mock returns its own secret.');
  if (webhookTimeout !== undefined && listen === undefined && sandbox !== true)
    throw new UsageError('--webhook-timeout requires --sandbox or --listen.');
}

/** Explains why the run is incomplete. An incomplete profile must not replace a complete one. */
function explainIncomplete({ save: path }: ProbeOptions): string[] {
  const unsaved = path === undefined ? '' : ` Nothing was written to ${JSON.stringify(path)}.`;
  return [`The probe is incomplete: it was interrupted, or a response was missing.${unsaved}`];
}

/**
 * Reads the expected profile.
 *
 * @throws {UsageError} when the file has no settings, or settings that no profile has.
 */
async function readExpected(session: Session, { expect }: ProbeOptions): Promise<ProfileFile | undefined> {
  if (expect === undefined) return undefined;
  const expected = await readProfileFile(expect, session);
  if (Object.keys(expected).length === 0) {
    throw new UsageError('The file of --expect contains no settings. Create one with --save.');
  }
  const { createMock, SandboxError } = await import('@service/mock');
  try {
    // The mock validates the settings and values of a profile.
    createMock({ profile: expected });
  } catch (error) {
    if (error instanceof SandboxError) throw new UsageError(`--expect: ${error.message}`);
    throw error;
  }
  return expected;
}

/**
 * Checks the folder of `--save` before the first request.
 *
 * @throws {UsageError} when it is not writable.
 */
async function checkSaveFolder({ save: path }: ProbeOptions): Promise<void> {
  if (path === undefined) return;
  const folder = dirname(resolve(path));
  await access(folder, constants.W_OK).catch(() => {
    throw new UsageError(`--save: the folder ${JSON.stringify(folder)} does not exist or is not writable.`);
  });
}

type Print = Session['output']['result'];

/**
 * Creates the printer of results. With `--save` or `--expect` a closed stdout must not end the run or change
 * the exit code.
 */
function createPrinter({ output }: Session, { save: file, expect }: ProbeOptions): Print {
  if (file === undefined && expect === undefined) return output.result;
  return (document, lines) => tolerateHangUp(output.result(document, lines));
}

interface ProbeAllOptions {
  readonly settings: Settings;
  readonly options: ProbeOptions;
  readonly print: Print;
}

/** Runs all experiments, with a webhook listener if one was requested, and prints each finding. */
async function probeAll(
  session: Session,
  { settings, options, print }: ProbeAllOptions,
): Promise<ProbeResult> {
  const { sandbox = false, listen, secretFile, payments } = options;
  const listener = await startWebhookListener(session, { key: settings.apiKey, sandbox, listen, secretFile });
  try {
    return await probe(createProbeContext(session, settings, { options, recorder: listener.recorder }), {
      pays: payments,
      onFinding: async (finding) => {
        if (!session.output.json) await print(undefined, [toLine(finding)]);
      },
    });
  } finally {
    await listener.close();
  }
}

interface ContextOptions {
  readonly options: ProbeOptions;
  readonly recorder: WebhookRecorder | undefined;
}

function createProbeContext(
  { environment }: Session,
  settings: Settings,
  { options, recorder }: ContextOptions,
): Omit<ProbeContext, 'onReadLag'> {
  const { signal, clock = systemClock } = environment;
  const { foreignPayment: foreign, timeout: patience = 60_000, webhookTimeout = 30_000 } = options;
  const fetch: Fetch = settings.fetch ?? ((request) => globalThis.fetch(request));
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  // The clock resolves after an interruption; without a rejection, polling loops would not end.
  const sleep: ProbeContext['sleep'] = async (milliseconds) => {
    await clock.sleep(milliseconds, signal);
    signal.throwIfAborted();
  };
  const clientOptions = { baseUrl, key: settings.apiKey, fetch, signal, sleep, timeout: 30_000 };
  return {
    plan: { ...options, foreign, patience, webhookPatience: webhookTimeout },
    key: settings.apiKey,
    recorder,
    send: createSendRequest(clientOptions),
    sendOnce: (path, request = {}) => sendOnce(clientOptions, path, request),
    signal,
    sleep,
    now: clock.now,
  };
}

async function saveProfile(path: string, profile: ProfileFile): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(profile, null, 2)}\n`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new UsageError(`--save: the profile cannot be written to ${JSON.stringify(path)}: ${code}.`);
  }
}
