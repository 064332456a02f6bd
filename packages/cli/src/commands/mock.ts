import type { AccountView, Mock } from '@service/mock';
import type { DataFile, MockServer } from '@service/mock/node';
import type { Command } from 'commander';
import { exitCodes } from '../exit-code.ts';
import { describeFileError } from '../input.ts';
import { whenAborted, createAddressError } from '../listening.ts';
import { isLoopback } from '../loopback.ts';
import { toCliMessage } from '../mock-message.ts';
import type { Output } from '../output.ts';
import type { CreateAction, Handler, Session } from '../session.ts';
import { toFields } from '../table.ts';
import { UsageError } from '../usage-error.ts';
import { addFlags, type Balances, type MockFlags, readProfile } from './mock-flags.ts';

/** Adds `mock`, which runs a mock of the API with generated keys. */
export function addMock(program: Command, act: CreateAction): void {
  const command = program
    .command('mock')
    .description('Run a mock of the API until Ctrl+C. It moves no real money, so its keys are printed.');
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
  await using server = await startServer(mock, options, token);
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

/** Creates the mock. Loads it lazily, because no other command needs it. */
async function openMock(flags: MockFlags, session: Session): Promise<Mock> {
  const { createMock } = await import('@service/mock');
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
  const { keepData } = await import('@service/mock/node');
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
  { port, host: hostname, control: hasControl }: MockFlags,
  token: string | undefined,
): Promise<MockServer> {
  const { listen } = await import('@service/mock/node');
  try {
    const control = hasControl ? { ...(token !== undefined && { token }) } : 'off';
    return await listen(mock, { port, hostname, control });
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
    ...(controlToken ? [`export SERVICE_SANDBOX_TOKEN=${controlToken}`] : []),
  ];
  await output.reveal(document, [...toFields(document), '', ...exports, '', 'Ready. Press Ctrl+C to stop.']);
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
