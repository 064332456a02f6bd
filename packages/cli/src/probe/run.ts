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
import type { Bench, Plan } from './bench.ts';
import type { Inbox } from './inbox.ts';
import { openMailbox } from './mailbox.ts';
import { probe, type Probed } from './probe.ts';
import { judge, summarize, toLine, toReport } from './report.ts';
import { createAsk, send } from './wire.ts';

/** Holds what `probe` was asked for; spans in milliseconds. */
export type ProbeOptions = Omit<Plan, 'foreign' | 'patience' | 'webhookPatience'> & {
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

/** Finds out the profile of the service at the base URL, shows, saves and compares it. Throws UsageError, ServiceError. */
export async function runProbe(session: Session, options: ProbeOptions): Promise<ExitCode> {
  const { output, environment } = session;
  checkWebhooks(options);
  checkStdin([session.globals().keyFile, options.secretFile, options.expect]);
  const settings = await readSettings(session);
  const client = await openClient(settings);
  if (modeOfKey(settings.apiKey) === 'live')
    throw new UsageError('probe creates payments to look at them: it takes a test key only.');
  const expected = await readExpected(session, options);
  await checkFolder(options);
  output.note(`Probing ${settings.baseUrl} with ${maskKeys(settings.apiKey)}.`);
  // What is wrong with the key or the address is told as every command tells it.
  await client.balance.retrieve({ signal: environment.signal });
  const show = createShow(session, options);
  const probed = await probeAll(session, { settings, options, show });
  const report = toReport(probed.findings, expected);
  if (output.json) await show({ base_url: settings.baseUrl, ...report, ...lagOf(probed) }, []);
  else await show(undefined, ['', ...summarize(report)]);
  if (probed.readLag > 0) {
    const lag = `${(probed.readLag / 1_000).toFixed(1)} s`;
    output.note(`Read lag ${lag}: for so long after its create, a payment was answered with 404.`);
  }
  if (options.save !== undefined && probed.isComplete) await save(options.save, report.profile);
  if (!probed.isComplete) output.note(...explainGaps(options));
  return judge(report, probed);
}

function lagOf({ readLag }: Probed): object {
  return readLag > 0 ? { read_lag_ms: Math.round(readLag) } : {};
}

/** Refuses what is about webhooks where none are received, or none that are signed with a secret of one's own. Throws UsageError. */
function checkWebhooks({ sandbox, listen, secretFile, webhookTimeout }: ProbeOptions): void {
  if (secretFile !== undefined && listen === undefined)
    throw new UsageError('--secret-file is for --listen; a sandbox gives its secret itself.');
  if (webhookTimeout !== undefined && listen === undefined && sandbox !== true)
    throw new UsageError(
      '--webhook-timeout limits the waiting for webhooks, which --sandbox or --listen receives.',
    );
}

/** A profile with gaps that the service does not have must not take the place of a fuller one. */
function explainGaps({ save: path }: ProbeOptions): string[] {
  const unsaved = path === undefined ? '' : ` Nothing was written to ${JSON.stringify(path)}.`;
  return [`Not all was seen: the run was interrupted, or an answer did not come.${unsaved}`];
}

/** Reads what the service is held to. Throws UsageError for a file that holds it to nothing, or to what no profile has. */
async function readExpected(session: Session, { expect }: ProbeOptions): Promise<ProfileFile | undefined> {
  if (expect === undefined) return undefined;
  const expected = await readProfileFile(expect, session);
  if (Object.keys(expected).length === 0) {
    throw new UsageError(
      'The file of --expect holds no setting, so nothing is expected; --save writes one that does.',
    );
  }
  const { createMock, SandboxError } = await import('@service/mock');
  try {
    // Whoever plays profiles knows all their settings and values.
    createMock({ profile: expected });
  } catch (error) {
    if (error instanceof SandboxError) throw new UsageError(`--expect: ${error.message}`);
    throw error;
  }
  return expected;
}

/** Throws UsageError, before anything is asked, where nothing can be saved. */
async function checkFolder({ save: path }: ProbeOptions): Promise<void> {
  if (path === undefined) return;
  const folder = dirname(resolve(path));
  await access(folder, constants.W_OK).catch(() => {
    throw new UsageError(
      `Nothing can be written to ${JSON.stringify(folder)}: --save needs a folder that is there.`,
    );
  });
}

type Show = Session['output']['result'];

/** Makes what shows results. A reader that went away must not end what is to be saved, or turn a difference into a 0. */
function createShow({ output }: Session, { save: file, expect }: ProbeOptions): Show {
  if (file === undefined && expect === undefined) return output.result;
  return (document, lines) => tolerateHangUp(output.result(document, lines));
}

type Probing = { readonly settings: Settings; readonly options: ProbeOptions; readonly show: Show };

/** Makes all experiments, with an inbox for webhooks where one was asked for, and shows each finding as it comes. */
async function probeAll(session: Session, { settings, options, show }: Probing): Promise<Probed> {
  const { sandbox = false, listen, secretFile, payments } = options;
  const mailbox = await openMailbox(session, { key: settings.apiKey, sandbox, listen, secretFile });
  try {
    return await probe(openBench(session, settings, { options, inbox: mailbox.inbox }), {
      pays: payments,
      onFinding: async (finding) => {
        if (!session.output.json) await show(undefined, [toLine(finding)]);
      },
    });
  } finally {
    await mailbox.close();
  }
}

type Means = { readonly options: ProbeOptions; readonly inbox: Inbox | undefined };

function openBench(
  { environment }: Session,
  settings: Settings,
  { options, inbox }: Means,
): Omit<Bench, 'onReadLag'> {
  const { signal, clock = systemClock } = environment;
  const { foreignPayment: foreign, timeout: patience = 60_000, webhookTimeout = 30_000 } = options;
  const fetch: Fetch = settings.fetch ?? ((request) => globalThis.fetch(request));
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  // Rejects, since whoever waits for something would else wait again and again once the run is interrupted.
  const sleep: Bench['sleep'] = async (milliseconds) => {
    await clock.sleep(milliseconds, signal);
    signal.throwIfAborted();
  };
  const wire = { baseUrl, key: settings.apiKey, fetch, signal, sleep, timeout: 30_000 };
  return {
    plan: { ...options, foreign, patience, webhookPatience: webhookTimeout },
    key: settings.apiKey,
    inbox,
    ask: createAsk(wire),
    askOnce: (path, question = {}) => send(wire, path, question),
    signal,
    sleep,
    now: clock.now,
  };
}

async function save(path: string, profile: ProfileFile): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(profile, null, 2)}\n`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new UsageError(`The profile was found and cannot be written to ${JSON.stringify(path)}: ${code}.`);
  }
}
