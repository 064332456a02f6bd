import { isLoopback, type JsonObject, runClock } from '@service/internal';
import { createMock, type Mock, type MockOptions, type ProfileChoice, type SandboxSeed } from '@service/mock';
import { type DataFile, keepData, listen, type MockServer, type ServedRequest } from '@service/mock/node';
import { redactVariables } from '@service/mock/seed-file';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createAddressError, toCliMessage, UsageError } from '../errors.ts';
import { describeFileError, readProfileFile } from '../input.ts';
import type { Output } from '../output.ts';
import { openPage } from '../open-page.ts';
import { parsePositive, parseWhole } from '../parse.ts';
import { toRequestEntry } from '../request-line.ts';
import { type CreateAction, exitCodes, type Handler, type Session, whenAborted } from '../session.ts';
import { findSeed, watchSeed } from '../seed-file.ts';
import { toFields } from '../table.ts';

/** Defines `mock`, which runs a mock of the API with generated keys. */
export function defineMock(command: Command, act: CreateAction): void {
  addFlags(command)
    .addHelpText('after', '\nExample:\n  $ service-cli mock --speed 10 --balance USD=1000.00 --balance EUR=0')
    .action(act(serve));
}

const serve: Handler<readonly [], MockFlags> = async (session, { options }) => {
  const { output, environment } = session;
  const profile = await readProfile(options, session);
  const file = await configure(() => findSeed(session, options.seedFile, options));
  if (options.open && !options.control)
    throw new UsageError('--open needs the control API. Remove --no-control.');
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
  // Closed before the data file, so that the file has the results of the last deliveries.
  await mock.close();
  return exitCodes.ok;
};

/** The parts of a mock that its options do not contain. */
interface MockContext {
  readonly profile: ProfileChoice;
  readonly seed: SandboxSeed;
  readonly output: Output;
}

function openMock(
  { seed: seedOfIds, speed, clock, cors, accounts }: MockFlags,
  { profile, seed, output }: MockContext,
): Mock {
  return createMock({
    initial: seed,
    profile,
    accounts,
    // The default 'loopback' allows a front end in development to call the mock (docs/contract.md#transport).
    cors,
    onDefect: (error) => output.note(`internal error: ${toMessage(error)}`),
    clock: speed === undefined ? clock : { speed },
    seed: seedOfIds,
  });
}

/**
 * Checks the options that change the seed, because an error of the seed would name a line of the file.
 *
 * @throws {SandboxError} for an invalid balance or URL
 */
function checkOverrides({ balance, webhookUrl }: MockFlags, profile: ProfileChoice): void {
  const { accounts, webhooks } = createMock({ profile }).sandbox;
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
  const onError = (error: unknown): void =>
    output.note(`the data file cannot be written: ${toMessage(error)}`);
  const data = await openFile(path, () => keepData(mock, path, { onError }));
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

async function startServer(
  mock: Mock,
  { environment, output }: Session,
  { port, host: hostname, control: hasControl, quiet }: MockFlags,
): Promise<MockServer> {
  const { clock = runClock } = environment;
  const token = environment.env.SERVICE_SANDBOX_TOKEN;
  const onResponse = (served: ServedRequest): void => {
    const { document, line } = toRequestEntry(served, clock.now());
    output.log(document, line);
  };
  try {
    const control = hasControl ? { ...(token !== undefined && { token }) } : 'off';
    return await listen(mock, { port, hostname, control, onResponse: quiet ? undefined : onResponse });
  } catch (error) {
    const isAboutToken = error instanceof TypeError && error.message.startsWith('control.token');
    if (isAboutToken) throw new UsageError(`SERVICE_SANDBOX_TOKEN: ${error.message}`);
    throw createAddressError({ host: hostname, port }, error);
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
    `export SERVICE_BASE_URL=${toReachable(baseUrl)}`,
    `export SERVICE_API_KEY=${testKey}`,
    ...(webhookSecret ? [`export SERVICE_WEBHOOK_SECRET=${webhookSecret}`] : []),
    ...(controlToken ? [`export SERVICE_SANDBOX_TOKEN=${controlToken}`] : []),
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

/**
 * Opens the data file.
 *
 * @throws {UsageError} when the file cannot be used. The message names the data file, not its temporary or lock file.
 */
async function openFile(path: string, step: () => Promise<DataFile>): Promise<DataFile> {
  try {
    return await configure(step);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    const reason = code === 'ENOENT' ? 'there is no such directory' : describeFileError(code);
    throw new UsageError(`Cannot keep data in ${JSON.stringify(path)}: ${reason}.`);
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Balances by currency code. */
type Balances = Readonly<Record<string, string>>;

/** The options of `mock`. */
interface MockFlags {
  readonly port: number;
  readonly host: string;
  readonly seed?: string;
  readonly seedFile?: string;
  readonly watch?: true;
  readonly speed?: number;
  readonly clock?: 'real' | 'manual';
  readonly webhookUrl?: string;
  readonly data?: string;
  readonly quiet?: true;
  readonly open?: true;
  /** False with `--no-control`. */
  readonly control: boolean;
  readonly accounts: NonNullable<MockOptions['accounts']>;
  readonly cors: NonNullable<MockOptions['cors']>;
  readonly profile?: string;
  readonly setting?: JsonObject;
  readonly balance?: Balances;
}

/** Adds the options of `mock`. */
function addFlags(command: Command): Command {
  return command
    .option('--port <port>', 'port to listen on; 0 for any free port', parseWhole(0, 65_535), 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <file>', 'keep all data in this file across restarts; it contains keys and secrets')
    .option(
      '--seed-file <file>',
      'initial state in YAML or JSON (default: service.sandbox.yaml or .json, if present)',
    )
    .addOption(
      new Option('--watch', 'load the seed file again when it changes, and reset the mock').conflicts('data'),
    )
    .option('--seed <text>', 'seed of ids, keys and secrets (default: random)')
    .addOption(
      new Option('--clock <kind>', 'clock of the mock').choices(['real', 'manual']).conflicts('speed'),
    )
    .option('--speed <factor>', 'speed of the clock: with 60, a minute takes a second', parsePositive)
    .addOption(
      new Option('--accounts <rule>', "accepted keys; with 'open', each new test key opens an account")
        .choices(['strict', 'open'])
        .default('strict'),
    )
    .option(
      '--cors <origins>',
      "origins of web pages that can call the mock: 'off', 'loopback', '*' or a list with commas",
      parseCors,
      'loopback',
    )
    .option('--quiet', 'do not log requests to stderr')
    .option('--open', 'open the dashboard in a browser (BROWSER selects the program)')
    .option('--no-control', 'disable the control API under /_sandbox')
    .option('--webhook-url <url>', 'loopback URL for the webhooks of test mode')
    .option('--profile <file>', 'JSON file with profile settings')
    .option('--setting <name=value>', 'profile setting; repeatable; overrides the file', addSetting)
    .option(
      '--balance <CODE=amount>',
      'wallet of the first account in test mode, in place of its others; repeatable',
      addWallet,
    );
}

/**
 * Reads the profile of the options: the file, overridden by single settings.
 *
 * @throws {UsageError} when the file cannot be read or is not a JSON object.
 */
async function readProfile({ profile, setting }: MockFlags, session: Session): Promise<ProfileChoice> {
  const settings = profile === undefined ? {} : await readProfileFile(profile, session);
  // The mock validates the settings.
  return { ...settings, ...setting };
}

function addSetting(text: string, before: JsonObject = {}): JsonObject {
  const [, name, value] = /^([A-Za-z0-9]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Write a setting and its value, such as createStatus=200.');
  return { ...before, [name]: readValue(name, value) };
}

function readValue(name: string, text: string): unknown {
  if (name === 'events') return text.split(',');
  return /^\d+$/.test(text) ? Number(text) : text;
}

function parseCors(text: string): NonNullable<MockOptions['cors']> {
  return text === 'off' || text === 'loopback' || text === '*' ? text : text.split(',');
}

function addWallet(text: string, before: Balances = {}): Balances {
  const [, code, amount] = /^([A-Za-z]{3})=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (code !== undefined && amount !== undefined) return { ...before, [code.toUpperCase()]: amount };
  throw new InvalidArgumentError('Write a currency and an amount, such as USD=1000.00.');
}
