import { isLoopback, type JsonObject, runClock } from '@service/internal';
import { type AccountView, createMock, type Mock, type MockOptions, type ProfileChoice } from '@service/mock';
import { type DataFile, keepData, listen, type MockServer, type ServedRequest } from '@service/mock/node';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createAddressError, toCliMessage, UsageError } from '../errors.ts';
import { describeFileError, readProfileFile } from '../input.ts';
import type { Output } from '../output.ts';
import { parsePositive, parseWhole } from '../parse.ts';
import { toRequestEntry } from '../request-line.ts';
import { type CreateAction, exitCodes, type Handler, type Session, whenAborted } from '../session.ts';
import { toFields } from '../table.ts';

/** Defines `mock`, which runs a mock of the API with generated keys. */
export function defineMock(command: Command, act: CreateAction): void {
  addFlags(command)
    .addHelpText('after', '\nExample:\n  $ service-cli mock --speed 10 --balance USD=1000.00 --balance EUR=0')
    .action(act(serve));
}

const serve: Handler<readonly [], MockFlags> = async (session, { options }) => {
  const { output, environment } = session;
  await using mock = await openMock(options, session);
  await using data = await openData(mock, options.data, output);
  // Restored data contains the wallets.
  const balances = data?.isRestored ? undefined : options.balance;
  const account = await configure(() => openAccount(mock, balances));
  const webhookSecret = await configure(() => setEndpoint(mock, account, options.webhookUrl));
  // A reset of the sandbox returns to this state, so it keeps the printed keys.
  mock.sandbox.baseline();
  await data?.save();
  const token = environment.env.SERVICE_SANDBOX_TOKEN;
  await using server = await startServer(mock, session, options);
  if (!isLoopback(options.host)) {
    output.note(`warning: everyone with a key who can reach ${options.host} can use this mock.`);
  }
  // A token from the environment is a secret of the user, so it is not printed.
  const controlToken = token === undefined ? server.controlToken : null;
  await printStartup(session, { server, account, webhookSecret, controlToken });
  await whenAborted(environment.signal);
  // Closed before the data file, so that the file has the results of the last deliveries.
  await mock.close();
  return exitCodes.ok;
};

async function openMock(flags: MockFlags, session: Session): Promise<Mock> {
  const { seed, speed, clock, cors, accounts } = flags;
  const profile = await readProfile(flags, session);
  const { output } = session;
  const create = (): Mock =>
    createMock({
      profile,
      accounts,
      // The default 'loopback' allows a front end in development to call the mock (docs/contract.md#transport).
      cors,
      onDefect: (error) => output.note(`internal error: ${toMessage(error)}`),
      clock: speed === undefined ? (clock ?? 'real') : { speed },
      ...(seed !== undefined && { seed }),
    });
  return configure(create);
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

/** The name of the account that `--balance` creates. */
const BALANCES_ACCOUNT = 'balances';

/** Creates the account of `--balance`, or returns it if the data was restored. */
function openAccount({ account, sandbox }: Mock, balances: Balances | undefined): AccountView {
  const known = sandbox.accounts.list().find(({ name }) => name === BALANCES_ACCOUNT);
  if (known !== undefined) return sandbox.accounts.get(known);
  return balances === undefined ? account : sandbox.accounts.create({ name: BALANCES_ACCOUNT, balances });
}

/** Sets the endpoint of test mode and returns its new secret. A restored endpoint with the same URL keeps its secret. */
function setEndpoint({ sandbox }: Mock, account: AccountView, url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const known = sandbox.webhooks.endpoint({ account })?.url;
  const isKnown = URL.canParse(url) && known === new URL(url).href;
  return isKnown ? undefined : sandbox.webhooks.setEndpoint({ account, url }).secret;
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
  server: MockServer;
  account: AccountView;
  webhookSecret: string | undefined;
  controlToken: string | null;
}

/** Prints addresses, keys and shell commands. */
async function printStartup({ output }: Session, running: RunningMock): Promise<void> {
  const { server, account, webhookSecret, controlToken } = running;
  const { url, baseUrl } = server;
  const { testKey, liveKey } = account;
  const document = {
    url,
    baseUrl,
    testKey,
    liveKey,
    ...(webhookSecret && { webhookSecret }),
    ...(controlToken !== null && { controlToken }),
  };
  const exports = [
    `export SERVICE_BASE_URL=${toReachable(baseUrl)}`,
    `export SERVICE_API_KEY=${testKey}`,
    ...(webhookSecret ? [`export SERVICE_WEBHOOK_SECRET=${webhookSecret}`] : []),
    ...(controlToken ? [`export SERVICE_SANDBOX_TOKEN=${controlToken}`] : []),
  ];
  await output.reveal(document, [
    ...toFields(document, output.terminal),
    '',
    ...exports,
    '',
    'Ready. Press Ctrl+C to stop.',
  ]);
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
  readonly speed?: number;
  readonly clock?: 'real' | 'manual';
  readonly webhookUrl?: string;
  readonly data?: string;
  readonly quiet?: true;
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
    .option('--no-control', 'disable the control API under /_sandbox')
    .option('--webhook-url <url>', 'loopback URL for the webhooks of test mode')
    .option('--profile <file>', 'JSON file with profile settings')
    .option('--setting <name=value>', 'profile setting; repeatable; overrides the file', addSetting)
    .option(
      '--balance <CODE=amount>',
      'wallet in test mode in place of the default wallets; repeatable',
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
