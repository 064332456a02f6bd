import { isLoopback, isRecord, type JsonObject, runClock } from '@service/internal';
import { createMock, type Mock, type ProfileChoice, type SandboxSeed } from '@service/mock';
import { type DataFile, keepData, listen, type MockServer, type ServedRequest } from '@service/mock/node';
import { redactVariables } from '@service/mock/seed-file';
import type { Command } from 'commander';
import { describeDefect, toCliMessage, UsageError } from '../errors.ts';
import { readProfileFile } from '../input.ts';
import { addMockFlags, type MockFlags } from '../mock-flags.ts';
import { type Output, quoteForShell } from '../output.ts';
import { openPage } from '../open-page.ts';
import { toRequestEntry } from '../request-line.ts';
import { createPortError } from '../sandbox/control.ts';
import {
  type CreateAction,
  type ExitCode,
  exitCodes,
  type Handler,
  type Session,
  whenAborted,
} from '../session.ts';
import { findSeed, watchSeed } from '../seed-file.ts';
import { toFields } from '../table.ts';

/** Defines `mock`, which runs a mock of the API with generated keys. */
export function defineMock(command: Command, act: CreateAction): void {
  addMockFlags(command)
    .addHelpText('after', '\nExample:\n  $ service-cli mock --speed 10 --balance USD=1000.00 --balance EUR=0')
    .action(act(serve));
}

const serve: Handler<readonly [], MockFlags> = async (session, { options }) => {
  const { output, environment } = session;
  const profile = await readProfile(options, session);
  const file = await configure(() => findSeed(session, options.seedFile, options));
  if (options.open && !options.control)
    throw new UsageError('--open needs the control API. Remove --no-control.');
  if (options.selfService && !options.control)
    throw new UsageError('--self-service needs the control API. Remove --no-control.');
  if (options.watch && file.path === undefined)
    throw new UsageError('--watch needs a seed file. `service-cli init` writes one.');
  await configure(() => checkOverrides(options, profile));
  const seed = await configure(file.read);
  await using mock = await configure(() => openMock(options, { profile, seed, output }));
  await using data = await openData(mock, options.data, output);
  if (file.path !== undefined) output.note(explainSeed(file.path, data));
  const webhookSecret = data?.isRestored
    ? await configure(() => replaceEndpoint(mock, options.webhookUrl))
    : findNewSecret(mock, seed);
  await data?.save();
  const token = environment.env.SERVICE_SANDBOX_TOKEN;
  await using server = await startServer(mock, session, options);
  if (!isLoopback(options.host)) {
    output.note(`warning: everyone with a key who can reach ${options.host} can use this mock.`);
  }
  // A token from the environment is a secret of the user, so it is not printed.
  const controlToken = token === undefined ? server.controlToken : null;
  const running = { mock, server, controlToken, hasDashboard: options.control };
  const startup = describeStartup(running, { seed, webhookSecret });
  if (options.watch) watchSeed(session, { file, seed, load: createReload(session, running, startup) });
  await printStartup(session, startup);
  if (options.open) await openDashboard(session, startup);
  await whenAborted(environment.signal);
  await server.close();
  const { cut } = server;
  if (cut > 0) output.note(`${cut === 1 ? '1 request was' : `${cut} requests were`} cut after --grace.`);
  // Closed before the data file, so that the file has the results of the last deliveries.
  await mock.close();
  const code = await closeData(data, output);
  return code === exitCodes.ok && cut > 0 ? exitCodes.cut : code;
};

/** The parts of a mock that its options do not contain. */
interface MockContext {
  readonly profile: ProfileChoice;
  readonly seed: SandboxSeed;
  readonly output: Output;
}

function openMock(
  { seed: seedOfIds, speed, clock, cors, accounts, allowWebhookHost: allowHosts, ...flags }: MockFlags,
  { profile, seed, output }: MockContext,
): Mock {
  return createMock({
    initial: seed,
    profile,
    accounts,
    requestLog: flags.requests === 0 ? 'off' : { requests: flags.requests },
    // The default 'loopback' allows a front end in development to call the mock (docs/contract.md#transport).
    cors,
    onDefect: (error) => output.note(describeDefect(error)),
    clock: speed === undefined ? clock : { speed },
    seed: seedOfIds,
    webhooks: { allowHosts },
  });
}

/**
 * Checks the options that change the seed, because an error of the seed would name a line of the file.
 *
 * @throws {SandboxError} for an invalid balance or URL
 */
function checkOverrides(
  { balance, webhookUrl, allowWebhookHost: allowHosts }: MockFlags,
  profile: ProfileChoice,
): void {
  const { accounts, webhooks } = createMock({ profile, webhooks: { allowHosts } }).sandbox;
  if (balance !== undefined) accounts.create({ balances: balance });
  if (webhookUrl !== undefined) webhooks.setEndpoint({ url: webhookUrl });
}

function explainSeed(path: string, data: DataFile | undefined): string {
  return data?.isRestored
    ? `Using ${path} for clock, faults and rate limit only, because ${data.path} has the accounts.`
    : `Using ${path}.`;
}

/** Returns the derived signing secret of the first account. A secret of the seed belongs to the user. */
function findNewSecret({ sandbox }: Mock, { accounts: [given] = [] }: SandboxSeed): string | undefined {
  if (given?.endpoint?.secret !== undefined) return undefined;
  return sandbox.snapshot().state.accounts[0]?.modes.test.endpoint?.secret;
}

/** Restores the data in a file, and saves all changes to it from now on. */
async function openData(mock: Mock, path: string | undefined, output: Output): Promise<DataFile | undefined> {
  if (path === undefined) return undefined;
  const onError = (error: unknown): void => output.note(toMessage(error));
  const data = await configure(() => keepData(mock, path, { onError }));
  output.note(
    data.isRestored
      ? `Restored ${data.path}; --seed and --balance apply to new files only.`
      : `All data is kept in ${data.path}, including keys and signing secrets.`,
  );
  return data;
}

/**
 * Sets the endpoint of restored data, and returns its new secret. An endpoint with the same URL keeps its secret. A
 * reset keeps the endpoint.
 */
function replaceEndpoint({ sandbox }: Mock, url: string | undefined): string | undefined {
  if (url === undefined || sandbox.webhooks.endpoint()?.url === new URL(url).href) return undefined;
  const { secret } = sandbox.webhooks.setEndpoint({ url });
  sandbox.baseline();
  return secret;
}

/** Closes the data file. Changes since its last failure can be missing. */
async function closeData(data: DataFile | undefined, output: Output): Promise<ExitCode> {
  try {
    await data?.close();
    return exitCodes.ok;
  } catch (error) {
    output.note(toMessage(error));
    return exitCodes.unknown;
  }
}

async function startServer(
  mock: Mock,
  session: Session,
  { port, host: hostname, control: hasControl, selfService, grace, quiet }: MockFlags,
): Promise<MockServer> {
  const { environment, output } = session;
  const { clock = runClock } = environment;
  const token = environment.env.SERVICE_SANDBOX_TOKEN;
  const onResponse = (served: ServedRequest): void => {
    const { document, line } = toRequestEntry(served, clock.now());
    output.log(document, line);
  };
  try {
    const control = hasControl
      ? { ...(token !== undefined && { token }), selfService: selfService === true }
      : 'off';
    return await listen(mock, { port, hostname, control, grace, onResponse: quiet ? undefined : onResponse });
  } catch (error) {
    const isAboutToken = error instanceof TypeError && error.message.startsWith('control.token');
    if (isAboutToken) throw new UsageError(`SERVICE_SANDBOX_TOKEN: ${error.message}`);
    throw await createPortError(session, { host: hostname, port }, error);
  }
}

interface RunningMock {
  readonly mock: Mock;
  readonly server: MockServer;
  readonly controlToken: string | null;
  readonly hasDashboard: boolean;
}

/** The addresses, keys and secrets of a running mock. */
interface Startup {
  readonly url: string;
  readonly baseUrl: string;
  readonly dashboard?: string;
  readonly testKey: string;
  readonly liveKey: string;
  readonly webhookSecret?: string;
  readonly controlToken?: string;
}

/** Returns the addresses, keys and secrets. Those of the environment are secrets of the user: it returns their names. */
function describeStartup(
  { mock, server: { url, baseUrl }, controlToken, hasDashboard }: RunningMock,
  { seed, webhookSecret }: { readonly seed: SandboxSeed; readonly webhookSecret: string | undefined },
): Startup {
  const { testKey, liveKey } = mock.account;
  return {
    url,
    baseUrl,
    ...(hasDashboard && { dashboard: toDashboard(url, controlToken) }),
    testKey: redactVariables(seed, testKey),
    liveKey: redactVariables(seed, liveKey),
    ...(webhookSecret && { webhookSecret }),
    ...(controlToken !== null && { controlToken }),
  };
}

/** Returns the address of the dashboard. The fragment logs the page in, and no browser sends it. */
function toDashboard(url: string, token: string | null): string {
  return `${toReachable(`${url}/`)}${token === null ? '' : `#token=${token}`}`;
}

/** Opens the dashboard. A machine without a browser is not an error. */
async function openDashboard({ environment, output }: Session, { dashboard }: Startup): Promise<void> {
  try {
    await openPage(String(dashboard), environment.env.BROWSER);
  } catch (error) {
    output.note(`The browser cannot be opened (${toMessage(error)}). The address is above.`);
  }
}

/** Prints addresses, keys and shell commands. */
async function printStartup({ output }: Session, startup: Startup): Promise<void> {
  const { baseUrl, testKey, webhookSecret, controlToken } = startup;
  const exports = [
    `export SERVICE_BASE_URL=${quoteForShell(toReachable(baseUrl))}`,
    `export SERVICE_API_KEY=${testKey}`,
    ...(webhookSecret ? [`export SERVICE_WEBHOOK_SECRET=${quoteForShell(webhookSecret)}`] : []),
    ...(controlToken ? [`export SERVICE_SANDBOX_TOKEN=${quoteForShell(controlToken)}`] : []),
  ];
  await output.reveal(startup, [
    ...toFields(startup, output.terminal),
    '',
    ...exports,
    '',
    'Ready. Press Ctrl+C to stop.',
  ]);
}

/** Returns a function that loads a changed seed, and prints the addresses and keys again if they differ. */
function createReload(
  session: Session,
  running: RunningMock,
  printed: Startup,
): (seed: SandboxSeed) => Promise<void> {
  let latest = JSON.stringify(printed);
  return async (seed) => {
    running.mock.sandbox.load(seed);
    const startup = describeStartup(running, { seed, webhookSecret: findNewSecret(running.mock, seed) });
    if (JSON.stringify(startup) !== latest) await printStartup(session, startup);
    latest = JSON.stringify(startup);
  };
}

/** Replaces the address of all interfaces, which cannot be called, with the loopback address. */
function toReachable(baseUrl: string): string {
  return baseUrl.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/**
 * Runs a step that applies options of the command.
 *
 * @throws {UsageError} when the mock rejects them.
 */
async function configure<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Error && error.name === 'SandboxError')
      throw new UsageError(toCliMessage(error.message));
    throw error;
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Reads the profile of the options: the file, overridden by single settings.
 *
 * @throws {UsageError} when the file cannot be read or is not a JSON object.
 */
async function readProfile({ profile, setting }: MockFlags, session: Session): Promise<ProfileChoice> {
  const settings: JsonObject = profile === undefined ? {} : await readProfileFile(profile, session);
  const merged = Object.entries(setting ?? {}).map(([name, value]) => {
    const given = settings[name];
    return [name, isRecord(given) && isRecord(value) ? { ...given, ...value } : value];
  });
  // The mock validates the settings.
  return { ...settings, ...Object.fromEntries(merged) };
}
