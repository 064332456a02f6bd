import { open } from 'node:fs/promises';
import { isLoopback, runClock } from '@service/internal';
import {
  type Exchange,
  formatExchange,
  parseRecording,
  recordTraffic,
  type TrafficRecorder,
} from '@service/probe/node';
import { defineCommand, flag, preset, value, type ValuesOf } from '../command.ts';
import { createAddressError, UsageError } from '../errors.ts';
import { readText } from '../input.ts';
import { checkFolder, LostOutputError, quoteForShell, tolerateHangUp } from '../output.ts';
import { listenOptions, parseUrl, parseWhole } from '../parse.ts';
import { type LearnedProfile, learnInto, readProfile, writeProfile } from '../record/profile-file.ts';
import { formatExchangeLine, formatLearned } from '../record/report.ts';
import { type DefineCommand, type ExitCode, exitCodes, type Session, whenAborted } from '../session.ts';
import type { Line } from '../terminal.ts';

const exampleUrl = 'https://sandbox.example.com/api/v1';

const input = {
  to: value('<url>', `base URL of the service, such as ${exampleUrl}`, parseUrl(exampleUrl)),
  ...listenOptions(4030, 'port for the application'),
  keep: value('<file>', 'append each exchange to a file, one JSON document per line'),
  profile: value('<file>', 'add the settings that the traffic shows to this file'),
  keepNames: flag('do not mask the names of beneficiaries and banks'),
  webhooks: value('<url>', 'forward webhooks to your receiver, and record them', parseUrl(exampleUrl)),
  webhookPort: preset('<port>', 'port of the webhook endpoint of the service', 4031, parseWhole(0, 65_535)),
  learn: value('<file>', "learn from a kept recording, '-' for stdin, without a service", undefined, {
    conflicts: ['to', 'keep', 'webhooks'],
  }),
};

type Options = ValuesOf<typeof input>;

/** Defines `record`, which records the traffic of an application with a service and learns its profile. */
export const recordCommand: DefineCommand = defineCommand({
  input,
  help: `Only test keys are forwarded. Keys, names, accounts, signatures and purposes are masked in all output.

Example:
  $ service-cli record --to ${exampleUrl} --keep traffic.ndjson --profile service.profile.json
  $ export SERVICE_BASE_URL=http://127.0.0.1:4030/api/v1     # for your application, in another terminal
  $ service-cli record --learn traffic.ndjson --profile service.profile.json   # again, later`,
  async run(session, options) {
    const { learn, to } = options;
    if (learn !== undefined) return learnFromFile(session, learn, options);
    if (to === undefined)
      throw new UsageError('The service is missing. Pass --to URL, or --learn FILE for a kept recording.');
    checkTarget(session, to, options);
    return recordUntilStopped(session, to, options);
  },
});

/**
 * Checks the addresses.
 *
 * @throws {UsageError} when one leads back to this command, or exposes the API key.
 */
function checkTarget({ globals }: Session, to: URL, options: Options): void {
  const isLocal = (url: URL): boolean => isLoopback(url.hostname) || url.hostname === options.host;
  const { webhooks, port, webhookPort } = options;
  if (isLocal(to) && portOf(to) === port)
    throw new UsageError(`--to leads back to this command at port ${port}. Choose another one with --port.`);
  if (webhooks && isLocal(webhooks) && [port, webhookPort].includes(portOf(webhooks)))
    throw new UsageError(`--webhooks leads back to this command. Pass the URL of your receiver.`);
  if (to.protocol === 'https:' || isLoopback(to.hostname) || globals().allowInsecureHttp) return;
  throw new UsageError(
    'Plain http exposes the API key to the network. Use https, or pass --allow-insecure-http for a test key.',
  );
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** Learns from a kept recording. */
async function learnFromFile(session: Session, path: string, options: Options): Promise<ExitCode> {
  const { output } = session;
  const { exchanges, unreadable } = parseRecording(await readText(path, session));
  if (exchanges.length === 0)
    throw new UsageError(`${JSON.stringify(path)} has no exchanges. \`record --keep\` writes such a file.`);
  if (unreadable.length > 0)
    output.note(`warning: these lines are no exchanges and were skipped: ${unreadable.join(', ')}.`);
  const learned = await learnAndWrite(session, exchanges, options);
  const { profile, added, contradictions, unusable } = learned;
  const lines = formatLearned(learned, { profile: options.profile, terminal: output.terminal });
  await output.result({ profile, added, contradictions, unusable }, lines);
  return exitCodes.ok;
}

async function learnAndWrite(
  session: Session,
  exchanges: readonly Exchange[],
  { profile: path }: Options,
): Promise<LearnedProfile> {
  const learned = learnInto(await readProfile(path, session), exchanges);
  if (path !== undefined && learned.added.length > 0) await writeProfile(path, learned.profile);
  return learned;
}

/** Maximum number of exchanges in memory, from which the profile is learned. */
const MAX_KEPT = 5_000;

/**
 * Opens a recording to append to it. Only the user of this process can read a new file.
 *
 * @throws {UsageError} when it cannot be opened.
 */
async function openRecording(path: string | undefined): Promise<{
  readonly append: (exchange: Exchange) => Promise<void>;
  readonly close: () => Promise<void>;
}> {
  if (path === undefined) return { append: async () => {}, close: async () => {} };
  const explain = (error: NodeJS.ErrnoException): never => {
    const { code = 'unknown error' } = error;
    throw new UsageError(`--keep: ${JSON.stringify(path)} cannot be written: ${code}.`);
  };
  const file = await open(path, 'a', 0o600).catch(explain);
  const append = (exchange: Exchange): Promise<void> =>
    file.appendFile(formatExchange(exchange)).catch(explain);
  return { append, close: () => file.close() };
}

/** Records until Ctrl+C. The profile is read before the first request, so that an error in it is reported at once. */
async function recordUntilStopped(session: Session, to: URL, options: Options): Promise<ExitCode> {
  const { environment } = session;
  await readProfile(options.profile, session);
  await checkFolder('--profile', options.profile);
  await checkFolder('--keep', options.keep);
  const keep = await openRecording(options.keep);
  const exchanges: Exchange[] = [];
  let total = 0;
  const { promise: failed, reject } = Promise.withResolvers<never>();
  let written = Promise.resolve();
  const onExchange = (exchange: Exchange): void => {
    total += 1;
    exchanges.push(exchange);
    if (exchanges.length > MAX_KEPT) exchanges.shift();
    written = written.then(() => keep.append(exchange)).then(() => printExchange(session, exchange));
    written.catch(reject);
  };
  try {
    const recorder = await startRecorder(session, to, { ...options, onExchange });
    try {
      printStartup(session, recorder, { ...options, to });
      await Promise.race([whenAborted(environment.signal), failed.catch(ignoreHangUp)]);
    } finally {
      await recorder.close();
    }
    await written.catch(ignoreHangUp);
    await finish(session, exchanges, total, options);
    return exitCodes.ok;
  } finally {
    await keep.close();
  }
}

/** Ends the run without an error if the reader of the output has gone. */
function ignoreHangUp(error: unknown): void {
  if (!(error instanceof LostOutputError && error.isHangUp)) throw error;
}

type StartOptions = Options & { readonly onExchange: (exchange: Exchange) => void };

async function startRecorder(
  { output, environment }: Session,
  to: URL,
  { port, host, webhooks, webhookPort, keepNames, onExchange }: StartOptions,
): Promise<TrafficRecorder> {
  try {
    return await recordTraffic({
      to,
      port,
      host,
      keepNames,
      onExchange,
      webhooks: webhooks && { to: webhooks, port: webhookPort },
      onRefused: (reason) => output.note(`warning: ${reason}`),
      now: (environment.clock ?? runClock).now,
    });
  } catch (error) {
    const isWebhookPort = webhooks !== undefined && (error as { port?: unknown }).port === webhookPort;
    throw isWebhookPort
      ? createAddressError({ host, port: webhookPort }, error, 'Choose another one with --webhook-port.')
      : createAddressError({ host, port }, error);
  }
}

function printStartup(
  { output }: Session,
  { baseUrl, webhookUrl }: TrafficRecorder,
  { host, to, webhooks }: Options & { readonly to: URL },
): void {
  if (!isLoopback(host))
    output.note(
      `warning: everyone who can reach ${host} can send requests to ${to.host} through this command.`,
    );
  if (webhookUrl !== undefined && webhooks !== undefined)
    output.note(`Webhooks to ${webhookUrl.href} are forwarded to ${webhooks.origin}${webhooks.pathname}.`);
  output.note(
    `Recording ${to.origin}${to.pathname}. Set the base URL of your application:`,
    `  export SERVICE_BASE_URL=${quoteForShell(baseUrl.href)}`,
    'Press Ctrl+C to stop.',
  );
}

/** Prints an exchange: a line on a terminal, else the whole document. */
function printExchange({ output }: Session, exchange: Exchange): Promise<void> {
  const isReadable = output.terminal.isTTY && !output.json;
  return output.result(exchange, [isReadable ? formatExchangeLine(exchange) : JSON.stringify(exchange)]);
}

/** Learns from the recorded exchanges, and prints the summary. Documents of exchanges have stdout for themselves. */
async function finish(
  session: Session,
  exchanges: readonly Exchange[],
  total: number,
  options: Options,
): Promise<void> {
  const { output } = session;
  const learned = await learnAndWrite(session, exchanges, options);
  const lines: Line[] = [
    ...formatLearned(learned, { profile: options.profile, terminal: output.terminal }),
    `Recorded ${total} ${total === 1 ? 'exchange' : 'exchanges'}.`,
    ...(total > exchanges.length
      ? [`Learned from the last ${exchanges.length}; --learn learns from a whole file.`]
      : []),
  ];
  if (output.terminal.isTTY && !output.json) await tolerateHangUp(output.result(undefined, lines));
  else output.note(...lines);
}
