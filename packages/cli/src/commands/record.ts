import { existsSync } from 'node:fs';
import { appendFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { isLoopback, type JsonObject, toRecord } from '@service/internal';
import { createMock, SandboxError } from '@service/mock';
import {
  type Exchange,
  extendProfile,
  formatExchange,
  learnProfile,
  recordTraffic,
} from '@service/probe/node';
import { defineCommand, value, type ValuesOf } from '../command.ts';
import { configure, createAddressError, UsageError } from '../errors.ts';
import { readProfileFile } from '../input.ts';
import { checkFolder, quoteForShell, tolerateHangUp } from '../output.ts';
import { listenOptions, parseUrl } from '../parse.ts';
import { type DefineCommand, type Session, whenAborted } from '../session.ts';
import { formatCount, type Line, toLogLine, toRow, toStatus } from '../terminal.ts';

const exampleUrl = 'https://sandbox.example.com/api/v1';

const input = {
  to: value('<url>', `base URL of the service, such as ${exampleUrl}`, parseUrl(exampleUrl), {
    isRequired: true,
  }),
  ...listenOptions(4030, 'port for the application'),
  keep: value('<file>', 'append each exchange to a file, one JSON document per line'),
  profile: value('<file>', 'add the settings that the traffic shows to this file'),
};

type Options = ValuesOf<typeof input>;

/** Defines `record`, which records the traffic of an application with a service and learns its profile. */
export const recordCommand: DefineCommand = defineCommand({
  input,
  help: `Only test keys are forwarded. Keys, names, accounts, signatures and purposes are masked in all output.

Example:
  $ service-cli record --to ${exampleUrl} --keep traffic.ndjson --profile service.profile.json
  $ export SERVICE_BASE_URL=http://127.0.0.1:4030/api/v1     # for your application, in another terminal`,
  async run(session, options) {
    const to = options.to as URL;
    checkTarget(session, to, options);
    await recordUntilStopped(session, to, options);
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
      .then(() => output.result(exchange, [formatExchangeLine(exchange)]));
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
    if (!isLoopback(host))
      output.note(
        `warning: everyone who can reach ${host} can send requests to ${to.host} through this command.`,
      );
    output.note(
      `Recording ${to.origin}${to.pathname}. Set the base URL of your application:`,
      `  export SERVICE_BASE_URL=${quoteForShell(recorder.baseUrl.href)}`,
      'Press Ctrl+C to stop.',
    );
    await Promise.race([whenAborted(signal), tolerateHangUp(failed)]);
  } finally {
    await recorder.close();
  }
  await tolerateHangUp(written);
  const lines = await learn(session, exchanges, options);
  lines.push(`Recorded ${formatCount(total, 'exchange')}.`);
  if (total > exchanges.length) lines.push(`Learned from the last ${exchanges.length}.`);
  output.note(...lines);
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
): Promise<Line[]> {
  const { terminal } = session.output;
  const rows: { readonly state: string; readonly setting: string; readonly text: string }[] = [];
  const findings = learnProfile(exchanges).filter((finding) => {
    if (!('value' in finding)) return false;
    const problem = findProblem({ [finding.setting]: finding.value });
    if (problem !== undefined) rows.push({ state: 'unknown', setting: finding.setting, text: problem });
    return problem === undefined;
  });
  const { profile, added, differences } = extendProfile(await readProfile(path, session), findings);
  if (path !== undefined && added.length > 0) await writeProfile(path, profile);
  for (const { setting, evidence } of added) rows.push({ state: 'added', setting, text: evidence });
  for (const { setting, expected, details } of differences) {
    const text = `the profile keeps ${JSON.stringify(expected)}; ${details.join('; ')}`;
    rows.push({ state: 'DIFFERS', setting, text });
  }
  const counts = `${formatCount(added.length, 'setting')} added, ${formatCount(differences.length, 'difference')}`;
  return [
    ...rows.flatMap(({ state, setting, text }) => {
      const status = toStatus(state.toLowerCase(), terminal, state);
      return toRow([[status, 9] as const, [setting, 16] as const], text, terminal);
    }),
    path === undefined
      ? `${counts}. Nothing was written; pass --profile FILE.`
      : `${JSON.stringify(path)}: ${counts}.`,
  ];
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
    await writeFile(temporary, `${JSON.stringify(profile, null, 2)}\n`, { flush: true });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`--profile: ${JSON.stringify(path)} cannot be written: ${code}.`);
  }
}
