import { existsSync } from 'node:fs';
import { appendFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { isLoopback, type JsonObject, toRecord } from '@service/internal';
import { createMock, SandboxError } from '@service/mock';
import {
  type Exchange,
  extendProfile,
  formatExchange,
  learnProfile,
  parseRecording,
  recordTraffic,
  type TrafficRecorder,
} from '@service/probe/node';
import { defineCommand, value, type ValuesOf } from '../command.ts';
import { configure, createAddressError, UsageError } from '../errors.ts';
import { readProfileFile, readText } from '../input.ts';
import { checkFolder, formatDocument, quoteForShell, tolerateHangUp } from '../output.ts';
import { listenOptions, parseUrl } from '../parse.ts';
import { type DefineCommand, type Session, whenAborted } from '../session.ts';
import { formatCount, type Line, type Part, toLogLine, toRow } from '../terminal.ts';

const exampleUrl = 'https://sandbox.example.com/api/v1';

const input = {
  to: value('<url>', `base URL of the service, such as ${exampleUrl}`, parseUrl(exampleUrl)),
  ...listenOptions(4030, 'port for the application'),
  keep: value('<file>', 'append each exchange to a file, one JSON document per line'),
  profile: value('<file>', 'add the settings that the traffic shows to this file'),
  learn: value('<file>', "learn from a kept recording, '-' for stdin, without a service", undefined, {
    conflicts: ['to', 'keep'],
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
    const { learn: recording, to } = options;
    if (recording !== undefined) return learnFromFile(session, recording, options);
    if (to === undefined)
      throw new UsageError('The service is missing. Pass --to URL, or --learn FILE for a kept recording.');
    checkTarget(session, to, options);
    return recordUntilStopped(session, to, options);
  },
});

/**
 * Checks the address.
 *
 * @throws {UsageError} when it leads back to this command, or exposes the API key.
 */
function checkTarget({ globals }: Session, to: URL, { host, port }: Options): void {
  const isLocal = isLoopback(to.hostname) || to.hostname === host;
  if (isLocal && portOf(to) === port)
    throw new UsageError(`--to leads back to this command at port ${port}. Choose another one with --port.`);
  if (to.protocol === 'https:' || isLoopback(to.hostname) || globals().allowInsecureHttp) return;
  throw new UsageError(
    'Plain http exposes the API key to the network. Use https, or pass --allow-insecure-http for a test key.',
  );
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** Learns from a kept recording. */
async function learnFromFile(session: Session, path: string, options: Options): Promise<void> {
  const { output } = session;
  const { exchanges, unreadable } = parseRecording(await readText(path, session, '--learn'));
  if (exchanges.length === 0)
    throw new UsageError(
      `${JSON.stringify(path)} has no exchanges. \`record --keep\` writes such a file.`,
      undefined,
      '--learn',
    );
  if (unreadable.length > 0)
    output.note(`warning: these lines are no exchanges and were skipped: ${unreadable.join(', ')}.`);
  const { document, lines } = await learn(session, exchanges, options);
  await output.result(document, lines);
}

/** Maximum number of exchanges in memory, from which the profile is learned. */
const MAX_KEPT = 5_000;

/** Appends text to a recording. Only the user of this process can read a new file. */
async function append(path: string | undefined, text: string): Promise<void> {
  if (path === undefined) return;
  await appendFile(path, text, { mode: 0o600 }).catch(({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    throw new UsageError(`--keep: ${JSON.stringify(path)} cannot be written: ${code}.`);
  });
}

/** Records until Ctrl+C. Both files are opened before the first request, so that their errors are reported at once. */
async function recordUntilStopped(session: Session, to: URL, options: Options): Promise<void> {
  const { signal, output } = session;
  await readProfile(options.profile, session);
  await checkFolder('--profile', options.profile);
  await checkFolder('--keep', options.keep);
  await append(options.keep, '');
  // Without a terminal, each line is a whole document.
  const isReadable = output.terminal.isTTY && !output.json;
  const exchanges: Exchange[] = [];
  let total = 0;
  const { promise: failed, reject } = Promise.withResolvers<never>();
  let written = Promise.resolve();
  const onExchange = (exchange: Exchange): void => {
    total += 1;
    exchanges.push(exchange);
    if (exchanges.length > MAX_KEPT) exchanges.shift();
    written = written
      .then(() => append(options.keep, formatExchange(exchange)))
      .then(() =>
        output.result(exchange, [isReadable ? formatExchangeLine(exchange) : JSON.stringify(exchange)]),
      );
    written.catch(reject);
  };
  const { port, host } = options;
  const recorder = await recordTraffic({
    to,
    port,
    host,
    onExchange,
    onRefused: (reason) => output.note(`warning: ${reason}`),
    now: session.clock.now,
  }).catch((error: unknown) => {
    throw createAddressError({ host, port }, error);
  });
  try {
    printStartup(session, recorder, { ...options, to });
    await Promise.race([whenAborted(signal), tolerateHangUp(failed)]);
  } finally {
    await recorder.close();
  }
  await tolerateHangUp(written);
  const { lines } = await learn(session, exchanges, options);
  lines.push(`Recorded ${formatCount(total, 'exchange')}.`);
  if (total > exchanges.length)
    lines.push(`Learned from the last ${exchanges.length}; --learn learns from a whole file.`);
  // Without a terminal, the documents of exchanges have stdout for themselves.
  if (isReadable) await tolerateHangUp(output.result(undefined, lines));
  else output.note(...lines);
}

function printStartup(
  { output }: Session,
  { baseUrl }: TrafficRecorder,
  { host, to }: Options & { readonly to: URL },
): void {
  if (!isLoopback(host))
    output.note(
      `warning: everyone who can reach ${host} can send requests to ${to.host} through this command.`,
    );
  output.note(
    `Recording ${to.origin}${to.pathname}. Set the base URL of your application:`,
    `  export SERVICE_BASE_URL=${quoteForShell(baseUrl.href)}`,
    'Press Ctrl+C to stop.',
  );
}

/** Formats an exchange as a line: time, method, path, status, duration, and the new id or the error. */
function formatExchangeLine({ at, ms, request, response, error }: Exchange): Line {
  const { data, error: refusal } = toRecord(response?.body);
  const { message } = toRecord(refusal);
  const { id } = toRecord(data);
  const details = [error, message, request.method === 'POST' && id];
  const detail = details.find((text) => typeof text === 'string');
  const words = [request.method.padEnd(4), request.path];
  return toLogLine({ at, words, status: response?.status, ms, detail });
}

/**
 * Reads the profile to extend. A file that does not exist is an empty profile.
 *
 * @throws {UsageError} when the file cannot be read, or has settings that no profile has.
 */
async function readProfile(path: string | undefined, session: Session): Promise<JsonObject> {
  if (path === undefined || !existsSync(path)) return {};
  const profile = await readProfileFile(path, session, '--profile');
  await configure(() => createMock({ profile }), '--profile');
  return profile;
}

function findProblem(profile: JsonObject): string | undefined {
  try {
    createMock({ profile });
    return undefined;
  } catch (error) {
    if (error instanceof SandboxError) return error.message;
    throw error;
  }
}

/** Adds the settings that exchanges show to the profile, and formats them and those that differ. */
async function learn(
  session: Session,
  exchanges: readonly Exchange[],
  { profile: path }: Options,
): Promise<{ readonly document: object; readonly lines: Line[] }> {
  const { terminal } = session.output;
  const unusable: string[] = [];
  const findings = learnProfile(exchanges).filter((finding) => {
    if (!('value' in finding)) return false;
    const problem = findProblem({ [finding.setting]: finding.value });
    if (problem !== undefined) unusable.push(`${finding.setting}: ${problem}`);
    return problem === undefined;
  });
  const { profile, added, differences } = extendProfile(await readProfile(path, session), findings);
  if (path !== undefined && added.length > 0) await writeProfile(path, profile);
  const counts = `${formatCount(added.length, 'setting')} added, ${formatCount(differences.length, 'difference')}`;
  const toLine = (state: Part, setting: string, shown: unknown, evidence: string): Line[] =>
    toRow(
      [
        [state, 7],
        [setting, 16],
        [shortenValue(shown), VALUE_WIDTH],
      ],
      evidence,
      terminal,
    );
  const lines: Line[] = [
    ...added.flatMap(({ setting, evidence }) =>
      toLine({ text: 'added', style: 'good' }, setting, profile[setting], evidence),
    ),
    ...differences.flatMap(({ setting, expected, found, details }) =>
      toLine(
        { text: 'DIFFERS', style: 'bad' },
        setting,
        found,
        `the profile keeps ${shortenValue(expected)}; ${details.join('; ')}`,
      ),
    ),
    ...unusable.map((problem): Line => [{ text: 'unknown', style: 'waiting' }, `  ${problem}`]),
    path === undefined
      ? `${counts}. Nothing was written; pass --profile FILE.`
      : `${JSON.stringify(path)}: ${counts}.`,
  ];
  return { document: { profile, added, differences, unusable }, lines };
}

const VALUE_WIDTH = 16;

/** Truncates a structured value to its column. The profile has the whole value. */
function shortenValue(setting: unknown): string {
  const text = typeof setting === 'string' ? setting : JSON.stringify(setting);
  return text.length > VALUE_WIDTH ? `${text.slice(0, VALUE_WIDTH - 1)}…` : text;
}

/**
 * Replaces the profile as a whole, so that an interrupted write leaves the earlier file.
 *
 * @throws {UsageError} when the file cannot be written.
 */
async function writeProfile(path: string, profile: JsonObject): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, `${formatDocument(profile)}\n`, { flush: true });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`--profile: ${JSON.stringify(path)} cannot be written: ${code}.`);
  }
}
